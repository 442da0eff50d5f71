//! The join as a nested loop, and the driver that compares an operator with it.

use std::fmt;
use std::sync::Arc;

use streamjoin_kernels::arrow;
use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::buffer::BooleanBuffer;
use streamjoin_kernels::arrow::compute::concat_batches;
use streamjoin_kernels::arrow::datatypes::*;
use streamjoin_kernels::stream_static;
use streamjoin_kernels::stream_static::OutputOrder;
use streamjoin_kernels::{
    ColumnRef, Filter, JoinType, KeyPair, OutputColumn, Predicate, Result, Side,
};

/// A row: its keys (None is null), and a value for conditions.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) keys: Vec<Option<u8>>,
    pub(crate) value: Option<i32>,
}

/// Conditions in addition to the keys: `s.value > 2`, `d.value > 2`, `s.value < d.value`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Conditions {
    pub(crate) stream: bool,
    pub(crate) dimension: bool,
    pub(crate) residual: bool,
}

/// An output row: numbers of the stream row and of the dimension row.
pub(crate) type OutRow = (Option<i64>, Option<i64>);

/// What SQL says, row by row.
pub(crate) fn nested_loop(
    join_type: JoinType,
    null_safe: &[bool],
    conditions: Conditions,
    stream: &[Row],
    dimension: &[Row],
) -> Vec<OutRow> {
    let above = |value: Option<i32>| value.is_some_and(|value| value > 2);
    let matches = |s: &Row, d: &Row| {
        s.keys
            .iter()
            .zip(&d.keys)
            .zip(null_safe)
            .all(|((s, d), &null_safe)| if null_safe { s == d } else { s.is_some() && s == d })
            && (!conditions.stream || above(s.value))
            && (!conditions.dimension || above(d.value))
            && (!conditions.residual || matches!((s.value, d.value), (Some(s), Some(d)) if s < d))
    };
    let mut out = Vec::new();
    for (i, s) in stream.iter().enumerate() {
        let found: Vec<usize> =
            (0..dimension.len()).filter(|&j| matches(s, &dimension[j])).collect();
        let s = Some(i as i64);
        match join_type {
            JoinType::LeftSemi => out.extend((!found.is_empty()).then_some((s, None))),
            JoinType::LeftAnti => out.extend(found.is_empty().then_some((s, None))),
            _ => {
                out.extend(found.iter().map(|&j| (s, Some(j as i64))));
                let preserved = matches!(join_type, JoinType::LeftOuter | JoinType::RightOuter);
                if found.is_empty() && preserved {
                    out.push((s, None));
                }
            }
        }
    }
    out.sort_unstable();
    out
}

/// `column > 2`, or `first < second` of two columns, on 32-bit integers.
#[derive(Debug)]
struct Compare;

impl Predicate for Compare {
    fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanArray> {
        let left = columns[0].as_primitive::<Int32Type>();
        assert_eq!(left.len(), rows);
        Ok(match columns.get(1) {
            None => arrow::compute::kernels::cmp::gt(left, &Int32Array::new_scalar(2))?,
            Some(right) => {
                arrow::compute::kernels::cmp::lt(left, right.as_primitive::<Int32Type>())?
            }
        })
    }
}

/// Everything that makes up one comparison.
pub(crate) struct Case<'a> {
    pub(crate) join_type: JoinType,
    pub(crate) stream_side: Side,
    pub(crate) null_safe: &'a [bool],
    pub(crate) conditions: Conditions,
    pub(crate) stream: RecordBatch,
    pub(crate) dimension: RecordBatch,
    pub(crate) options: stream_static::Options,
    /// Rows of each pushed batch; the last length repeats.
    pub(crate) cuts: &'a [usize],
}

impl fmt::Debug for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} stream {} {:?} {:?} {:?} cuts {:?}",
            self.join_type,
            self.stream_side,
            self.null_safe,
            self.conditions,
            self.options,
            self.cuts
        )
    }
}

/// A batch of key columns, then `value`, `id` and a text made from the id.
pub(crate) fn table(keys: Vec<ArrayRef>, rows: &[Row]) -> RecordBatch {
    let mut columns: Vec<(String, ArrayRef)> =
        keys.into_iter().enumerate().map(|(i, key)| (format!("k{i}"), key)).collect();
    let ids = 0..rows.len() as i64;
    columns.push(("value".into(), Arc::new(rows.iter().map(|r| r.value).collect::<Int32Array>())));
    columns.push(("id".into(), Arc::new(Int64Array::from_iter_values(ids.clone()))));
    columns.push(("text".into(), Arc::new(StringArray::from_iter_values(ids.map(text)))));
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
        .unwrap()
}

fn text(id: i64) -> String {
    format!("{id}{}", "-".repeat((id % 23) as usize))
}

