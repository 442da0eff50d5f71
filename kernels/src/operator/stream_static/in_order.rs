//! Rows of a micro-batch whose output keeps their order.
//!
//! A block of rows is looked up at once and its output sorted, if there is
//! little enough of it; if there is too much, half of the block is tried. The
//! output of a single row is in order as it comes, so that a row with any number
//! of matches takes no more memory than a block does.

use std::ops::Range;
use std::time::Instant;

use arrow::array::{ArrayRef, RecordBatch};

use super::exchange::neighbours;
use super::planned::Planned;
use super::report::Stats;
use super::unit::Unit;
use crate::error::Result;
use crate::snapshot::TableSnapshot;

#[derive(Debug)]
pub(super) struct InOrder {
    /// Rows of the batch that no block has had yet.
    rows: Range<usize>,
    /// Rows of the next block, at most.
    block: usize,
    most: usize,
    /// The block whose output comes out.
    current: Option<Unit>,
    /// The batch's row numbers of rows without a match, if they are asked for.
    pub(super) unmatched: Option<Vec<u32>>,
    stats: Stats,
}

impl InOrder {
    pub(super) fn new(rows: Range<usize>) -> Self {
        let most = rows.len();
        Self { rows, block: most, most, current: None, unmatched: None, stats: Stats::default() }
    }

    /// Whether all of its output has been returned.
    pub(super) fn is_done(&self) -> bool {
        self.rows.is_empty() && self.current.as_ref().is_none_or(Unit::is_done)
    }

    pub(super) fn stats(&self) -> Stats {
        let mut stats = self.stats;
        self.current.iter().for_each(|unit| stats.add(&unit.stats));
        stats
    }

    /// The next output batch, never an empty one; none when there is no more.
    pub(super) fn step(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
    ) -> Result<Option<RecordBatch>> {
        // Pairs of a block, at most: as many as its rows have where each has one.
        let limit = join.options.max_output_rows.max(self.most);
        loop {
            if let Some(unit) = &mut self.current {
                if let Some(output) = unit.step(join, snapshot, batch)? {
                    if unit.is_done() {
                        self.end_block(limit);
                    }
                    return Ok(Some(output));
                }
                self.end_block(limit);
            }
            if self.rows.is_empty() {
                return Ok(None);
            }
            self.current = Some(self.next_block(join, snapshot, batch, limit)?);
        }
    }

    /// The next rows, looked up: as many as have at most `limit` output rows, but one.
    fn next_block(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
        limit: usize,
    ) -> Result<Unit> {
        loop {
            let rows = self.rows.start..self.rows.end.min(self.rows.start + self.block);
            let started = Instant::now();
            let unit_rows = neighbours(join, snapshot, batch, rows.clone())?;
            let exchanged = started.elapsed();
            let mut unit = Unit::new(unit_rows);
            unit.stats.keys += exchanged;
            unit.unmatched = self.unmatched.is_some().then(Vec::new);
            if rows.len() == 1 || unit.find_in_order(join, snapshot, batch, limit, rows.start)? {
                self.rows.start = rows.end;
                return Ok(unit);
            }
            // The work was done, but its rows will be joined again.
            self.stats.add(&Stats { rows_in: 0, rows_matched: 0, rows_unmatched: 0, ..unit.stats });
            self.block = rows.len() / 2;
        }
    }

    /// Takes in what a block has counted, and makes the next one larger after one
    /// that left much room.
    fn end_block(&mut self, limit: usize) {
        let Some(unit) = self.current.take() else { return };
        if unit.stats.rows_out <= limit as u64 / 2 {
            self.block = (2 * self.block).min(self.most);
        }
        self.stats.add(&unit.stats);
        if let (Some(all), Some(rows)) = (&mut self.unmatched, unit.unmatched) {
            all.extend(rows);
        }
    }
}
