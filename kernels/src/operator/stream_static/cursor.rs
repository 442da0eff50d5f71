//! The output of a push, in bounded pieces.

use std::collections::VecDeque;
use std::iter::FusedIterator;
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
use crate::error::{JoinError, Result};
use crate::snapshot::TableSnapshot;

/// The output of [`Join::push`](super::Join::push), computed on demand: an
/// iterator that owns all it needs, so that it can be kept, sent to another
/// thread, and outlive the join.
///
/// Memory is bounded by the units of work in flight (a few per thread), whatever
/// the fan-out. The order of the output depends on the options alone, not on
/// the timing of threads.
///
/// After an error the cursor is at its end: what came out before is right, and
/// nothing that would have come out before the error is missing; the rest is
/// lost. As an iterator it then returns none; [`next_batch`](Self::next_batch)
/// goes on to say that it failed. The join and its table are not affected.
#[derive(Debug)]
pub struct Cursor {
    join: Arc<Planned>,
    snapshot: Arc<TableSnapshot>,
    columns: Vec<ArrayRef>,
    waiting: VecDeque<Unit>,
    running: Vec<Unit>,
    /// Output in order; nothing comes after an error.
    ready: VecDeque<Result<RecordBatch>>,
    progress: Progress,
    /// The rows that passed the one-sided filter, where some did not.
    passed: Option<BooleanBuffer>,
    /// The batch's row numbers of rows without a match, if they are asked for.
    unmatched: Option<Vec<u32>>,
    stats: Stats,
}

/// How far a cursor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// There may be more.
    Open,
    /// A call is at work; if this is what the next call sees, it has panicked.
    Working,
    /// All output has been returned.
    Ended,
    /// A call has returned an error.
    Failed,
}

impl Cursor {
    pub(super) fn new(
        join: Arc<Planned>,
        snapshot: Arc<TableSnapshot>,
        columns: Vec<ArrayRef>,
        rows: usize,
    ) -> Result<Self> {
        let (columns, mask) = drop_filtered(&join, columns, rows)?;
        let passed = mask.as_ref().map_or(rows, BooleanBuffer::count_set_bits);
        let mut cursor = Self {
            join,
            snapshot,
            columns,
            waiting: VecDeque::new(),
            running: Vec::new(),
            ready: VecDeque::new(),
            progress: Progress::Open,
            passed: mask,
            unmatched: None,
            stats: Stats {
                rows_in: (rows - passed) as u64,
                rows_unmatched: (rows - passed) as u64,
                ..Stats::default()
            },
        };
        let rows = passed;
        let join = &*cursor.join;
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
    /// [`OutputTooLarge`](JoinError::OutputTooLarge) for a single row that Arrow's
    /// offsets cannot hold, once all output before it has been returned. After an
    /// error, or after a panic that was caught, [`Unfinished`](JoinError::Unfinished).
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        match self.progress {
            Progress::Open => {}
            Progress::Ended => return Ok(None),
            Progress::Working | Progress::Failed => {
                self.progress = Progress::Failed;
                return Err(JoinError::Unfinished);
            }
        }
        self.progress = Progress::Working;
        let next = self.advance();
        self.progress = match next {
            Ok(Some(_)) => Progress::Open,
            Ok(None) => Progress::Ended,
            Err(_) => Progress::Failed,
        };
        next
    }

    fn advance(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(outcome) = self.ready.pop_front() {
                return outcome.map(Some);
            }
            self.refill();
            if self.running.is_empty() {
                return Ok(None);
            }
            let steps = self.step_all();
            // Output is kept in the order of the units; a unit that has ended
            // makes room for the next one.
            let mut units = Vec::with_capacity(self.running.len());
            for (unit, step) in self.running.drain(..).zip(steps) {
                let failed = step.is_err();
                self.ready.extend(step.transpose());
                if failed {
                    break;
                }
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
    /// those that fail the stream's own condition are among them, as many as
    /// [`Stats::rows_unmatched`] says. Empty unless
    /// [`note_unmatched`](Self::note_unmatched) asked for them, and when they have
    /// been taken.
    ///
    /// # Errors
    /// [`Unfinished`](JoinError::Unfinished) as long as
    /// [`next_batch`](Self::next_batch) has not returned none, so also after a
    /// failure: then it is not known which rows have a match.
    pub fn take_unmatched(&mut self) -> Result<Vec<u32>> {
        if self.progress != Progress::Ended {
            return Err(JoinError::Unfinished);
        }
        let Some(mut rows) = self.unmatched.take() else { return Ok(Vec::new()) };
        if let Some(passed) = &self.passed {
            let of_batch: Vec<u32> = passed.set_indices().map(|row| row as u32).collect();
            rows.iter_mut().for_each(|row| *row = of_batch[*row as usize]);
            rows.extend((!passed).set_indices().map(|row| row as u32));
        }
        // Partitions and threads return them in another order.
        rows.sort_unstable();
        Ok(rows)
    }

    /// What was done so far; complete once [`next_batch`](Self::next_batch)
    /// has returned none. After a failure it tells how far the work came, and
    /// nothing about the rows that are missing.
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

    fn step_all(&mut self) -> Vec<Result<Option<RecordBatch>>> {
        let (join, snapshot, columns) = (&*self.join, &*self.snapshot, &self.columns[..]);
        let units = self.running.iter_mut().collect();
        join.options.run(units, |unit: &mut Unit| unit.step(join, snapshot, columns))
    }
}

impl Iterator for Cursor {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.progress == Progress::Failed { None } else { self.next_batch().transpose() }
    }
}

impl FusedIterator for Cursor {}

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
