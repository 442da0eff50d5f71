//! Ascending delays in lock step: which rows each of them drops, holds and
//! evicts.
//!
//! A delay is named by its position, and a row's fate by the positions at which
//! it changes: see the [module](super).

use std::ops::Range;
use std::time::Duration;

use streamjoin_kernels::stream_stream::{self, BatchKind};
use streamjoin_kernels::time::{
    BatchWatermarks, DeclaredWatermarks, Expiry, TimeDelta, Timestamp, Watermarks,
};
use streamjoin_kernels::{JoinType, Side, Sides};

use super::delay_counts::{DelayCounts, DelayOutcome};
use super::delays::Delays;
use super::held_rows::{Held, HeldRows};
use super::intake::Seen;
use super::range_counts::RangeCounts;
use crate::replay::waited;

/// What all delays have in common.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    spec: stream_stream::Spec,
    expiry: Sides<Expiry>,
}

impl Rules {
    pub(crate) fn new(spec: &stream_stream::Spec) -> Self {
        let declared = DeclaredWatermarks {
            left: spec.left.watermark_delay.is_some(),
            right: spec.right.watermark_delay.is_some(),
        };
        Self { expiry: Sides::new(|side| spec.time.expiry(side, declared)), spec: spec.clone() }
    }

    /// Whether what is held depends on what matches.
    pub(crate) fn need_pairs(&self) -> bool {
        !matches!(self.spec.join_type, JoinType::Inner | JoinType::Cross)
    }

    fn preserves(&self, side: Side) -> bool {
        self.spec.join_type.preserves(side)
    }

    /// Whether a match takes a row of the side out of state.
    fn leaves_matched(&self, side: Side) -> bool {
        side == Side::Left && self.spec.join_type.is_existence()
    }

    /// Whether it matters which row has matched.
    fn is_tracked(&self, side: Side) -> bool {
        self.preserves(side) || self.leaves_matched(side)
    }

    /// The eviction line of a side, in microseconds.
    fn line(&self, side: Side, marks: BatchWatermarks) -> Option<i64> {
        self.expiry[side].line(marks.in_force).map(Timestamp::as_micros)
    }

    /// Whether a moved watermark runs a batch without input.
    fn runs_no_data(&self) -> bool {
        self.spec.no_data_batches && self.expiry.iter().any(|(_, expiry)| expiry.is_bounded())
    }
}

/// A row of the open batch that may enter the state.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    time: Option<i64>,
    /// The first delay at which it is accepted.
    from: usize,
    /// The first at which it has met a match.
    until: usize,
    /// The same, of matches that came in earlier batches.
    until_before: usize,
}

/// A row of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairRow {
    pub(crate) row: u64,
    pub(crate) time: Option<i64>,
    pub(crate) from: usize,
}

/// Delays in ascending order, over the same batches.
#[derive(Debug)]
pub(crate) struct AscendingDelays {
    rules: Rules,
    delays: Vec<DelayCounts>,
    /// The eviction line of each side at each delay, in microseconds, as the last executed batch
    /// left it; descending.
    lines: Sides<Vec<Option<i64>>>,
    /// The lines of the open batch.
    next: Sides<Vec<Option<i64>>>,
    held: Sides<HeldRows>,
    arrivals: Sides<Vec<Arrival>>,
    /// The number of each side's first arrival.
    first: Sides<u64>,
    /// In the open batch: change of the rows in state, rows taken out.
    more: Sides<RangeCounts>,
    removed: Sides<RangeCounts>,
}

impl AscendingDelays {
    pub(crate) fn new(rules: Rules, delays: &[Delays]) -> Self {
        let counts = RangeCounts::new(delays.len());
        let can_evict = rules.expiry.map(|expiry| expiry.is_bounded());
        let delay = |delays: &Delays| {
            let delay = |side| delays.on(side).map(TimeDelta::from_micros);
            let (left, right) = (delay(Side::Left), delay(Side::Right));
            let marks = Watermarks::new(rules.spec.policy, left, right);
            DelayCounts::new(*delays, marks, can_evict)
        };
        let lines = vec![None; delays.len()];
        Self {
            delays: delays.iter().map(delay).collect(),
            rules,
            lines: Sides::new(|_| lines.clone()),
            next: Sides::new(|_| lines.clone()),
            held: Sides::default(),
            arrivals: Sides::default(),
            first: Sides::default(),
            more: Sides::new(|_| counts.clone()),
            removed: Sides::new(|_| counts.clone()),
        }
    }

