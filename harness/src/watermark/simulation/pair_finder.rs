//! Finds the pairs that any of the delays sees: an inner join at the greatest.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Int64Array, RecordBatch, UInt32Array, UInt64Array,
};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{DataType, Field, Int64Type, Schema, UInt32Type, UInt64Type};
use streamjoin_kernels::time::TimeDelta;
use streamjoin_kernels::{
    JoinType, OutputColumn, OutputMode, Result, Side, SideColumn, Sides, stream_stream,
};

use super::ascending::{AscendingDelays, PairRow};
use super::delays::Delays;
use super::intake::Seen;

/// Columns before those of the groups: a row's number, its time.
const BEFORE_CHAINS: usize = 2;

/// The join that finds pairs. What it is given is numbered, and carries what
/// the groups ask about a pair: the time, and for each group the first delay at
/// which the row is accepted.
///
/// It sees no row that all delays drop, and its watermark waits at least as
/// long as every delay's, so that it finds every pair that one of them finds.
#[derive(Debug)]
pub(crate) struct PairFinder {
    join: stream_stream::Join,
    schemas: Sides<Arc<Schema>>,
    groups: usize,
}

impl PairFinder {
    pub(crate) fn new(spec: &stream_stream::Spec, greatest: Delays, groups: usize) -> Result<Self> {
        let mut fields = vec![
            Field::new("row", DataType::UInt64, false),
            Field::new("time", DataType::Int64, true),
        ];
        for group in 0..groups {
            fields.push(Field::new(format!("from {group}"), DataType::UInt32, false));
        }
        let Sides { left, right } = Sides::new(|side| {
            let input = spec.input(side);
            let columns = input.schema.fields().iter().map(|field| field.as_ref().clone());
            let columns = columns.chain(fields.clone()).collect::<Vec<_>>();
            let mut carrying = stream_stream::Input::new(Arc::new(Schema::new(columns)));
            carrying.event_time = input.event_time;
            carrying.watermark_delay = greatest.on(side).map(TimeDelta::from_micros);
            carrying
        });
        let output = Side::BOTH.into_iter().flat_map(|side| {
            let given = spec.input(side).schema.fields().len();
            let carried = fields.iter().enumerate();
            carried.map(move |(column, field)| OutputColumn {
                source: SideColumn { side, column: given + column },
                name: field.name().clone(),
            })
        });
        let schemas = Sides { left: Arc::clone(&left.schema), right: Arc::clone(&right.schema) };
        let mut pairs = spec.clone().with_output_mode(OutputMode::Append);
        (pairs.join_type, pairs.output) = (JoinType::Inner, output.collect());
        (pairs.left, pairs.right) = (left, right);
        let join = stream_stream::Join::new(pairs, stream_stream::Options::default())?;
        Ok(Self { join, schemas, groups })
    }

    /// Adds the pairs of a batch to the groups. `first` numbers the rows of each
    /// side that may enter the state.
    pub(crate) fn push(
        &mut self,
        sides: Sides<&[RecordBatch]>,
        seen: &Sides<Seen>,
        first: Sides<u64>,
        groups: &mut [AscendingDelays],
    ) -> Result<()> {
        let rows = |side: Side| {
            let (batches, seen) = (sides[side], &seen[side]);
            self.carrying(side, batches, seen, first[side], groups)
        };
        let (left, right) = (rows(Side::Left)?, rows(Side::Right)?);
        let Some(mut output) = self.join.push(&left, &right)? else { return Ok(()) };
        while let Some(pairs) = output.next_batch()? {
            add_pairs(&pairs, self.groups, groups);
        }
        Ok(())
    }

    /// The rows of a side that some delay accepts.
    fn carrying(
        &self,
        side: Side,
        batches: &[RecordBatch],
        seen: &Seen,
        first: u64,
        groups: &[AscendingDelays],
    ) -> Result<Vec<RecordBatch>> {
        let mut times =
            seen.times.iter().zip(&seen.passes).filter(|(_, pass)| **pass).map(|(time, _)| *time);
        let mut of_groups: Vec<_> = groups.iter().map(|group| group.accepted(side)).collect();
        let mut next = first;
        let carried = batches.iter().zip(&seen.passing).map(|(batch, passing)| {
            let rows = passing.count_set_bits();
            let mut accepted = vec![false; rows];
            let mut columns: Vec<ArrayRef> = vec![
                Arc::new(UInt64Array::from_iter_values(next..next + rows as u64)),
                Arc::new(times.by_ref().take(rows).collect::<Int64Array>()),
            ];
            next += rows as u64;
            for group in &mut of_groups {
                let from = group.by_ref().take(rows).zip(&mut accepted);
                let from = from.map(|((from, is_accepted), accepted)| {
                    *accepted |= is_accepted;
                    from as u32
                });
                columns.push(Arc::new(from.collect::<UInt32Array>()));
            }
            let batch = filter_record_batch(batch, &mask(passing.clone()))?;
            columns.splice(0..0, batch.columns().iter().cloned());
            let batch = RecordBatch::try_new(Arc::clone(&self.schemas[side]), columns)?;
            Ok(filter_record_batch(&batch, &mask(accepted.into()))?)
        });
        carried.collect()
    }

    /// Runs the batch without input, if one is due: it finds nothing.
    pub(crate) fn advance(&mut self) -> Result<()> {
        if let Some(mut output) = self.join.advance()? {
            while output.next_batch()?.is_some() {}
        }
        Ok(())
    }

    pub(crate) fn set_taking_part(&mut self, side: Side, takes_part: bool) {
        self.join.set_taking_part(side, takes_part);
    }
}

fn mask(rows: BooleanBuffer) -> BooleanArray {
    BooleanArray::new(rows, None)
}

/// Adds pairs to each group.
fn add_pairs(pairs: &RecordBatch, number: usize, groups: &mut [AscendingDelays]) {
    let width = BEFORE_CHAINS + number;
    for (place, group) in groups.iter_mut().enumerate() {
        let partner = |side: usize, pair: usize| {
            let column = |column: usize| pairs.column(side * width + column);
            let times = column(1).as_primitive::<Int64Type>();
            let nulls: Option<&NullBuffer> = times.nulls();
            PairRow {
                row: column(0).as_primitive::<UInt64Type>().value(pair),
                time: nulls.is_none_or(|n| n.is_valid(pair)).then(|| times.value(pair)),
                from: column(BEFORE_CHAINS + place).as_primitive::<UInt32Type>().value(pair)
                    as usize,
            }
        };
        for pair in 0..pairs.num_rows() {
            group.pair(partner(0, pair), partner(1, pair));
        }
    }
}
