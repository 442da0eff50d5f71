//! The output of an executed batch: what its partitions give out, in their order.

use std::collections::VecDeque;
use std::time::Instant;

use arrow::array::RecordBatch;

use super::emit::Piece;
use super::intake::Intake;
use super::join::Join;
use super::options::Options;
use super::plan::Plan;
use super::report::{BatchKind, BatchReport, BatchTimes, SideReport};
use super::task::Task;
use super::threads;
use crate::error::{JoinError, Result};
use crate::join_type::JoinType;
use crate::side::Side;
use crate::time::{BatchWatermarks, Watermarks};

/// Output batches that a partition may have ready before it waits for the
/// others; most batches are through before.
const READY_BATCHES: usize = 16;

/// The output of one executed batch, computed as it is asked for.
///
/// Read it to its end: the state changes on the way. Dropped before that, the
/// join refuses to go on.
///
/// One partition gives out its output batches one by one. Several run at the
/// same time, in rounds that end when each has a few of them ready, or as many
/// as hold the bytes that one may; what was ready comes out in the partitions'
/// order, which is no matter of timing.
#[derive(Debug)]
pub struct Batch<'a> {
    shared: Shared<'a>,
    /// The partitions that are not at their end.
    tasks: Vec<Task<'a>>,
    ready: VecDeque<Piece>,
    unmatched_of: Option<Side>,
    outer_times: Vec<i64>,
    report: BatchReport,
    failed: bool,
    watermarks: &'a mut Watermarks,
    /// The join's mark that a batch has begun and not ended.
    open: &'a mut bool,
}

/// What all partitions of a batch look at.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) plan: &'a Plan,
    pub(super) options: &'a Options,
    pub(super) join_type: JoinType,
    pub(super) kind: BatchKind,
    pub(super) partitions: usize,
    watermarks: BatchWatermarks,
    /// Left, right.
    intakes: Vec<Intake>,
}

impl Shared<'_> {
    pub(super) fn intake(&self, side: Side) -> &Intake {
        &self.intakes[side as usize]
    }

    /// The eviction line of a side.
    pub(super) fn line(&self, side: Side) -> Option<i64> {
        self.plan.side(side).expiry.line(self.watermarks.in_force)
    }
}

impl<'a> Batch<'a> {
    pub(super) fn begin(
        join: &'a mut Join,
        kind: BatchKind,
        left: &[RecordBatch],
        right: &[RecordBatch],
    ) -> Result<Self> {
        let started = Instant::now();
        // Until the last step is done, and for good if one fails.
        join.open = true;
        let watermarks = match kind {
            // The end is no moment of the stream: nothing becomes late by it.
            BatchKind::End => join.watermarks.current(),
            _ => join.watermarks.begin_batch(),
        };
        let declared = join.watermarks.declared().any();
        let mut report = BatchReport {
            kind,
            watermark: declared.then_some(watermarks.in_force),
            late_watermark: declared.then_some(watermarks.late),
            ..BatchReport::default()
        };
        let mut intakes = Vec::with_capacity(2);
        for taken in take_in(join, kind, [left, right], watermarks) {
            let (side, intake, side_report) = taken?;
            *report.side_mut(side) = side_report;
            intakes.push(intake);
        }
        report.times.intake = started.elapsed();
        let shared = Shared {
            plan: &join.plan,
            options: &join.options,
            join_type: join.spec.join_type,
            kind,
            partitions: join.partitions.len(),
            watermarks,
            intakes,
        };
        let partitions = join.partitions.iter_mut().enumerate();
        Ok(Self {
            tasks: partitions.map(|(part, state)| Task::new(part, state, &shared)).collect(),
            shared,
            ready: VecDeque::new(),
            unmatched_of: None,
            outer_times: Vec::new(),
            report,
            failed: false,
            watermarks: &mut join.watermarks,
            open: &mut join.open,
        })
    }