    /// Begins a batch: late rows are counted, the others arrive. `first`
    /// numbers them, by side.
    pub(crate) fn begin(&mut self, seen: &Sides<Seen>, first: Sides<u64>) {
        let marks: Vec<BatchWatermarks> =
            self.delays.iter_mut().map(|delay| delay.marks.begin_batch()).collect();
        self.first = first;
        for side in Side::BOTH {
            let line = |mark: &BatchWatermarks| self.rules.line(side, *mark);
            self.next[side].clear();
            self.next[side].extend(marks.iter().map(line));
            let mut late = RangeCounts::new(marks.len());
            let declared = self.rules.spec.input(side).watermark_delay.is_some();
            let arrivals = &mut self.arrivals[side];
            arrivals.clear();
            for (&time, &passes) in seen[side].times.iter().zip(&seen[side].passes) {
                let from = match declared {
                    true => {
                        let time = time.map(Timestamp::from_micros);
                        marks.partition_point(|mark| mark.is_late(time))
                    }
                    false => 0,
                };
                late.add(0..from, 1);
                if passes {
                    let never = marks.len();
                    arrivals.push(Arrival { time, from, until: never, until_before: never });
                }
            }
            for (delay, late) in self.delays.iter_mut().zip(late.take()) {
                delay.late[side] += late.unsigned_abs();
            }
        }
    }

    /// For each arrival of a side, the first delay at which it is accepted, and
    /// whether there is one.
    pub(crate) fn accepted(&self, side: Side) -> impl Iterator<Item = (usize, bool)> {
        let never = self.delays.len();
        self.arrivals[side].iter().map(move |arrival| (arrival.from, arrival.from < never))
    }

    /// A pair of which one row is of the open batch.
    pub(crate) fn pair(&mut self, left: PairRow, right: PairRow) {
        let is_new = [left.row >= self.first.left, right.row >= self.first.right];
        let accepted = left.from.max(right.from);
        let in_state = match is_new {
            [true, true] => 0,
            [true, false] => still_in_state(&self.lines.right, right.time),
            [false, true] => still_in_state(&self.lines.left, left.time),
            [false, false] => return,
        };
        let meets = accepted.max(in_state);
        if meets < self.delays.len() {
            self.matched(Side::Left, left, meets, !is_new[1]);
            self.matched(Side::Right, right, meets, !is_new[0]);
        }
    }

    /// A row has a match from a delay on, which came in an earlier batch or not.
    fn matched(&mut self, side: Side, partner: PairRow, meets: usize, came_before: bool) {
        if !self.rules.is_tracked(side) {
            return;
        }
        let first = self.first[side];
        if let Some(number) = partner.row.checked_sub(first) {
            let Some(arrival) = self.arrivals[side].get_mut(number as usize) else { return };
            arrival.until = arrival.until.min(meets);
            if came_before {
                arrival.until_before = arrival.until_before.min(meets);
            }
            return;
        }
        let Some(held) = self.held[side].get_mut(partner.time, partner.row) else { return };
        let before = held.until;
        held.until = before.min(meets);
        if self.rules.leaves_matched(side) {
            let of_no_use = held.until <= held.from;
            self.removed[side].add(meets..before, 1);
            self.more[side].add(meets..before, -1);
            if of_no_use {
                self.held[side].remove(partner.time, partner.row);
            }
        }
    }

    /// Ends the batch, all its pairs known; `now` is the greatest event time.
    pub(crate) fn end(&mut self, seen: &Sides<Seen>, now: Option<i64>, ended: bool) {
        for side in Side::BOTH {
            self.evict(side, now);
            self.settle(side, now);
        }
        self.close(BatchKind::Data, |_| true, ended);
        for delay in &mut self.delays {
            for side in Side::BOTH {
                if let Some(greatest) = seen[side].max_time {
                    delay.marks.see(side, Timestamp::from_micros(greatest));
                }
            }
            delay.marks.end_batch();
        }
    }

    /// Runs the batch without input at the delays where it is due.
    pub(crate) fn advance(&mut self, now: Option<i64>) {
        if !self.rules.runs_no_data() {
            return;
        }
        let due: Vec<bool> = self.delays.iter().map(|delay| delay.marks.has_advanced()).collect();
        if !due.contains(&true) {
            return;
        }
        for (place, delay) in self.delays.iter_mut().enumerate() {
            let mark = due[place].then(|| delay.marks.begin_batch());
            for side in Side::BOTH {
                self.next[side][place] = match mark {
                    Some(mark) => self.rules.line(side, mark),
                    None => self.lines[side][place],
                };
            }
        }
        for side in Side::BOTH {
            self.evict(side, now);
        }
        self.close(BatchKind::NoData, |place| due[place], false);
        for (delay, _) in self.delays.iter_mut().zip(due).filter(|(_, due)| *due) {
            delay.marks.end_batch();
        }
    }

