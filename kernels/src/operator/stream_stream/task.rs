//! One partition's part of an executed batch, step by step (rules 15 to 20).

use std::time::Instant;

use super::partition::Partition;
use super::pending::{Pending, Piece, Rows};
use super::report::BatchReport;
use super::shared::Shared;
use super::steps::Step;
use crate::error::Result;
use crate::join_type::JoinType;
use crate::side::{Side, Sides};
use crate::state::Departed;
use crate::table::FindCursor;
use crate::time::Timestamp;

/// What one partition has to do in a batch, and what it has done so far.
#[derive(Debug)]
pub(super) struct Task<'a> {
    /// Its number.
    part: usize,
    pub(super) partition: &'a mut Partition,
    /// The current step and those after it.
    steps: &'static [Step],
    /// Of the current step, if it is a probe.
    cursor: FindCursor,
    pub(super) pending: Pending,
    /// Whether each row of the batch, left and right, has found a match; kept
    /// where it is asked for.
    matched: Sides<Vec<bool>>,
    /// What it did since the batch last collected its report.
    pub(super) report: BatchReport,
    pub(super) outer_times: Vec<Timestamp>,
}

impl<'a> Task<'a> {
    pub(super) fn new(part: usize, partition: &'a mut Partition, shared: &Shared<'_>) -> Self {
        let matched = Sides::new(|side| vec![false; shared.intakes[side].rows]);
        Self {
            part,
            partition,
            steps: Step::of(shared.kind, shared.join.spec.join_type),
            cursor: FindCursor::default(),
            pending: Pending::default(),
            matched,
            outer_times: Vec::new(),
            report: BatchReport::default(),
        }
    }

    /// The next output batch; none when all steps are done. Never an empty one.
    pub(super) fn next(&mut self, shared: &Shared<'_>) -> Result<Option<Piece>> {
        loop {
            if let Some(batch) = self.emit(shared)? {
                return Ok(Some(batch));
            }
            let [step, later @ ..] = self.steps else { return Ok(None) };
            match *step {
                Step::Unmatchable(side) => self.unmatchable(side, shared),
                Step::Probe(side) => {
                    // The step remains current until there are no more matches.
                    if self.probe(side, shared)? {
                        continue;
                    }
                }
                Step::Store(side) => self.store(side, shared)?,
                Step::Evict(side) => {
                    if let Some(line) = shared.line(side) {
                        self.depart(side, Some(line), shared)?;
                    }
                }
                Step::Drain(side) => self.depart(side, None, shared)?,
                Step::Reclaim => self.reclaim()?,
            }
            self.steps = later;
        }
    }

    /// They have no keys, so every partition takes its share.
    fn unmatchable(&mut self, side: Side, shared: &Shared<'_>) {
        let rows = shared.intakes[side].unmatchable_rows as u64;
        let until = |part: usize| (rows * part as u64 / shared.partitions as u64) as u32;
        let share = until(self.part)..until(self.part + 1);
        self.pending = Pending::new(Rows::Unmatchable(side, share.collect()));
    }

    /// The next matches of new rows; false if there are no more.
    fn probe(&mut self, side: Side, shared: &Shared<'_>) -> Result<bool> {
        let started = Instant::now();
        let probe = shared.intakes[side].probe(self.part, side, shared.join.plan.interval);
        if self.cursor.is_done(probe.len()) {
            self.cursor = FindCursor::default();
            return Ok(false);
        }
        let mut pairs = std::mem::take(&mut self.pending).into_empty_pairs();
        let store = &self.partition.stores[side.opposite()];
        let limit = shared.join.options.max_output_rows;
        let walked = store.find(probe, &mut self.cursor, &mut pairs, limit)?;
        self.pending = Pending::new(Rows::Pairs(side, pairs));
        self.report.side_mut(side.opposite()).rows_walked += walked;
        self.apply_residual(shared)?;
        if !shared.join.spec.join_type.is_existence() {
            self.note_pairs(side, shared)?;
        } else if side == Side::Right {
            self.note_matched_in_state(shared)?;
        } else {
            self.note_matched_on_arrival(shared);
        }
        self.report.times.probe += started.elapsed();
        Ok(true)
    }

