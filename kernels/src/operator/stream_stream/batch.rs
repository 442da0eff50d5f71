//! The output of an executed batch: that of its partitions, in their order.

use std::collections::VecDeque;
use std::iter::FusedIterator;
use std::time::Instant;

use arrow::array::RecordBatch;

use super::admission::admit;
use super::intake::Intake;
use super::pending::Piece;
use super::planned::Planned;
use super::report::{BatchKind, BatchReport, BatchTimes, SideReport};
use super::shared::Shared;
use super::state::{JoinState, STATE};
use super::task::Task;
use super::threads;
use crate::error::{JoinError, Result};
use crate::memory::Reserved;
use crate::side::{Side, Sides};
use crate::time::{BatchWatermarks, Timestamp, Watermarks};

/// Output batches that a partition may have ready before it waits for the
/// others; most batches have fewer. Not measured.
const READY_BATCHES: usize = 16;

/// The output of one executed batch, computed on demand.
///
/// Read it to its end: the state changes on the way. If it is dropped before
/// that, or fails, the join refuses to go on: every later call returns
/// [`JoinError::Unfinished`]. It counts as failed from before it works until it
/// has succeeded, so that a panic of a predicate, caught by the caller, leaves
/// neither rows that no condition has seen nor an end that comes too early.
///
/// It is an [`Iterator`] too, which ends after an error.
///
/// A single partition returns its output batches one by one. Several partitions
/// run at the same time, in rounds: a round ends when each partition has a few
/// output batches ready, or as many as fill the byte limit of one. They are
/// returned in the order of the partitions, which does not depend on timing.
#[derive(Debug)]
pub struct Batch<'a> {
    shared: Shared<'a>,
    /// The partitions that are not at their end.
    tasks: Vec<Task<'a>>,
    /// What they have finished, and the error of the first that failed.
    ready: VecDeque<Result<Piece>>,
    unmatched_of: Option<Side>,
    outer_times: Vec<Timestamp>,
    report: BatchReport,
    /// Set while it works, and for good once something went wrong.
    failed: bool,
    /// Whether the iterator has returned an error.
    ended: bool,
    watermarks: &'a mut Watermarks,
    reserved: &'a mut Reserved,
    /// Whether the batch has not ended.
    in_batch: &'a mut bool,
}

impl<'a> Batch<'a> {
    pub(super) fn begin(
        join: &'a Planned,
        state: &'a mut JoinState,
        kind: BatchKind,
        inputs: Sides<&[RecordBatch]>,
    ) -> Result<Self> {
        let started = Instant::now();
        let watermarks = state.watermarks.current();
        let declared = state.watermarks.declared().any();
        let mut report = BatchReport {
            kind,
            watermark: declared.then_some(watermarks.in_force),
            late_watermark: declared.then_some(watermarks.late),
            ..BatchReport::default()
        };
        let partitions = state.partitions.len();
        let mut intakes = take_in(join, kind, inputs, watermarks, partitions).into_iter();
        let intakes = Sides::try_new(|side| -> Result<Intake> {
            let (intake, side_report) = intakes.next().expect("one intake per side")?;
            *report.side_mut(side) = side_report;
            Ok(intake)
        })?;
        report.times.intake = started.elapsed();
        if kind == BatchKind::Data {
            admit(join, state, &intakes, watermarks)?;
        }
        // Nothing is refused from here on, and nothing has changed up to here.
        state.in_batch = true;
        // The end is not a point in time: it makes no row late.
        if kind != BatchKind::End {
            state.watermarks.begin_batch();
        }
        let shared = Shared { join, kind, partitions, watermarks, intakes };
        let partitions = state.partitions.iter_mut().enumerate();
        Ok(Self {
            tasks: partitions.map(|(part, state)| Task::new(part, state, &shared)).collect(),
            shared,
            ready: VecDeque::new(),
            unmatched_of: None,
            outer_times: Vec::new(),
            report,
            failed: false,
            ended: false,
            watermarks: &mut state.watermarks,
            reserved: &mut state.reserved,
            in_batch: &mut state.in_batch,
        })
    }