    pub(crate) fn set_taking_part(&mut self, side: Side, takes_part: bool) {
        for delay in &mut self.delays {
            delay.marks.set_taking_part(side, takes_part);
        }
    }

    pub(crate) fn finish(self) -> Vec<DelayOutcome> {
        self.delays.into_iter().map(DelayCounts::finish).collect()
    }

    /// Lets go of the rows of earlier batches that a line has passed.
    fn evict(&mut self, side: Side, now: Option<i64>) {
        let (lines, next) = (&self.lines[side], &self.next[side]);
        // From the lowest line up: what one has passed need not be looked at
        // again for the next.
        let mut reached = None;
        for place in (0..next.len()).rev() {
            let Some(to) = next[place] else { continue };
            let after = lines[place].max(reached);
            if after >= Some(to) {
                continue;
            }
            for (time, held) in self.held[side].between(after, to) {
                let gone = still_in_state(lines, Some(time))..still_in_state(next, Some(time));
                let gone = gone.start.max(held.from)..gone.end;
                let unmatched = gone.start..gone.end.min(held.until);
                let leaving = if self.rules.leaves_matched(side) { &unmatched } else { &gone };
                let rows = held.rows as i64;
                self.removed[side].add(leaving.clone(), rows);
                self.more[side].add(leaving.clone(), -rows);
                if self.rules.preserves(side) {
                    come_out(&mut self.delays, unmatched, waited(now, time));
                }
            }
            reached = Some(to);
        }
    }

    /// Stores the rows of the batch, or lets them go at once.
    fn settle(&mut self, side: Side, now: Option<i64>) {
        let never = self.delays.len();
        let tracked = self.rules.is_tracked(side);
        let arrivals = std::mem::take(&mut self.arrivals[side]);
        for (number, arrival) in arrivals.iter().enumerate() {
            let Arrival { time, from, until, until_before } = *arrival;
            let until_stays = if self.rules.leaves_matched(side) { until } else { never };
            let over_line = still_in_state(&self.next[side], time);
            // Under its line on arrival, a row is stored only if it may still
            // meet one of this batch, or is emitted by leaving.
            let leaves_at_once = match (self.rules.spec.join_type, side) {
                (JoinType::LeftSemi, _) | (_, Side::Left) => until_stays,
                (JoinType::RightOuter | JoinType::FullOuter, Side::Right) => until,
                (_, Side::Right) => from,
            };
            let leaves_at_once = from..over_line.min(leaves_at_once);
            self.removed[side].add(leaves_at_once, 1);
            if self.rules.spec.join_type == JoinType::LeftAnti && side == Side::Left {
                // Stored before the right rows of the batch found it.
                self.removed[side].add(until.max(from)..until_before, 1);
            }
            if let Some(time) = time.filter(|_| self.rules.preserves(side)) {
                let unmatched = from..over_line.min(until);
                come_out(&mut self.delays, unmatched, waited(now, time));
            }
            let stays = from.max(over_line)..until_stays;
            self.more[side].add(stays.clone(), 1);
            if !stays.is_empty() {
                let row = self.first[side] + number as u64;
                let tag = if tracked { row } else { from as u64 };
                self.held[side].put(time, tag, Held { from, until, rows: 1 });
            }
        }
        // Its room is used again.
        self.arrivals[side] = arrivals;
    }

    /// Ends an executed batch at the delays where it ran.
    fn close(&mut self, kind: BatchKind, ran: impl Fn(usize) -> bool, ended: bool) {
        let by_delay = |counts: &mut Sides<RangeCounts>| {
            let left = counts.left.take().into_iter();
            left.zip(counts.right.take()).map(|(left, right)| Sides { left, right })
        };
        let (more, removed) = (by_delay(&mut self.more), by_delay(&mut self.removed));
        let counts = more.zip(removed).enumerate().filter(|(place, _)| ran(*place));
        for (place, (more, removed)) in counts {
            self.delays[place].end_batch(kind, more, removed, ended);
        }
        for side in Side::BOTH {
            std::mem::swap(&mut self.lines[side], &mut self.next[side]);
            if let Some(Some(lowest)) = self.lines[side].last() {
                self.held[side].discard(*lowest);
            }
        }
    }
}

/// The first delay whose line is below a time; the first of all for a row
/// without one.
fn still_in_state(lines: &[Option<i64>], time: Option<i64>) -> usize {
    match time {
        Some(_) => lines.partition_point(|line| time <= *line),
        None => 0,
    }
}

/// Notes at some delays that a row was emitted unmatched.
fn come_out(delays: &mut [DelayCounts], places: Range<usize>, waited: Option<Duration>) {
    let Some(waited) = waited else { return };
    for delay in delays.get_mut(places).into_iter().flatten() {
        delay.came_out(waited);
    }
}
