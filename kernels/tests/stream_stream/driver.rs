//! Runs a query through the operator and compares every batch.

use std::sync::{Arc, LazyLock};

use streamjoin_kernels::arrow;
use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::compute::{cast, concat_batches};
use streamjoin_kernels::arrow::datatypes::*;
use streamjoin_kernels::stream_stream::{self, BatchKind, End, SideReport};
use streamjoin_kernels::time::{
    Bound, IntervalCondition, TimeCondition, TimeDelta, TimeKey, Timestamp, WatermarkPolicy,
    window_start,
};
use streamjoin_kernels::{
    Filter, JoinType, KeyPair, Predicate, Result, Side, SideColumn, StoreKind,
};

use crate::columns::{KEY_TYPES, KeyType};
use crate::oracle::{Counts, Executed, Oracle, OutRow};
use crate::query::{End as Distance, Query, Row};

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

/// How the rows reach the operator; none of it changes the answer.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) options: stream_stream::Options,
    /// Rows of a record batch; a micro-batch is cut into such.
    pub(crate) chunk: usize,
    /// Rows in front of each record batch that are sliced off.
    pub(crate) offset: usize,
    /// The type of the event time column.
    pub(crate) unit: TimeUnit,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            options: stream_stream::Options::default(),
            chunk: usize::MAX,
            offset: 0,
            unit: TimeUnit::Microsecond,
        }
    }
}

/// `left JOIN right ON k = k AND right - left BETWEEN lower AND upper`, in
/// microseconds, watermarks without delay on both sides.
pub(crate) fn between(join_type: JoinType, lower: i64, upper: i64) -> Query {
    Query {
        join_type,
        null_safe: vec![false],
        lower: Some((lower, true)),
        upper: Some((upper, true)),
        time_key: None,
        delays: [Some(0), Some(0)],
        policy: WatermarkPolicy::Min,
        no_data_batches: true,
        filters: [false, false],
        residual: false,
    }
}

/// A row with one key.
pub(crate) fn row(id: i64, key: u8, time: i64) -> Row {
    Row { id, keys: vec![Some(key)], time: Some(time), value: Some(1) }
}

/// A pool of up to four threads; none for one.
pub(crate) fn pool(threads: usize) -> Option<Arc<rayon::ThreadPool>> {
    static POOLS: LazyLock<[Arc<rayon::ThreadPool>; 3]> = LazyLock::new(|| {
        [2, 3, 4].map(|threads| {
            Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
        })
    });
    (threads > 1).then(|| Arc::clone(&POOLS[threads - 2]))
}

/// Compares a run over every store, in one part and in several; the executed
/// batches.
pub(crate) fn run(query: &Query, batches: &[MicroBatch]) -> Vec<Executed> {
    let mut executed = Vec::new();
    for store in StoreKind::ALL {
        for partitions in [1, 3] {
            let partitions = Some(partitions);
            let options =
                stream_stream::Options::default().with_store(store).with_partitions(partitions);
            let form = Form { options, ..Form::default() };
            executed = Run { query: query.clone(), types: &KEY_TYPES[..1], form }.check(batches);
        }
    }
    executed
}

/// All rows that came out before the end.
pub(crate) fn rows_of(executed: &[Executed]) -> Vec<OutRow> {
    let mut rows: Vec<OutRow> = executed.iter().flat_map(|batch| batch.rows.clone()).collect();
    rows.sort_unstable();
    rows
}

/// A micro-batch: the rows of both sides.
pub(crate) type MicroBatch = [Vec<Row>; 2];

/// A query, its key types, and how its rows come.
pub(crate) struct Run<'a> {
    pub(crate) query: Query,
    pub(crate) types: &'a [KeyType],
    pub(crate) form: Form,
}

fn bound(end: Distance) -> Option<Bound> {
    end.map(|(micros, inclusive)| Bound { distance: TimeDelta::from_micros(micros), inclusive })
}

fn text(id: i64) -> String {
    format!("{id}{}", "-".repeat((id % 23) as usize))
}

