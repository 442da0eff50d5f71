//! What a random stream is like, and its rows.

use super::draw::Draw;
use super::twin::{Looking, Row};
use crate::arch::Isa;
use crate::side::Side;
use crate::time::{Bound, IntervalCondition, TimeDelta};

/// Microseconds from one row to the next, about.
const STEP: i64 = 1000;
pub(super) const YEAR_1: i64 = -62_135_596_800_000_000;
pub(super) const YEAR_9999: i64 = 253_402_300_799_999_999;

/// A stream and those who look into its state.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    pub(super) block: usize,
    /// Rows in state, about.
    pub(super) live: i64,
    pub(super) batches: usize,
    /// Rows of a batch, at most.
    pub(super) batch: i64,
    keys: u64,
    /// Keys that take turns, each group for this many batches.
    turn: u64,
    /// The percentage of rows with key 0.
    hot: u64,
    disorder: u64,
    nulls: u64,
    unmatchable: u64,
    poison: u64,
    overdue: u64,
    jumps: u64,
    /// The percentage of look-ups that remove what they find.
    pub(super) removal: u64,
    /// Rows that are marked in the store as matched.
    matched: u64,
    intervals: u64,
    pub(super) first_row: u32,
    pub(super) isa: Isa,
    pub(super) constant: bool,
    pub(super) tracks: bool,
    pub(super) timed: bool,
    clock: i64,
    pub(super) line: i64,
    number: u64,
}

