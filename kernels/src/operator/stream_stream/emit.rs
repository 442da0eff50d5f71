//! Row numbers to output batches, in bounded pieces.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow::buffer::BooleanBuffer;

use super::pending::{Piece, Rows};
use super::plan::Kept;
use super::shared::Shared;
use super::task::Task;
use crate::error::Result;
use crate::operator::columns::too_large;
use crate::probe::{gather, row_bytes};
use crate::side::Side;

impl Task<'_> {
    /// The next piece of what is pending; none if nothing is.
    pub(super) fn emit(&mut self, shared: &Shared<'_>) -> Result<Option<Piece>> {
        let from = self.pending.emitted;
        if from == self.pending.len() {
            return Ok(None);
        }
        let started = Instant::now();
        let rows = self.fitting(from, shared)?;
        let schema = Arc::clone(&shared.join.plan.output_schema);
        let columns = self
            .columns(&shared.join.plan.output, from..from + rows, shared)
            .map_err(|error| too_large(error, &schema))?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let output = RecordBatch::try_new_with_options(schema, columns, &options)?;
        self.pending.emitted = from + rows;
        self.report.rows_out += rows as u64;
        let unmatched_of = match self.pending.rows {
            Rows::Nothing | Rows::Pairs(..) => None,
            Rows::New(side, _) | Rows::Unmatchable(side, _) | Rows::Stored(side, _) => {
                shared.join.plan.sides[side].preserved.then_some(side)
            }
        };
        self.report.rows_unmatched += if unmatched_of.is_some() { rows as u64 } else { 0 };
        self.report.times.materialise += started.elapsed();
        Ok(Some(Piece { rows: output, unmatched_of }))
    }

    /// Drops the pairs that fail the residual condition.
    pub(super) fn apply_residual(&mut self, shared: &Shared<'_>) -> Result<()> {
        let Some(residual) = &shared.join.plan.residual else { return Ok(()) };
        self.report.residual_pairs += self.pending.len() as u64;
        let mut keep = Vec::with_capacity(self.pending.len());
        while keep.len() < self.pending.len() {
            let from = keep.len();
            let rows = self.fitting(from, shared)?;
            let columns = self.columns(&residual.slots, from..from + rows, shared)?;
            keep.extend(residual.filter.evaluate(&columns, rows)?.iter());
        }
        if let Rows::Pairs(_, pairs) = &mut self.pending.rows {
            pairs.retain_from(0, &BooleanBuffer::from(keep));
        }
        Ok(())
    }

    /// How many of the pending rows from `from` on make up one batch.
    fn fitting(&self, from: usize, shared: &Shared<'_>) -> Result<usize> {
        let rows = shared.join.options.max_output_rows.min(self.pending.len() - from);
        let bytes = shared.join.options.max_output_bytes;
        let new = |columns: &[ArrayRef]| {
            let row: usize = columns.iter().map(row_bytes).sum();
            (bytes / 2 / row.max(1)).max(1)
        };
        let stored = |side: Side, bytes: usize| {
            let rows = &self.pending.stored_rows()[from..from + rows];
            self.partition.stores[side].rows_within(rows, bytes)
        };
        Ok(rows.min(match self.pending.rows {
            Rows::Nothing => rows,
            Rows::Pairs(side, _) => {
                new(&shared.intakes[side].payload).min(stored(side.opposite(), bytes / 2)?)
            }
            Rows::New(side, _) => new(&shared.intakes[side].payload),
            Rows::Unmatchable(side, _) => new(&shared.intakes[side].unmatchable),
            Rows::Stored(side, _) => stored(side, bytes)?,
        }))
    }

    /// Kept columns of a range of the pending rows.
    fn columns(
        &mut self,
        wanted: &[Kept],
        range: Range<usize>,
        shared: &Shared<'_>,
    ) -> Result<Vec<ArrayRef>> {
        let [new, stored] = [self.pending.new_rows(), self.pending.stored_rows()]
            .map(|rows| rows.get(range.clone()).unwrap_or_default());
        // Which side's columns come from where.
        let (of_new, columns, of_stored) = match self.pending.rows {
            Rows::Nothing => (None, &[][..], None),
            Rows::Pairs(side, _) => {
                (Some(side), &shared.intakes[side].payload[..], Some(side.opposite()))
            }
            Rows::New(side, _) => (Some(side), &shared.intakes[side].payload[..], None),
            Rows::Unmatchable(side, _) => (Some(side), &shared.intakes[side].unmatchable[..], None),
            Rows::Stored(side, _) => (None, &[][..], Some(side)),
        };
        let from_store: Vec<usize> = wanted
            .iter()
            .filter(|kept| of_stored == Some(kept.side))
            .map(|kept| kept.column)
            .collect();
        let mut gathered = match of_stored {
            Some(side) => self.partition.stores[side].gather(&from_store, stored)?,
            None => Vec::new(),
        }
        .into_iter();
        let copied = wanted.iter().filter(|k| of_new == Some(k.side) || of_stored == Some(k.side));
        self.report.values_gathered += (copied.count() * range.len()) as u64;
        let null = |kept: &Kept| {
            let types = &shared.join.plan.sides[kept.side].kept_types;
            new_null_array(&types[kept.column], range.len())
        };
        wanted
            .iter()
            .map(|kept| {
                if of_new == Some(kept.side) {
                    gather(&columns[kept.column], new)
                } else if of_stored == Some(kept.side) {
                    Ok(gathered.next().unwrap_or_else(|| null(kept)))
                } else {
                    Ok(null(kept))
                }
            })
            .collect()
    }
}