    /// The pairs are output; rows of preserved sides are marked.
    fn note_pairs(&mut self, side: Side, shared: &Shared<'_>) -> Result<()> {
        if shared.join.plan.sides[side].preserved {
            let matched = &mut self.matched[side];
            self.pending.new_rows().iter().for_each(|&row| matched[row as usize] = true);
        }
        if shared.join.plan.sides[side.opposite()].preserved {
            self.partition.stores[side.opposite()].set_matched(self.pending.stored_rows())?;
        }
        Ok(())
    }

    /// Stored left rows of a semi or anti join that have their match: they leave.
    fn note_matched_in_state(&mut self, shared: &Shared<'_>) -> Result<()> {
        let (_, mut rows) = std::mem::take(&mut self.pending).into_columns();
        rows.sort_unstable();
        rows.dedup();
        self.report.left.removed += self.partition.stores[Side::Left].remove(&rows)?;
        if shared.join.spec.join_type == JoinType::LeftAnti {
            rows.clear();
        }
        self.pending = Pending::new(Rows::Stored(Side::Left, rows));
        Ok(())
    }

    /// New left rows of a semi or anti join: one match is enough.
    fn note_matched_on_arrival(&mut self, shared: &Shared<'_>) {
        let matched = &mut self.matched.left;
        let (mut rows, _) = std::mem::take(&mut self.pending).into_columns();
        rows.retain(|&row| !std::mem::replace(&mut matched[row as usize], true));
        self.cursor.retain(|row| !matched[row as usize]);
        if shared.join.spec.join_type == JoinType::LeftAnti {
            rows.clear();
        }
        self.pending = Pending::new(Rows::New(Side::Left, rows));
    }

    fn store(&mut self, side: Side, shared: &Shared<'_>) -> Result<()> {
        use JoinType::{LeftAnti, LeftSemi};
        let started = Instant::now();
        let intake = &shared.intakes[side];
        let matched = &self.matched[side];
        let mut rows = intake.rows_of_part(self.part).into_owned();
        match (shared.join.spec.join_type, side, shared.line(side)) {
            // Their first match settles them.
            (LeftSemi | LeftAnti, Side::Left, _) => rows.retain(|&row| !matched[row as usize]),
            // The rows of the other side in this batch have still to meet them.
            (LeftSemi, Side::Right, _) | (_, Side::Left, _) => {}
            // All that they could match they have met: those under the line need
            // not be stored only to leave at once, unless leaving outputs them.
            (_, Side::Right, Some(line)) if intake.reaches(line) => {
                let preserved = shared.join.plan.sides[side].preserved;
                rows.retain(|&row| {
                    let stays = intake.times.micros_at(row as usize).is_none_or(|time| time > line);
                    stays || preserved && !matched[row as usize]
                });
            }
            (_, Side::Right, _) => {}
        }
        if !rows.is_empty() {
            self.partition.stores[side].insert(intake.new_rows(&rows, matched))?;
        }
        self.report.side_mut(side).added += rows.len() as u64;
        self.report.times.insert += started.elapsed();
        Ok(())
    }

    /// Rows at or before the line leave; without a line, all do.
    fn depart(&mut self, side: Side, line: Option<i64>, shared: &Shared<'_>) -> Result<()> {
        let started = Instant::now();
        let mut departed = Departed::default();
        let unmatched = shared.join.plan.sides[side].preserved.then_some(&mut departed);
        let store = &mut self.partition.stores[side];
        let eviction = match line {
            Some(line) => store.evict(line, unmatched)?,
            None => store.drain(unmatched)?,
        };
        let report = self.report.side_mut(side);
        report.removed += eviction.rows;
        report.evicted += if line.is_some() { eviction.rows } else { 0 };
        report.rows_visited += eviction.visited;
        report.blocks_visited += eviction.blocks;
        self.outer_times.extend(departed.times.into_iter().map(Timestamp::from_micros));
        self.pending = Pending::new(Rows::Stored(side, departed.rows));
        self.report.times.evict += started.elapsed();
        Ok(())
    }

    fn reclaim(&mut self) -> Result<()> {
        let started = Instant::now();
        for side in Side::BOTH {
            let store = &mut self.partition.stores[side];
            let upkeep = store.reclaim()?;
            let report = self.report.side_mut(side);
            report.rows_moved += upkeep.moved;
            report.index_resizes += upkeep.resizes;
            report.state = store.size();
        }
        self.report.times.evict += started.elapsed();
        Ok(())
    }
}