impl Run<'_> {
    fn table(&self, side: usize, rows: &[Row]) -> RecordBatch {
        let mut columns: Vec<(String, ArrayRef)> = Vec::new();
        for (i, key_type) in self.types.iter().enumerate() {
            let keys: Vec<Option<u8>> = rows.iter().map(|row| row.keys[i]).collect();
            let make = if side == 0 { key_type.stream } else { key_type.dimension };
            columns.push((format!("k{i}"), make(&keys)));
        }
        let times: TimestampMicrosecondArray = rows.iter().map(|row| row.time).collect();
        let to = DataType::Timestamp(self.form.unit, None);
        columns.push(("time".into(), cast(&times, &to).unwrap()));
        let ids = || rows.iter().map(|row| row.id);
        columns
            .push(("value".into(), Arc::new(rows.iter().map(|r| r.value).collect::<Int32Array>())));
        columns.push(("id".into(), Arc::new(Int64Array::from_iter_values(ids()))));
        let texts = StringArray::from_iter_values(ids().map(text));
        // As a dictionary on one side: it comes out by value.
        let to = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        columns.push((
            "text".into(),
            match side {
                0 => Arc::new(texts),
                _ => cast(&texts, &to).unwrap(),
            },
        ));
        if let Some(TimeKey::Window { width }) = self.query.time_key {
            let start = |time| window_start(Timestamp::from_micros(time), width).as_micros();
            let starts: Int64Array = rows.iter().map(|row| row.time.map(start)).collect();
            columns.push(("window".into(), Arc::new(starts)));
        }
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
            .unwrap()
    }

    pub(crate) fn spec(&self) -> stream_stream::Spec {
        let query = &self.query;
        let keys = self.types.len();
        let (time, value, id, window) = (keys, keys + 1, keys + 2, keys + 4);
        let input = |side: usize| {
            let input = stream_stream::Input::new(self.table(side, &[]).schema());
            let mut input = input.with_event_time(time).unwrap();
            input.watermark_delay = query.delays[side].map(TimeDelta::from_micros);
            input.filter = query.filters[side]
                .then(|| Filter { columns: vec![value], predicate: Arc::new(Compare) });
            if query.residual {
                input.not_null = vec![value];
            }
            input
        };
        let mut pairs: Vec<KeyPair> = (query.null_safe.iter().enumerate())
            .map(|(i, safe)| if *safe { KeyPair::null_safe(i, i) } else { KeyPair::equal(i, i) })
            .collect();
        match query.time_key {
            Some(TimeKey::EventTime) => pairs.push(KeyPair::equal(time, time)),
            Some(TimeKey::Window { .. }) => pairs.push(KeyPair::equal(window, window)),
            _ => {}
        }
        let interval = IntervalCondition { lower: bound(query.lower), upper: bound(query.upper) };
        let mut condition = TimeCondition::from(interval);
        condition.key = query.time_key;
        let mut spec =
            stream_stream::Spec::on(input(0), input(1), query.join_type, pairs, condition).unwrap();
        spec.output.retain(|column| column.source.column == id || column.source.column == id + 1);
        spec.policy = query.policy;
        spec.no_data_batches = query.no_data_batches;
        spec.residual = query.residual.then(|| Filter {
            columns: vec![SideColumn::left(value), SideColumn::right(value)],
            predicate: Arc::new(Compare),
        });
        spec
    }

    pub(crate) fn chunks(&self, side: usize, rows: &[Row]) -> Vec<RecordBatch> {
        if rows.is_empty() {
            return vec![];
        }
        let table = self.table(side, rows);
        let filler = table.slice(0, 1);
        let parts: Vec<_> =
            std::iter::repeat_n(&filler, self.form.offset).chain([&table]).collect();
        let whole = concat_batches(&table.schema(), parts).unwrap();
        let whole = whole.slice(self.form.offset, rows.len());
        let chunk = self.form.chunk.min(rows.len());
        (0..rows.len())
            .step_by(chunk)
            .map(|from| whole.slice(from, chunk.min(rows.len() - from)))
            .collect()
    }

    fn collect(&self, batch: &mut stream_stream::Batch<'_>) -> Vec<OutRow> {
        let mut rows: Vec<OutRow> = Vec::new();
        let mut alone = 0;
        while let Some(output) = batch.next_batch().unwrap() {
            let max = self.form.options.max_output_rows;
            assert!(output.num_rows() > 0 && output.num_rows() <= max);
            let ids = |at: usize| -> Vec<Option<i64>> {
                if at >= output.num_columns() {
                    return vec![None; output.num_rows()];
                }
                let ids = output.column(at).as_primitive::<Int64Type>();
                let texts = output.column(at + 1).as_string::<i32>();
                for (id, found) in ids.iter().zip(texts) {
                    assert_eq!(id.map(text).as_deref(), found);
                }
                ids.iter().collect()
            };
            let given: Vec<OutRow> = ids(0).into_iter().zip(ids(2)).collect();
            match batch.unmatched_of() {
                Some(Side::Left) => assert!(given.iter().all(|row| row.1.is_none()), "{given:?}"),
                Some(Side::Right) => assert!(given.iter().all(|row| row.0.is_none()), "{given:?}"),
                None => {}
            }
            alone += if batch.unmatched_of().is_some() { given.len() as u64 } else { 0 };
            rows.extend(given);
        }
        assert!(batch.next_batch().unwrap().is_none());
        assert_eq!(batch.report().rows_out, rows.len() as u64);
        assert_eq!(batch.report().rows_unmatched, alone);
        rows.sort_unstable();
        rows
    }

    pub(crate) fn executed(&self, batch: &mut stream_stream::Batch<'_>) -> Executed {
        let rows = self.collect(batch);
        let report = batch.report();
        let counts = |side: &SideReport| {
            let state = side.state;
            assert!(state.rows == 0 || state.index > 0);
            Counts {
                rows_in: side.rows_in,
                late: side.late,
                filtered: side.filtered + side.null_key,
                null_time: side.null_time,
                added: side.added,
                removed: side.removed,
                state: side.state.rows,
            }
        };
        Executed {
            no_data: report.kind == BatchKind::NoData,
            rows,
            watermark: report.watermark.map(Timestamp::as_millis),
            late_watermark: report.late_watermark.map(Timestamp::as_millis),
            sides: [counts(&report.left), counts(&report.right)],
        }
    }

    /// Pushes a micro-batch, and runs what follows it: the executed batches.
    pub(crate) fn push(
        &self,
        join: &mut stream_stream::Join,
        left: &[Row],
        right: &[Row],
    ) -> Vec<Executed> {
        let batch = join.push(&self.chunks(0, left), &self.chunks(1, right)).unwrap();
        let mut executed = Vec::from_iter(batch.map(|mut batch| self.executed(&mut batch)));
        let batch = join.advance().unwrap();
        executed.extend(batch.map(|mut batch| self.executed(&mut batch)));
        executed
    }

    /// Runs both and compares every batch, then the end, then the whole run.
    pub(crate) fn check(&self, batches: &[MicroBatch]) -> Vec<Executed> {
        let names: Vec<&str> = self.types.iter().map(|key_type| key_type.name).collect();
        let mut join = stream_stream::Join::new(self.spec(), self.form.options.clone()).unwrap();
        let mut oracle = Oracle::new(self.query.clone());
        let mut all = Vec::new();
        let mut executed = Vec::new();
        for (i, [left, right]) in batches.iter().enumerate() {
            let expected = oracle.push(left, right);
            let chunks = [self.chunks(0, left), self.chunks(1, right)];
            let batch = join.push(&chunks[0], &chunks[1]).unwrap();
            drop(chunks);
            let found = batch.map(|mut batch| self.executed(&mut batch));
            assert_eq!(found, expected, "batch {i} of {names:?} {:?} {:?}", self.query, self.form);
            executed.extend(found);
            let expected = oracle.advance();
            let found = join.advance().unwrap().map(|mut batch| self.executed(&mut batch));
            assert_eq!(
                found, expected,
                "after batch {i} of {names:?} {:?} {:?}",
                self.query, self.form
            );
            executed.extend(found);
        }
        all.extend(executed.iter().flat_map(|batch| batch.rows.iter().copied()));
        assert!(join.finish(End::Hold).unwrap().is_none());
        let mut last = Vec::new();
        if let Some(mut batch) = join.finish(End::Flush).unwrap() {
            last = self.collect(&mut batch);
            let report = batch.report();
            assert_eq!(report.left.state.rows + report.right.state.rows, 0);
        }
        assert_eq!(last, oracle.flush(), "flush of {:?}", self.query);
        for side in [Side::Left, Side::Right] {
            let size = join.state(side);
            assert_eq!((size.rows, size.payload, size.bitmap), (0, 0, 0), "{side} {size:?}");
        }
        all.extend(last);
        all.sort_unstable();
        if !oracle.loses_partners() {
            assert_eq!(all, oracle.whole_run(), "whole run of {:?}", self.query);
        }
        executed
    }
}
