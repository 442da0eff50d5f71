//! The output of a push, in bounded pieces.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch};
use arrow::buffer::BooleanBuffer;
use arrow::compute::filter;

use super::encode::passed;
use super::exchange::{UnitRows, exchange};
use super::planned::Planned;
use super::report::Stats;
use super::unit::Unit;
use crate::error::Result;
use crate::snapshot::TableSnapshot;

/// The output of [`Join::push`](super::Join::push), computed on demand.
///
/// Memory is bounded by the units of work in flight (one per thread), whatever
/// the fan-out. The order of the output depends on the options alone, not on
/// the timing of threads.
#[derive(Debug)]
pub struct Cursor<'a> {
    join: &'a Planned,
    snapshot: Arc<TableSnapshot>,
    columns: Vec<ArrayRef>,
    waiting: VecDeque<Unit>,
    running: Vec<Unit>,
    ready: VecDeque<RecordBatch>,
    /// The rows that passed the one-sided filter, where some did not.
    passed: Option<BooleanBuffer>,
    /// The batch's row numbers of rows without a match, if they are asked for.
    unmatched: Option<Vec<u32>>,
    stats: Stats,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(
        join: &'a Planned,
        snapshot: Arc<TableSnapshot>,
        columns: Vec<ArrayRef>,
        rows: usize,
    ) -> Result<Self> {
        let (columns, mask) = drop_filtered(join, columns, rows)?;
        let passed = mask.as_ref().map_or(rows, BooleanBuffer::count_set_bits);
        let mut cursor = Self {
            join,
            snapshot,
            columns,
            waiting: VecDeque::new(),
            running: Vec::new(),
            ready: VecDeque::new(),
            passed: mask,
            unmatched: None,
            stats: Stats {
                rows_in: (rows - passed) as u64,
                rows_unmatched: (rows - passed) as u64,
                ..Stats::default()
            },
        };
        let rows = passed;
        let unit_rows = join.options.unit_rows(rows);
        if cursor.snapshot.parts().partition_bits > 0 {
            let started = Instant::now();
            let units = exchange(join, &cursor.snapshot, &cursor.columns, rows, unit_rows)?;
            cursor.waiting = units.into_iter().map(Unit::new).collect();
            cursor.stats.keys += started.elapsed();
        } else {
            let units = (0..rows)
                .step_by(unit_rows)
                .map(|start| Unit::new(UnitRows::Range(start, unit_rows.min(rows - start))));
            cursor.waiting = units.collect();
        }
        Ok(cursor)
    }

    /// The next output batch; none when there are no more. Never an empty one.
    ///
    /// # Errors
    /// Errors of casts and predicates, and
    /// [`OutputTooLarge`](crate::JoinError::OutputTooLarge) for a single row
    /// that Arrow's offsets cannot hold.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Ok(Some(batch));
            }
            self.refill();
            if self.running.is_empty() {
                return Ok(None);
            }
            let steps = self.step_all()?;
            // Output is kept in the order of the units; a unit that has ended
            // makes room for the next one.
            let mut units = Vec::with_capacity(self.running.len());
            for (unit, step) in self.running.drain(..).zip(steps) {
                self.ready.extend(step);
                if unit.is_done() {
                    self.stats.add(&unit.stats);
                    if let (Some(all), Some(rows)) = (&mut self.unmatched, unit.unmatched) {
                        all.extend(rows);
                    }
                } else {
                    units.push(unit);
                }
            }
            self.running = units;
        }
    }

    /// Asks for the rows without a match; call it before the first
    /// [`next_batch`](Self::next_batch). It costs one check per row.
    pub fn note_unmatched(&mut self) {
        self.unmatched = Some(Vec::new());
    }

    /// The rows of the batch, by number and ascending, that have no match:
    /// those that fail the stream's own condition are among them. Complete, as
    /// many as [`Stats::rows_unmatched`] says, once
    /// [`next_batch`](Self::next_batch) has returned none; empty unless
    /// [`note_unmatched`](Self::note_unmatched) asked for them.
    #[must_use]
    pub fn take_unmatched(&mut self) -> Vec<u32> {
        let Some(mut rows) = self.unmatched.take() else { return Vec::new() };
        if let Some(passed) = &self.passed {
            let of_batch: Vec<u32> = passed.set_indices().map(|row| row as u32).collect();
            rows.iter_mut().for_each(|row| *row = of_batch[*row as usize]);
            rows.extend((!passed).set_indices().map(|row| row as u32));
        }
        // Partitions and threads return them in another order.
        rows.sort_unstable();
        rows
    }

    /// What was done so far; complete once [`next_batch`](Self::next_batch)
    /// has returned none.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let mut stats = self.stats;
        self.running.iter().for_each(|unit| stats.add(&unit.stats));
        stats
    }

    fn refill(&mut self) {
        // A few units per thread even out their differences.
        let width = match self.join.options.threads() {
            1 => 1,
            threads => 4 * threads,
        };
        while self.running.len() < width
            && let Some(mut unit) = self.waiting.pop_front()
        {
            unit.unmatched = self.unmatched.is_some().then(Vec::new);
            self.running.push(unit);
        }
    }

    fn step_all(&mut self) -> Result<Vec<Option<RecordBatch>>> {
        let (join, snapshot, columns) = (self.join, &*self.snapshot, &self.columns[..]);
        let units = self.running.iter_mut().collect();
        join.options.run(units, |unit: &mut Unit| unit.step(join, snapshot, columns))
    }
}

/// Where no stream row is preserved, those that fail the one-sided filter are
/// gone before their keys are looked at, as Spark pushes the filter below the
/// join: a malformed key in such a row is not an error. Returns the columns and
/// which rows they belong to, unless that is all of them.
fn drop_filtered(
    join: &Planned,
    columns: Vec<ArrayRef>,
    rows: usize,
) -> Result<(Vec<ArrayRef>, Option<BooleanBuffer>)> {
    if join.plan.preserves_stream() {
        return Ok((columns, None));
    }
    let Some(passed) = passed(&join.plan, &columns, rows)? else { return Ok((columns, None)) };
    if passed.count_set_bits() == rows {
        return Ok((columns, None));
    }
    let mask = BooleanArray::new(passed.clone(), None);
    let kept = columns.iter().map(|column| Ok(filter(column, &mask)?)).collect::<Result<_>>()?;
    Ok((kept, Some(passed)))
}
