//! Row numbers to output batches, in bounded pieces.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow::buffer::BooleanBuffer;

use super::batch::Shared;
use super::plan::Kept;
use super::task::Task;
use crate::error::Result;
use crate::operator::columns::too_large;
use crate::pairs::Pairs;
use crate::probe::{gather, row_bytes};
use crate::side::Side;

/// Rows that come out.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) rows: RecordBatch,
    /// Set if no row matched any of these, which are of that side.
    pub(super) unmatched_of: Option<Side>,
}

/// Rows that are to come out.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Probe rows are new ones, build rows are stored ones; of rows that come
    /// out alone only one list is filled.
    pub(super) pairs: Pairs,
    kind: Kind,
    given_out: usize,
}

#[derive(Clone, Copy, Debug, Default)]
enum Kind {
    #[default]
    Nothing,
    /// New rows of this side with stored ones of the other.
    Pairs(Side),
    /// New rows of this side.
    New(Side),
    /// Rows of this side that the intake set apart.
    Unmatchable(Side),
    /// Stored rows of this side.
    Stored(Side),
}

impl Pending {
    /// Pairs to be found, in the buffers of what was given out before.
    pub(super) fn pairs(side: Side, before: Self) -> Self {
        let mut pairs = before.pairs;
        pairs.clear();
        Self { pairs, kind: Kind::Pairs(side), given_out: 0 }
    }

    pub(super) fn new_rows(side: Side, rows: Vec<u32>) -> Self {
        Self::of_probe(Kind::New(side), rows)
    }

    pub(super) fn unmatchable(side: Side, rows: Vec<u32>) -> Self {
        Self::of_probe(Kind::Unmatchable(side), rows)
    }

    pub(super) fn stored(side: Side, rows: Vec<u32>) -> Self {
        let pairs = Pairs { probe_rows: Vec::new(), build_rows: rows };
        Self { pairs, kind: Kind::Stored(side), given_out: 0 }
    }

    fn of_probe(kind: Kind, rows: Vec<u32>) -> Self {
        let pairs = Pairs { probe_rows: rows, build_rows: Vec::new() };
        Self { pairs, kind, given_out: 0 }
    }

    fn len(&self) -> usize {
        self.pairs.probe_rows.len().max(self.pairs.build_rows.len())
    }
}

impl Task<'_> {
    /// The next piece of what is pending; none if nothing is.
    pub(super) fn emit(&mut self, shared: &Shared<'_>) -> Result<Option<Piece>> {
        let from = self.pending.given_out;
        if from == self.pending.len() {
            return Ok(None);
        }
        let started = Instant::now();
        let rows = self.fitting(from, shared);
        let schema = Arc::clone(&shared.plan.output_schema);
        let columns = self
            .columns(&shared.plan.output, from..from + rows, shared)
            .map_err(|error| too_large(error, &schema))?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let output = RecordBatch::try_new_with_options(schema, columns, &options)?;
        self.pending.given_out = from + rows;
        self.report.rows_out += rows as u64;
        let unmatched_of = match self.pending.kind {
            Kind::Nothing | Kind::Pairs(_) => None,
            Kind::New(side) | Kind::Unmatchable(side) | Kind::Stored(side) => {
                shared.plan.side(side).preserved.then_some(side)
            }
        };
        self.report.rows_unmatched += if unmatched_of.is_some() { rows as u64 } else { 0 };
        self.report.times.materialise += started.elapsed();
        Ok(Some(Piece { rows: output, unmatched_of }))
    }

    /// Drops the pairs that fail the residual condition.
    pub(super) fn apply_residual(&mut self, shared: &Shared<'_>) -> Result<()> {
        let Some(residual) = &shared.plan.residual else { return Ok(()) };
        self.report.residual_pairs += self.pending.len() as u64;
        let mut keep = Vec::with_capacity(self.pending.len());
        while keep.len() < self.pending.len() {
            let from = keep.len();
            let rows = self.fitting(from, shared);
            let columns = self.columns(&residual.slots, from..from + rows, shared)?;
            keep.extend(residual.filter.evaluate(&columns, rows)?.iter());
        }
        self.pending.pairs.retain_from(0, &BooleanBuffer::from(keep));
        Ok(())
    }

    /// How many of the pending rows from `from` on make up one batch.
    fn fitting(&self, from: usize, shared: &Shared<'_>) -> usize {
        let rows = shared.options.max_output_rows.min(self.pending.len() - from);
        let bytes = shared.options.max_output_bytes;
        let new = |columns: &[ArrayRef]| {
            let row: usize = columns.iter().map(row_bytes).sum();
            (bytes / 2 / row.max(1)).max(1)
        };
        let stored = |side: Side, bytes: usize| {
            let rows = &self.pending.pairs.build_rows[from..from + rows];
            self.partition.store(side).rows_within(rows, bytes)
        };
        rows.min(match self.pending.kind {
            Kind::Nothing => rows,
            Kind::Pairs(side) => {
                new(&shared.intake(side).payload).min(stored(side.opposite(), bytes / 2))
            }
            Kind::New(side) => new(&shared.intake(side).payload),
            Kind::Unmatchable(side) => new(&shared.intake(side).unmatchable),
            Kind::Stored(side) => stored(side, bytes),
        })
    }

    /// Kept columns of a range of the pending rows.
    fn columns(
        &mut self,
        wanted: &[Kept],
        range: Range<usize>,
        shared: &Shared<'_>,
    ) -> Result<Vec<ArrayRef>> {
        let pairs = &self.pending.pairs;
        let [new, stored] = [&pairs.probe_rows, &pairs.build_rows]
            .map(|rows| rows.get(range.clone()).unwrap_or_default());
        // Which side's columns come from where.
        let (of_new, columns, of_stored) = match self.pending.kind {
            Kind::Nothing => (None, &[][..], None),
            Kind::Pairs(side) => {
                (Some(side), &shared.intake(side).payload[..], Some(side.opposite()))
            }
            Kind::New(side) => (Some(side), &shared.intake(side).payload[..], None),
            Kind::Unmatchable(side) => (Some(side), &shared.intake(side).unmatchable[..], None),
            Kind::Stored(side) => (None, &[][..], Some(side)),
        };
        let from_store: Vec<usize> = wanted
            .iter()
            .filter(|kept| of_stored == Some(kept.side))
            .map(|kept| kept.column)
            .collect();
        let mut gathered = match of_stored {
            Some(side) => self.partition.store(side).gather(&from_store, stored)?,
            None => Vec::new(),
        }
        .into_iter();
        let copied = wanted.iter().filter(|k| of_new == Some(k.side) || of_stored == Some(k.side));
        self.report.values_gathered += (copied.count() * range.len()) as u64;
        let null = |kept: &Kept| {
            let types = &shared.plan.side(kept.side).kept_types;
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