impl Profile {
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let block = draw.one_of(&[1usize, 2, 3, 7, 16, 16, 64, 1024]);
        let live = draw.one_of(&[10, 40, 150, 400]);
        let batch = draw.one_of(&[1, 5, 30, 120]);
        let clock = draw.one_of(&[
            0,
            1_700_000_000_000_000,
            1_700_000_000_000_000,
            i64::MIN + 5 * STEP,
            i64::MAX - 3000 * STEP,
        ]);
        Self {
            block,
            live,
            batch,
            batches: (6000 / (batch + 10)).clamp(20, 250) as usize,
            keys: draw.one_of(&[1, 3, 20, 300]),
            turn: draw.one_of(&[0, 0, 3, 10]),
            hot: draw.one_of(&[0, 0, 60]),
            disorder: draw.one_of(&[0, 5, 50]),
            nulls: draw.one_of(&[0, 0, 10]),
            unmatchable: draw.one_of(&[0, 0, 10]),
            poison: draw.one_of(&[0, 0, 1, 5]),
            overdue: draw.one_of(&[0, 0, 5, 40]),
            jumps: draw.one_of(&[0, 0, 2]),
            removal: draw.one_of(&[0, 0, 30, 90]),
            matched: draw.one_of(&[0, 30]),
            intervals: draw.below(4),
            first_row: draw.one_of(&[0, 77, u32::MAX, u32::MAX >> 1, (1 << 29) - 5]),
            isa: draw.one_of(&Isa::available()),
            constant: draw.percent(15),
            tracks: draw.percent(80),
            timed: draw.percent(85),
            clock,
            line: i64::MIN,
            number: 0,
        }
    }

    /// Row numbers that may be in use at once, and those of whole blocks that
    /// they take.
    pub(super) fn bits(&self) -> u32 {
        let block = self.block.next_power_of_two() as i64;
        let blocks = 64
            + 16 * (self.live / self.block as i64 + 1)
            + 4 * (self.batch / self.block as i64 + 2);
        let numbers = (4 * block * blocks) as u64;
        (u64::BITS - numbers.leading_zeros()).clamp(10, 29)
    }

    fn key(&self, draw: &mut Draw) -> u64 {
        if draw.percent(self.hot) {
            return 0;
        }
        let group = self.number.checked_div(self.turn).unwrap_or(0) % 4;
        group * self.keys + draw.below(self.keys)
    }

    fn time(&self, draw: &mut Draw) -> Option<i64> {
        if draw.percent(self.nulls) {
            return None;
        }
        if draw.percent(self.poison) {
            let far = [i64::MIN, YEAR_1, 0, YEAR_9999, YEAR_9999 + 1, i64::MAX - 1, i64::MAX];
            return Some(draw.one_of(&far));
        }
        if draw.percent(self.overdue) {
            return Some(self.line.saturating_sub(draw.upto(20 * STEP)));
        }
        if draw.percent(self.disorder) {
            return Some(self.clock.saturating_sub(draw.upto(self.live * STEP)));
        }
        Some(self.clock)
    }

    /// The rows of a batch, of which some are stored.
    pub(super) fn rows(&mut self, draw: &mut Draw) -> Vec<Row> {
        self.number += 1;
        if draw.percent(self.jumps) {
            self.clock = self.clock.saturating_add(self.live * STEP * draw.one_of(&[1, 30, 3000]));
        }
        let count = draw.upto(self.batch);
        let all = draw.percent(70);
        (0..count)
            .map(|_| {
                self.clock = self.clock.saturating_add(draw.upto(2 * STEP));
                Row {
                    key: self.key(draw),
                    time: self.time(draw),
                    matched: self.tracks && draw.percent(self.matched),
                    matchable: !draw.percent(self.unmatchable),
                    stored: all || draw.percent(60),
                }
            })
            .collect()
    }

    /// Rows that look for partners.
    pub(super) fn looking(&self, draw: &mut Draw) -> Looking {
        let rows: Vec<Row> = (0..draw.upto(self.batch + 3))
            .map(|_| Row {
                key: self.key(draw),
                time: self.time(draw),
                matched: false,
                matchable: !draw.percent(self.unmatchable),
                stored: false,
            })
            .collect();
        let selected =
            draw.percent(40).then(|| (0..rows.len() as u32).filter(|_| draw.percent(50)).collect());
        let interval =
            self.timed.then(|| (draw.one_of(&[Side::Left, Side::Right]), self.interval(draw)));
        let limit = draw.one_of(&[1, 2, 7, 100, 100_000]);
        Looking { rows, selected, interval, limit }
    }

    fn interval(&self, draw: &mut Draw) -> IntervalCondition {
        let width = self.live * STEP;
        let bound = |micros: i64, draw: &mut Draw| {
            Some(Bound { distance: TimeDelta::from_micros(micros), inclusive: draw.percent(70) })
        };
        let kind = if draw.percent(80) { self.intervals } else { 4 + draw.below(4) };
        let (lower, upper) = match kind {
            0 => (bound(-width / 20, draw), bound(width / 20, draw)),
            1 => (bound(-width, draw), bound(width, draw)),
            2 => (bound(-width, draw), bound(-width * 9 / 10, draw)),
            3 => (bound(width * 9 / 10, draw), bound(width, draw)),
            4 => (None, bound(0, draw)),
            5 => (bound(0, draw), None),
            6 => (bound(i64::MIN, draw), bound(i64::MAX, draw)),
            _ => (bound(10, draw), bound(-10, draw)),
        };
        IntervalCondition { lower, upper }
    }

    /// The eviction line after a batch; mostly a later one.
    pub(super) fn next_line(&mut self, draw: &mut Draw) -> Option<i64> {
        match draw.below(20) {
            0..3 => return None,
            3 => return Some(self.line.saturating_sub(5 * STEP)),
            4 => return Some(self.line),
            _ => {}
        }
        let back = match draw.below(30) {
            0 => 0,
            1 => 1,
            _ => self.live * STEP,
        };
        self.line = self.line.max(self.clock.saturating_sub(back));
        Some(self.line)
    }

    /// Every key that a row may have.
    pub(super) fn keys(&self) -> std::ops::Range<u64> {
        0..if self.turn > 0 { 4 * self.keys } else { self.keys }
    }
}
