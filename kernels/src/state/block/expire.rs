//! Rows of a block leave: those that expire, and those that are taken out.

use super::bits;
use super::due::Due;
use super::entry::{EntryKey, last_word};
use super::rows::Block;
use crate::state::Departed;

/// An order is kept while at most one row in this many is late. Not measured.
const FEW: usize = 8;

/// What an eviction did to a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Expired {
    /// Rows that were in state until then.
    pub(crate) rows: usize,
    /// Rows that were read.
    pub(crate) visited: usize,
    /// The event time of the next that is left; late ones that were noted left
    /// out.
    pub(crate) left: Option<i64>,
}

impl Block {
    /// Notes that no more rows come in. If few are late, the others expire in
    /// the order in which they lie; `late` is called with each of the few that
    /// is above `line`, for the caller to keep track of. If many are, the block
    /// is searched when some of its rows are due, as long as that pays. Returns when
    /// that is.
    pub(crate) fn close<E: EntryKey>(
        &mut self,
        line: Option<i64>,
        late: impl FnMut(usize, i64),
    ) -> Option<i64> {
        let is_left = |time: i64| line.is_none_or(|line| time > line);
        if self.late > self.rows / FEW {
            let times = (0..self.rows).map(|row| self.time::<E>(row));
            return times.filter(|&time| is_left(time)).min();
        }
        self.put_in_order::<E>(line, late)
    }

    /// Whether so few rows expired that the block, which has no order, should get
    /// one instead of being searched again.
    pub(crate) fn wants_order(&self, expired: Expired) -> bool {
        self.due.is_none() && self.live > 0 && expired.rows * FEW < expired.visited
    }

    /// Notes which rows are late; `late` is called with each that is above
    /// `line`. Returns when the others are due.
    pub(crate) fn put_in_order<E: EntryKey>(
        &mut self,
        line: Option<i64>,
        mut late: impl FnMut(usize, i64),
    ) -> Option<i64> {
        let is_left = |time: i64| line.is_none_or(|line| time > line);
        let (mut due, mut noted) = (Due::default(), 0);
        if self.late > 0 {
            for row in (0..self.rows).filter(|&row| last_word::<E>(self.entry::<E>(row)).is_late())
            {
                let time = self.time::<E>(row);
                due.note_late(row);
                if is_left(time) && !self.is_dead(row) {
                    late(row, time);
                    noted += 1;
                }
            }
        }
        if let Some(line) = line {
            due.pass(line, self.rows, |row| self.time::<E>(row));
        }
        self.late = noted;
        self.due = Some(due);
        self.next_due::<E>()
    }

    /// Takes out the rows at or before `line`, which were above `before`; late
    /// ones that were noted left out. Notes those that never matched, if given
    /// where, under their numbers, which begin with `first`.
    pub(crate) fn expire<E: EntryKey>(
        &mut self,
        before: Option<i64>,
        line: i64,
        first: u32,
        mut unmatched: Option<&mut Departed>,
    ) -> Expired {
        let all = self.greatest <= line;
        let Some(mut due) = self.due.take() else {
            return self.look_through::<E>(before, line, first, unmatched);
        };
        let from = due.next();
        if all {
            due.finish(self.rows);
        } else {
            due.pass(line, self.rows, |row| self.time::<E>(row));
        }
        let passed = from..due.next();
        let visited = if all && unmatched.is_none() { 0 } else { passed.len() };
        let expires = |row: usize| !due.is_late(row) && !self.is_dead(row);
        let rows = match &mut unmatched {
            None if all => self.live - self.late,
            None if !self.has_dead() && !due.has_late() => passed.len(),
            None => passed.filter(|&row| expires(row)).count(),
            Some(unmatched) => {
                let expired = passed.filter(|&row| expires(row));
                expired.inspect(|&row| self.depart::<E>(row, first, unmatched)).count()
            }
        };
        self.due = Some(due);
        self.live -= rows;
        if all {
            // Late ones have an even lower time.
            (self.live, self.late) = (0, 0);
        }
        Expired { rows, visited, left: if all { None } else { self.next_due::<E>() } }
    }

    /// As [`expire`](Self::expire), of a block without an order.
    fn look_through<E: EntryKey>(
        &mut self,
        before: Option<i64>,
        line: i64,
        first: u32,
        unmatched: Option<&mut Departed>,
    ) -> Expired {
        if self.greatest <= line && unmatched.is_none() {
            return Expired { rows: std::mem::take(&mut self.live), visited: 0, left: None };
        }
        let (mut rows, mut left) = (0, i64::MAX);
        let expires = |time: i64| before.is_none_or(|before| time > before) && time <= line;
        match unmatched {
            None if !self.has_dead() => {
                for row in 0..self.rows {
                    let time = self.time::<E>(row);
                    rows += usize::from(expires(time));
                    left = left.min(if time > line { time } else { i64::MAX });
                }
            }
            mut unmatched => {
                for row in (0..self.rows).filter(|&row| !self.is_dead(row)) {
                    let time = self.time::<E>(row);
                    if expires(time) {
                        rows += 1;
                        if let Some(unmatched) = &mut unmatched {
                            self.depart::<E>(row, first, unmatched);
                        }
                    } else if time > line {
                        left = left.min(time);
                    }
                }
            }
        }
        self.live -= rows;
        let left = (self.live > 0).then_some(left);
        Expired { rows, visited: self.rows, left }
    }

    /// Notes a row that leaves, if it never matched.
    fn depart<E: EntryKey>(&self, row: usize, first: u32, unmatched: &mut Departed) {
        if !self.is_matched(row) {
            unmatched.push(first + row as u32, Some(self.time::<E>(row)));
        }
    }

    /// The time of the first row, in order, that has not expired.
    fn next_due<E: EntryKey>(&self) -> Option<i64> {
        let due = self.due.as_ref()?;
        let next = (due.next()..self.rows).find(|&row| !due.is_late(row))?;
        Some(self.time::<E>(next))
    }

    /// Takes out a row that is in state; returns how many are left.
    pub(crate) fn remove(&mut self, row: usize) -> usize {
        bits::put(&mut self.dead, row, true);
        let is_noted = self.due.as_ref().is_some_and(|due| due.is_late(row));
        self.late -= usize::from(is_noted);
        self.live -= 1;
        self.live
    }
}
