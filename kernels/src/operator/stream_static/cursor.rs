//! The output of a push, in bounded pieces.

use std::collections::VecDeque;
use std::iter::FusedIterator;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::buffer::BooleanBuffer;

use super::exchange::{ranges, units};
use super::filtered::drop_filtered;
use super::in_order::InOrder;
use super::options::OutputOrder;
use super::planned::Planned;
use super::report::Stats;
use super::unit::Unit;
use super::work::Work;
use crate::error::{JoinError, Result};
use crate::snapshot::TableSnapshot;

/// The output of [`Join::push`](super::Join::push), computed on demand: an
/// iterator that owns all it needs, so that it can be kept, sent to another
/// thread, and outlive the join.
///
/// Memory is bounded by the units of work in flight (a few per thread), whatever
/// the fan-out. In which order the output comes is said by
/// [`OutputOrder`](super::OutputOrder); it never depends on the timing of threads.
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
    waiting: VecDeque<Work>,
    running: Vec<Running>,
    /// Output in order; nothing comes after an error.
    ready: VecDeque<Result<RecordBatch>>,
    progress: Progress,
    /// The rows that passed the one-sided filter, where some did not.
    passed: Option<BooleanBuffer>,
    /// The batch's row numbers of rows without a match, if they are asked for.
    unmatched: Option<Vec<u32>>,
    stats: Stats,
}

/// Work that has begun.
#[derive(Debug)]
struct Running {
    work: Work,
    /// Output that has to wait for that of work before it, or an error.
    held: Option<Result<RecordBatch>>,
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
        let started = Instant::now();
        cursor.waiting = match cursor.join.options.output_order {
            OutputOrder::Any => {
                let units = units(&cursor.join, &cursor.snapshot, &cursor.columns, passed)?;
                units.into_iter().map(|rows| Work::AsFound(Unit::new(rows))).collect()
            }
            OutputOrder::Stream => {
                let ranges = ranges(passed, cursor.join.options.unit_rows(passed));
                ranges.map(|rows| Work::InOrder(InOrder::new(rows))).collect()
            }
        };
        cursor.stats.keys += started.elapsed();
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
            self.step_all();
            self.collect();
        }
    }

    /// Lets all work go on that holds no output.
    fn step_all(&mut self) {
        let (join, snapshot, columns) = (&*self.join, &*self.snapshot, &self.columns[..]);
        let idle: Vec<_> =
            self.running.iter_mut().filter(|running| running.held.is_none()).collect();
        let _: Vec<Result<()>> = join.options.run(idle, |running| {
            running.held = running.work.step(join, snapshot, columns).transpose();
            Ok(())
        });
    }

    /// Takes over output in the order of the work; work that has ended makes room
    /// for what waits.
    fn collect(&mut self) {
        let in_order = self.join.options.output_order == OutputOrder::Stream;
        let mut going_on = Vec::with_capacity(self.running.len());
        let mut blocked = false;
        for mut running in self.running.drain(..) {
            if !blocked && let Some(output) = running.held.take() {
                let failed = output.is_err();
                self.ready.push_back(output);
                if failed {
                    // What comes after it never comes out.
                    break;
                }
            }
            if running.held.is_some() || !running.work.is_done() {
                blocked |= in_order;
                going_on.push(running);
                continue;
            }
            self.stats.add(&running.work.stats());
            if let (Some(all), Some(rows)) = (&mut self.unmatched, running.work.into_unmatched()) {
                all.extend(rows);
            }
        }
        self.running = going_on;
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
        self.running.iter().for_each(|running| stats.add(&running.work.stats()));
        stats
    }

    fn refill(&mut self) {
        // A few units per thread even out their differences.
        let width = match self.join.options.threads() {
            1 => 1,
            threads => 4 * threads,
        };
        while self.running.len() < width
            && let Some(mut work) = self.waiting.pop_front()
        {
            if self.unmatched.is_some() {
                work.note_unmatched();
            }
            self.running.push(Running { work, held: None });
        }
    }
}

impl Iterator for Cursor {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.progress == Progress::Failed { None } else { self.next_batch().transpose() }
    }
}

impl FusedIterator for Cursor {}