impl Case<'_> {
    fn filter(&self, wanted: bool, columns: &[ColumnRef]) -> Option<Filter> {
        wanted.then(|| Filter { columns: columns.to_vec(), predicate: Arc::new(Compare) })
    }

    pub(crate) fn join(&self) -> stream_static::Join {
        let keys = self.null_safe.len();
        let (stream_value, dimension_value) = (ColumnRef::Stream(keys), ColumnRef::Table(keys));
        let mut spec = stream_static::Spec::on(
            self.stream.schema(),
            self.dimension.schema(),
            self.join_type,
            self.null_safe.iter().enumerate().map(|(i, &safe)| {
                if safe { KeyPair::null_safe(i, i) } else { KeyPair::equal(i, i) }
            }),
        )
        .unwrap();
        spec.stream_side = self.stream_side;
        spec.output = stream_static::output_on(
            self.join_type,
            self.stream_side,
            &self.stream.schema(),
            &self.dimension.schema(),
        );
        spec.output.push(OutputColumn { source: ColumnRef::StreamRow, name: "row".to_owned() });
        spec.stream_filter = self.filter(self.conditions.stream, &[stream_value]);
        spec.table_filter = self.filter(self.conditions.dimension, &[dimension_value]);
        spec.residual = self.filter(self.conditions.residual, &[stream_value, dimension_value]);
        stream_static::Join::new(spec, self.options.clone()).unwrap()
    }

    /// Runs the operator over the cuts of the stream; adds the numbers of the
    /// stream rows without a match.
    pub(crate) fn run_noting(&self, unmatched: &mut Vec<i64>) -> Vec<OutRow> {
        let join = self.loaded();
        let (mut start, mut cut) = (0, 0);
        let mut out = Vec::new();
        while start < self.stream.num_rows() || cut < self.cuts.len() {
            let rows = self.cuts[cut.min(self.cuts.len() - 1)].min(self.stream.num_rows() - start);
            let missed = self.push(&join, &self.stream.slice(start, rows), &mut out);
            unmatched.extend(missed.into_iter().map(|row| start as i64 + i64::from(row)));
            start += rows;
            cut += 1;
        }
        out.sort_unstable();
        out
    }

    /// The operator with the dimension, which comes in two batches, swapped in.
    pub(crate) fn loaded(&self) -> stream_static::Join {
        let join = self.join();
        let half = self.dimension.num_rows() / 2;
        let halves = [
            self.dimension.slice(0, half),
            self.dimension.slice(half, self.dimension.num_rows() - half),
        ];
        let snapshot = join.build(&halves, 7).unwrap();
        assert_eq!((snapshot.version(), snapshot.rows()), (7, self.dimension.num_rows()));
        join.swap(snapshot).unwrap();
        join
    }

    /// Pushes a batch; checks bounds, texts, row numbers, order, mask and counters
    /// on the way. Answers which of its rows have no match.
    pub(crate) fn push(
        &self,
        join: &stream_static::Join,
        stream: &RecordBatch,
        out: &mut Vec<OutRow>,
    ) -> Vec<u32> {
        let mut cursor = join.push(stream).unwrap();
        cursor.note_unmatched();
        let mut rows_out = 0;
        let mut rows = Vec::new();
        while let Some(batch) = cursor.next_batch().unwrap() {
            assert!(batch.num_rows() > 0 && batch.num_rows() <= self.options.max_output_rows);
            assert_eq!(batch.schema_ref(), join.output_schema());
            rows_out += batch.num_rows() as u64;
            let numbers = batch.column(batch.num_columns() - 1).as_primitive::<UInt32Type>();
            assert_eq!(numbers.null_count(), 0);
            rows.extend_from_slice(numbers.values());
            self.collect(&batch, out);
        }
        self.check_rows(stream, &rows, &out[out.len() - rows.len()..]);
        if self.join_type.is_existence() {
            let mut expected = vec![false; stream.num_rows()];
            rows.iter().for_each(|&row| expected[row as usize] = true);
            assert_eq!(join.mask(stream).unwrap(), BooleanBuffer::from(expected), "{self:?}");
        } else {
            assert!(join.mask(stream).is_err());
        }
        let stats = cursor.stats();
        assert_eq!((stats.rows_in, stats.rows_out), (stream.num_rows() as u64, rows_out));
        assert_eq!(stats.rows_matched + stats.rows_unmatched, stats.rows_in);
        let unmatched = cursor.take_unmatched().unwrap();
        assert_eq!(unmatched.len() as u64, stats.rows_unmatched);
        unmatched
    }

    /// Checks the numbers of the stream's rows in the output, and their order.
    fn check_rows(&self, stream: &RecordBatch, rows: &[u32], out: &[OutRow]) {
        let ids = stream.column(self.null_safe.len() + 1).as_primitive::<Int64Type>();
        for (&row, &(id, _)) in rows.iter().zip(out) {
            assert_eq!(Some(ids.value(row as usize)), id, "{self:?}");
        }
        if self.options.output_order == OutputOrder::Stream {
            assert!(rows.is_sorted(), "{self:?}");
        }
    }

    fn collect(&self, batch: &RecordBatch, out: &mut Vec<OutRow>) {
        let width = self.null_safe.len() + 3;
        let (stream_at, dimension_at) = match self.stream_side {
            Side::Left => (0, width),
            Side::Right => (width, 0),
        };
        let ids = |at: usize| -> Vec<Option<i64>> {
            if at + width > batch.num_columns() {
                return vec![None; batch.num_rows()];
            }
            let ids = batch.column(at + width - 2).as_primitive::<Int64Type>();
            let texts = batch.column(at + width - 1).as_string::<i32>();
            for (id, found) in ids.iter().zip(texts) {
                assert_eq!(id.map(text).as_deref(), found);
            }
            ids.iter().collect()
        };
        out.extend(ids(stream_at).into_iter().zip(ids(dimension_at)));
    }
}

/// All output of one push, in one batch.
pub(crate) fn push_all(join: &stream_static::Join, batch: &RecordBatch) -> RecordBatch {
    let mut cursor = join.push(batch).unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = cursor.next_batch().unwrap() {
        batches.push(batch);
    }
    concat_batches(join.output_schema(), &batches).unwrap()
}
