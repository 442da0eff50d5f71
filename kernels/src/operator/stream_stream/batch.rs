//! An executed batch, step by step (SEMANTICS: Spark's order).

use std::collections::VecDeque;
use std::time::Instant;

use arrow::array::RecordBatch;

use super::emit::Pending;
use super::intake::Intake;
use super::join::StreamStreamJoin;
use super::report::{BatchKind, BatchReport};
use crate::error::{JoinError, Result};
use crate::join_type::JoinType;
use crate::side::Side;
use crate::state::Departed;
use crate::table::FindCursor;
use crate::time::BatchWatermarks;

/// The output of one executed batch, computed as it is asked for.
///
/// Read it to its end: the state changes on the way. Dropped before that, the
/// join refuses to go on.
#[derive(Debug)]
pub struct StreamBatch<'a> {
    pub(super) join: &'a mut StreamStreamJoin,
    pub(super) left: Intake,
    pub(super) right: Intake,
    watermarks: BatchWatermarks,
    steps: VecDeque<Step>,
    /// Of the step in hand, if it is a probe.
    cursor: FindCursor,
    pub(super) pending: Pending,
    outer_times: Vec<i64>,
    pub(super) report: BatchReport,
}

/// What is done one after the other.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Rows of a preserved side that can match nothing come out.
    Unmatchable(Side),
    /// New rows of a side meet the state of the other.
    Probe(Side),
    /// New rows of a side are stored.
    Store(Side),
    /// Rows of a side leave, unmatched ones of a preserved side come out.
    Evict(Side),
    /// All rows of a side leave.
    Drain(Side),
    /// The watermark moves, memory is freed.
    Close,
}

impl<'a> StreamBatch<'a> {
    pub(super) fn begin(
        join: &'a mut StreamStreamJoin,
        kind: BatchKind,
        left: &[RecordBatch],
        right: &[RecordBatch],
    ) -> Result<Self> {
        use Side::{Left, Right};
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
        let left = Intake::new(join, Left, left, watermarks, &mut report.left)?;
        let right = Intake::new(join, Right, right, watermarks, &mut report.right)?;
        report.times.intake = started.elapsed();
        let steps: &[Step] = match (kind, join.spec.join_type) {
            (BatchKind::End, _) => &[Step::Drain(Left), Step::Drain(Right), Step::Close],
            // Right rows go first, so that a left row which they match leaves
            // before it is looked at again.
            (_, JoinType::LeftSemi) => &[
                Step::Probe(Right),
                Step::Store(Right),
                Step::Probe(Left),
                Step::Store(Left),
                Step::Evict(Left),
                Step::Evict(Right),
                Step::Close,
            ],
            _ => &[
                Step::Unmatchable(Left),
                Step::Unmatchable(Right),
                Step::Probe(Left),
                Step::Store(Left),
                Step::Probe(Right),
                Step::Store(Right),
                Step::Evict(Left),
                Step::Evict(Right),
                Step::Close,
            ],
        };
        Ok(Self {
            join,
            left,
            right,
            watermarks,
            steps: steps.iter().copied().collect(),
            cursor: FindCursor::default(),
            pending: Pending::default(),
            outer_times: Vec::new(),
            report,
        })
    }