    /// The next output batch; none when the batch is at its end. Never an empty
    /// one.
    ///
    /// # Errors
    /// Errors of predicates, [`JoinError::StateLimit`],
    /// [`JoinError::TooManyStateRows`], [`JoinError::OutputTooLarge`]; after
    /// one, which is the first partition's, the join goes on no more:
    /// [`JoinError::Unfinished`].
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        if self.failed {
            return Err(JoinError::Unfinished);
        }
        let next = self.next_of_partitions();
        self.failed = next.is_err();
        Ok(next?.map(|piece| {
            self.unmatched_of = piece.unmatched_of;
            piece.rows
        }))
    }

    /// Set if no row matched any of the rows that
    /// [`next_batch`](Self::next_batch) gave last: the side that they are of.
    /// Pairs and unmatched rows never come in one batch.
    #[must_use]
    pub fn unmatched_of(&self) -> Option<Side> {
        self.unmatched_of
    }

    /// What was done so far; complete once [`next_batch`](Self::next_batch) has
    /// given none.
    #[must_use]
    pub fn report(&self) -> &BatchReport {
        &self.report
    }

    /// Event times, in microseconds, of the stored rows that this batch gave
    /// out unmatched: how long they had to wait.
    #[must_use]
    pub fn outer_times(&self) -> &[i64] {
        &self.outer_times
    }

    fn next_of_partitions(&mut self) -> Result<Option<Piece>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Ok(Some(batch));
            }
            match &mut self.tasks[..] {
                [] => return self.close().map(|()| None),
                [task] => {
                    let next = task.next(&self.shared)?;
                    self.report.absorb(&mut task.report);
                    self.outer_times.append(&mut task.outer_times);
                    if next.is_some() {
                        return Ok(next);
                    }
                    self.tasks.clear();
                }
                _ => self.round()?,
            }
        }
    }

    /// Lets each partition go on until it has some output ready.
    fn round(&mut self) -> Result<()> {
        let started = Instant::now();
        let (shared, mut tasks) = (&self.shared, std::mem::take(&mut self.tasks));
        let rounds = threads::map(shared.options, &mut tasks, |task| fill(task, shared));
        let mut times = BatchTimes::default();
        for (mut task, round) in tasks.into_iter().zip(rounds) {
            let Round { ready, goes_on } = round?;
            self.ready.extend(ready);
            times = times + std::mem::take(&mut task.report.times);
            self.report.absorb(&mut task.report);
            self.outer_times.append(&mut task.outer_times);
            if goes_on {
                self.tasks.push(task);
            }
        }
        self.report.times = self.report.times + times.scaled_to(started.elapsed());
        Ok(())
    }

    /// Ends the batch, once.
    fn close(&mut self) -> Result<()> {
        if !*self.open {
            return Ok(());
        }
        let state = self.report.left.state + self.report.right.state;
        let limit = self.shared.options.limit;
        for (what, reached, limit) in [
            ("rows", state.rows, limit.rows),
            ("bytes", state.bytes() as u64, limit.bytes.map(|bytes| bytes as u64)),
        ] {
            if let Some(limit) = limit.filter(|&limit| reached > limit) {
                return Err(JoinError::StateLimit { what, reached, limit });
            }
        }
        if self.report.kind != BatchKind::End {
            for side in [Side::Left, Side::Right] {
                if let Some(seen) = &self.report.side(side).event_time {
                    self.watermarks.see(side, seen.max);
                }
            }
            self.watermarks.end_batch();
        }
        *self.open = false;
        Ok(())
    }
}

/// Takes in both sides, at the same time where there is input and threads for it.
fn take_in(
    join: &Join,
    kind: BatchKind,
    [left, right]: [&[RecordBatch]; 2],
    watermarks: BatchWatermarks,
) -> Vec<Result<(Side, Intake, SideReport)>> {
    let take_in = |&mut (side, batches): &mut (Side, &[RecordBatch])| {
        let (intake, report) = Intake::new(join, side, batches, watermarks)?;
        Ok((side, intake, report))
    };
    let mut sides = [(Side::Left, left), (Side::Right, right)];
    match kind {
        BatchKind::Data => threads::map(&join.options, &mut sides, take_in),
        BatchKind::NoData | BatchKind::End => sides.iter_mut().map(take_in).collect(),
    }
}

/// A partition's output of a round.
struct Round {
    ready: Vec<Piece>,
    /// Whether there is more to do.
    goes_on: bool,
}

fn fill(task: &mut Task<'_>, shared: &Shared<'_>) -> Result<Round> {
    let (mut ready, mut bytes) = (Vec::new(), 0);
    while ready.len() < READY_BATCHES && bytes < shared.options.max_output_bytes {
        let Some(batch) = task.next(shared)? else { return Ok(Round { ready, goes_on: false }) };
        bytes += batch.rows.get_array_memory_size();
        ready.push(batch);
    }
    Ok(Round { ready, goes_on: true })
}