    /// The next output batch; none when the batch is at its end. Never an empty
    /// one.
    ///
    /// # Errors
    /// Errors of predicates, [`JoinError::OutputTooLarge`]: that of the first
    /// partition which fails, after the output batches that it and those before
    /// it had finished. After an error, and after a panic that the caller has
    /// caught, the join cannot go on: [`JoinError::Unfinished`].
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        if std::mem::replace(&mut self.failed, true) {
            return Err(JoinError::Unfinished);
        }
        let next = self.next_of_partitions()?;
        self.failed = false;
        Ok(next.map(|piece| {
            self.unmatched_of = piece.unmatched_of;
            piece.rows
        }))
    }

    /// Set if no row matched any of the rows that
    /// [`next_batch`](Self::next_batch) returned last: the side to which they belong.
    /// Pairs and unmatched rows never come in one batch.
    #[must_use]
    pub fn unmatched_of(&self) -> Option<Side> {
        self.unmatched_of
    }

    /// What was done so far; complete once [`next_batch`](Self::next_batch) has
    /// returned none.
    #[must_use]
    pub fn report(&self) -> &BatchReport {
        &self.report
    }

    /// Event times of the stored rows that this batch output unmatched: they tell
    /// how long those rows had to wait.
    #[must_use]
    pub fn outer_times(&self) -> &[Timestamp] {
        &self.outer_times
    }

    fn next_of_partitions(&mut self) -> Result<Option<Piece>> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return piece.map(Some);
            }
            match &mut self.tasks[..] {
                [] => {
                    self.close();
                    return Ok(None);
                }
                [task] => {
                    let next = task.next(&self.shared)?;
                    self.report.absorb(&mut task.report);
                    self.outer_times.append(&mut task.outer_times);
                    if next.is_some() {
                        return Ok(next);
                    }
                    self.tasks.clear();
                }
                _ => self.round(),
            }
        }
    }

    /// Lets each partition go on until it has some output ready.
    fn round(&mut self) {
        let started = Instant::now();
        let (shared, mut tasks) = (&self.shared, std::mem::take(&mut self.tasks));
        let rounds = threads::map(&shared.join.options, &mut tasks, |task| fill(task, shared));
        let mut times = BatchTimes::default();
        for (mut task, round) in tasks.into_iter().zip(rounds) {
            let Round { ready, goes_on } = round;
            self.ready.extend(ready.into_iter().map(Ok));
            times = times + std::mem::take(&mut task.report.times);
            self.report.absorb(&mut task.report);
            self.outer_times.append(&mut task.outer_times);
            match goes_on {
                Ok(true) => self.tasks.push(task),
                Ok(false) => {}
                Err(error) => {
                    self.ready.push_back(Err(error));
                    break;
                }
            }
        }
        self.report.times = self.report.times + times.scaled_to(started.elapsed());
    }

    /// Ends the batch, once.
    fn close(&mut self) {
        if !*self.in_batch {
            return;
        }
        let state = self.report.left.state + self.report.right.state;
        self.reserved.settle_at(state.bytes(), STATE);
        if self.report.kind != BatchKind::End {
            for side in Side::BOTH {
                if let Some(seen) = &self.report.side(side).event_time {
                    self.watermarks.see(side, seen.max);
                }
            }
            self.watermarks.end_batch();
        }
        *self.in_batch = false;
    }
}

impl Iterator for Batch<'_> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.next_batch().transpose();
        self.ended = matches!(next, Some(Err(_)));
        next
    }
}

impl FusedIterator for Batch<'_> {}

/// Takes in both sides, at the same time where there is input and threads for it.
fn take_in(
    join: &Planned,
    kind: BatchKind,
    inputs: Sides<&[RecordBatch]>,
    watermarks: BatchWatermarks,
    partitions: usize,
) -> Vec<Result<(Intake, SideReport)>> {
    let take_in =
        |&mut side: &mut Side| Intake::new(join, side, inputs[side], watermarks, partitions);
    let mut sides = Side::BOTH;
    match kind {
        BatchKind::Data => threads::map(&join.options, &mut sides, take_in),
        BatchKind::NoData | BatchKind::End => sides.iter_mut().map(take_in).collect(),
    }
}

/// A partition's output of a round.
struct Round {
    ready: Vec<Piece>,
    /// Whether there is more to do.
    goes_on: Result<bool>,
}

fn fill(task: &mut Task<'_>, shared: &Shared<'_>) -> Round {
    let (mut ready, mut bytes) = (Vec::new(), 0);
    while ready.len() < READY_BATCHES && bytes < shared.join.options.max_output_bytes {
        match task.next(shared) {
            Ok(Some(piece)) => {
                bytes += piece.rows.get_array_memory_size();
                ready.push(piece);
            }
            Ok(None) => return Round { ready, goes_on: Ok(false) },
            Err(error) => return Round { ready, goes_on: Err(error) },
        }
    }
    Round { ready, goes_on: Ok(true) }
}