    /// The next output batch; none when the batch is at its end. Never an empty
    /// one.
    ///
    /// # Errors
    /// Errors of predicates, [`JoinError::StateLimit`],
    /// [`JoinError::TooManyStateRows`], [`JoinError::OutputTooLarge`]; after
    /// one the join goes on no more.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.emit()? {
                return Ok(Some(batch));
            }
            let Some(step) = self.steps.pop_front() else { return Ok(None) };
            self.run(step)?;
        }
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

    pub(super) fn intake(&self, side: Side) -> &Intake {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    fn intake_mut(&mut self, side: Side) -> &mut Intake {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }

    fn run(&mut self, step: Step) -> Result<()> {
        match step {
            Step::Unmatchable(side) => {
                let rows = self.intake(side).unmatchable_rows as u32;
                self.pending = Pending::unmatchable(side, (0..rows).collect());
                Ok(())
            }
            Step::Probe(side) => self.probe(side),
            Step::Store(side) => self.store(side),
            Step::Evict(side) => {
                if let Some(line) = self.line(side) {
                    self.depart(side, Some(line));
                }
                Ok(())
            }
            Step::Drain(side) => {
                self.depart(side, None);
                Ok(())
            }
            Step::Close => self.close(),
        }
    }

    /// The eviction line of a side.
    fn line(&self, side: Side) -> Option<i64> {
        self.join.plan.side(side).expiry.line(self.watermarks.in_force)
    }

    /// The next matches of new rows; the step stays in hand until there are no
    /// more.
    fn probe(&mut self, side: Side) -> Result<()> {
        let started = Instant::now();
        let limit = self.join.options.max_output_rows;
        let intake = match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        };
        if self.cursor.is_done(intake.rows) {
            self.cursor = FindCursor::default();
            return Ok(());
        }
        self.pending = Pending::pairs(side, std::mem::take(&mut self.pending));
        let probe = intake.probe(self.join, side);
        let store = self.join.store(side.opposite());
        let walked = store.find(probe, &mut self.cursor, &mut self.pending.pairs, limit);
        self.report.side_mut(side.opposite()).rows_walked += walked;
        self.apply_residual(side)?;
        self.take_note(side);
        self.steps.push_front(Step::Probe(side));
        self.report.times.probe += started.elapsed();
        Ok(())
    }

    /// Marks what has matched, and turns the pairs into what comes out of them.
    fn take_note(&mut self, side: Side) {
        let join_type = self.join.spec.join_type;
        if join_type.is_existence() && side == Side::Right {
            // A stored left row has its match: it leaves.
            let mut rows = std::mem::take(&mut self.pending.pairs.build_rows);
            rows.sort_unstable();
            rows.dedup();
            self.report.left.removed += self.join.left.remove(&rows);
            if join_type == JoinType::LeftAnti {
                rows.clear();
            }
            self.pending = Pending::stored(Side::Left, rows);
            return;
        }
        let mut first = Vec::new();
        let found = std::mem::take(&mut self.pending.pairs.probe_rows);
        let intake = self.intake_mut(side);
        for &row in &found {
            if !std::mem::replace(&mut intake.matched[row as usize], true) {
                first.push(row);
            }
        }
        if !join_type.is_existence() {
            self.pending.pairs.probe_rows = found;
            let Self { join, pending, .. } = self;
            if join.plan.side(side.opposite()).preserved {
                join.store_mut(side.opposite()).set_matched(&pending.pairs.build_rows);
            }
            return;
        }
        // One match is enough: no more candidates for a row that has it.
        let matched = &self.left.matched;
        self.cursor.retain(|row| !matched[row as usize]);
        if join_type == JoinType::LeftAnti {
            first.clear();
        }
        self.pending = Pending::new_rows(Side::Left, first);
    }

    fn store(&mut self, side: Side) -> Result<()> {
        let started = Instant::now();
        let join_type = self.join.spec.join_type;
        let (line, preserved) = (self.line(side), self.join.plan.side(side).preserved);
        let intake = self.intake(side);
        let under_the_line = |row: usize| {
            line.is_some_and(|line| intake.times.get(row).is_some_and(|time| time <= line))
        };
        let is_stored = |row: usize| match (join_type, side) {
            // A match is all that there is to say about them.
            (JoinType::LeftSemi | JoinType::LeftAnti, Side::Left) => !intake.matched[row],
            // The left rows of this batch have still to meet them.
            (JoinType::LeftSemi, Side::Right) => true,
            // The right rows of this batch have still to meet them.
            (_, Side::Left) => true,
            // All that they could match they have met, so they need not be
            // stored to leave at once, unless they come out by that.
            (_, Side::Right) => !under_the_line(row) || preserved && !intake.matched[row],
        };
        let rows: Vec<u32> =
            (0..intake.rows).filter(|&row| is_stored(row)).map(|row| row as u32).collect();
        if !rows.is_empty() {
            let (join, intake) = match side {
                Side::Left => (&mut *self.join, &self.left),
                Side::Right => (&mut *self.join, &self.right),
            };
            join.store_mut(side).insert(intake.new_rows(&rows))?;
        }
        self.report.side_mut(side).added += rows.len() as u64;
        self.report.times.insert += started.elapsed();
        Ok(())
    }

    /// Rows at or before the line leave; without a line, all do.
    fn depart(&mut self, side: Side, line: Option<i64>) {
        let started = Instant::now();
        let mut departed = Departed::default();
        let unmatched = self.join.plan.side(side).preserved.then_some(&mut departed);
        let store = self.join.store_mut(side);
        let eviction = match line {
            Some(line) => store.evict(line, unmatched),
            None => store.drain(unmatched),
        };
        let report = self.report.side_mut(side);
        report.removed += eviction.rows;
        report.rows_visited += eviction.visited;
        self.outer_times.extend(departed.times);
        self.pending = Pending::stored(side, departed.rows);
        self.report.times.evict += started.elapsed();
    }

    fn close(&mut self) -> Result<()> {
        let started = Instant::now();
        self.join.left.reclaim();
        self.join.right.reclaim();
        self.report.left.state = self.join.left.size();
        self.report.right.state = self.join.right.size();
        let state = self.report.left.state + self.report.right.state;
        self.report.times.evict += started.elapsed();
        let limit = self.join.options.limit;
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
                    self.join.watermarks.see(side, seen.max);
                }
            }
            self.join.watermarks.end_batch();
        }
        self.join.open = false;
        Ok(())
    }
}
