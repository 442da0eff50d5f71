//! Late rows by event time: those that came after a row of their block with a
//! greater one, and so cannot expire in the order in which they lie.
//!
//! A calendar queue (Brown, "Calendar queues", CACM 31(10), 1988): days of one
//! length, rows of a day in any order. A day that the line has reached is sorted,
//! so that no row is read again and again. The few rows that lie far
//! beyond the others wait outside; days lengthen when these become many.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::state::block::RowNumber;

/// Most days, of a ring of large blocks and of any. Not measured.
const MOST_DAYS: usize = 2048;
const LEAST_DAYS: usize = 64;
/// Rows that may lie outside the calendar, in addition to as many as lie in it. Not
/// measured.
const FEW: usize = 64;

/// Row numbers by day.
#[derive(Debug)]
pub(super) struct LateRows {
    /// Most days.
    most_days: usize,
    /// Length of a day in microseconds, and which day is the first.
    width: i64,
    first: i64,
    days: VecDeque<Vec<(i64, RowNumber)>>,
    /// Rows in days, and the room of all days.
    in_days: usize,
    capacity: usize,
    /// Rows of the day of the line, the last first, and those that came for it
    /// since or after it.
    today: Vec<(i64, RowNumber)>,
    overdue: BinaryHeap<Reverse<(i64, RowNumber)>>,
    /// Rows that lie outside, and the least of their times.
    outside: Vec<(i64, RowNumber)>,
    least_outside: i64,
    /// Up to where rows have expired.
    line: i64,
    /// Rows that were read.
    #[cfg(test)]
    looked: usize,
}

impl LateRows {
    /// Most days where blocks have `block_rows` rows: few late rows need few of them.
    pub(super) fn days(block_rows: usize) -> usize {
        (2 * block_rows).clamp(LEAST_DAYS, MOST_DAYS)
    }

    pub(super) fn new(most_days: usize) -> Self {
        Self {
            most_days,
            width: 1024,
            first: 0,
            days: VecDeque::new(),
            in_days: 0,
            capacity: 0,
            today: Vec::new(),
            overdue: BinaryHeap::new(),
            outside: Vec::new(),
            least_outside: i64::MAX,
            line: i64::MIN,
            #[cfg(test)]
            looked: 0,
        }
    }

    /// Counts rows that were read, for the tests.
    #[inline(always)]
    fn count_looked(&mut self, _rows: usize) {
        #[cfg(test)]
        {
            self.looked += _rows;
        }
    }

    /// Notes a row.
    #[inline]
    pub(super) fn push(&mut self, time: i64, row: RowNumber) {
        let at = time.div_euclid(self.width).wrapping_sub(self.first);
        match usize::try_from(at).ok().and_then(|at| self.days.get_mut(at)) {
            Some(rows) => {
                let before = rows.capacity();
                rows.push((time, row));
                self.capacity += rows.capacity() - before;
                self.in_days += 1;
            }
            None => self.push_elsewhere(time, row),
        }
    }

    /// Notes a row whose day is not there.
    #[cold]
    fn push_elsewhere(&mut self, time: i64, row: RowNumber) {
        let day = time.div_euclid(self.width);
        if day <= self.line.div_euclid(self.width) {
            self.overdue.push(Reverse((time, row)));
            return;
        }
        if self.days.is_empty() {
            self.first = day;
        }
        let last = i128::from(self.first) + self.days.len() as i128 - 1;
        let days = last.max(day.into()) - i128::from(self.first.min(day)) + 1;
        if days > self.most_days as i128 {
            self.outside.push((time, row));
            self.least_outside = self.least_outside.min(time);
            while self.outside.len() > FEW + self.in_days {
                self.lengthen();
            }
            return;
        }
        while day < self.first {
            self.days.push_front(Vec::new());
            self.first -= 1;
        }
        while day - self.first >= self.days.len() as i64 {
            self.days.push_back(Vec::new());
        }
        self.push(time, row);
    }

    /// Doubles the length of a day.
    fn lengthen(&mut self) {
        let (first, days) = (self.first, std::mem::take(&mut self.days));
        self.width *= 2;
        self.first = first.div_euclid(2);
        for (day, rows) in (first..).zip(days) {
            let at = (day.div_euclid(2) - self.first) as usize;
            if at == self.days.len() {
                self.days.push_back(rows);
            } else {
                self.days[at].extend(rows);
            }
        }
        self.capacity = self.days.iter().map(Vec::capacity).sum();
        self.take_in();
    }

    /// Moves the rows in that no longer lie outside.
    fn take_in(&mut self) {
        let outside = std::mem::take(&mut self.outside);
        self.count_looked(outside.len());
        self.least_outside = i64::MAX;
        let (line, width) = (self.line.div_euclid(self.width), self.width);
        if self.days.is_empty()
            && let Some(&(least, _)) = outside.iter().min()
        {
            self.first = least.div_euclid(width);
            self.days.push_back(Vec::new());
        }
        for (time, row) in outside {
            let day = i128::from(time.div_euclid(width));
            let last = i128::from(self.first) + self.days.len() as i128 - 1;
            if day <= i128::from(line)
                || last.max(day) - i128::from(self.first).min(day) < self.most_days as i128
            {
                self.push(time, row);
            } else {
                self.outside.push((time, row));
                self.least_outside = self.least_outside.min(time);
            }
        }
    }

    /// Takes out the rows at or before `line`.
    pub(super) fn expire(&mut self, line: i64, mut expired: impl FnMut(i64, RowNumber)) {
        self.line = self.line.max(line);
        let day = line.div_euclid(self.width);
        while self.first <= day
            && let Some(mut rows) = self.days.pop_front()
        {
            self.count_looked(rows.len());
            self.in_days -= rows.len();
            self.capacity -= rows.capacity();
            if self.first < day {
                rows.into_iter().for_each(|(time, row)| expired(time, row));
            } else {
                // What is left of the days before, or of the same one before it
                // became a longer one.
                rows.append(&mut self.today);
                self.today = rows;
                self.today.sort_unstable_by_key(|&(time, _)| Reverse(time));
            }
            self.first += 1;
        }
        if self.least_outside <= line {
            self.take_in();
            if self.days.front().is_some() && self.first <= day {
                return self.expire(line, expired);
            }
        }
        while let Some((time, row)) = self.today.pop_if(|&mut (time, _)| time <= line) {
            self.count_looked(1);
            expired(time, row);
        }
        while let Some(&Reverse((time, row))) = self.overdue.peek()
            && time <= line
        {
            self.count_looked(1);
            self.overdue.pop();
            expired(time, row);
        }
        if self.today.is_empty() {
            self.today = Vec::new();
        }
    }

    /// Number of rows, those that left otherwise included.
    pub(super) fn len(&self) -> usize {
        self.in_days + self.today.len() + self.overdue.len() + self.outside.len()
    }

    /// Forgets the rows for which `keep` is false.
    pub(super) fn retain(&mut self, keep: impl Fn(RowNumber) -> bool) {
        for rows in &mut self.days {
            rows.retain(|&(_, row)| keep(row));
            rows.shrink_to(2 * rows.len());
        }
        self.in_days = self.days.iter().map(Vec::len).sum();
        self.capacity = self.days.iter().map(Vec::capacity).sum();
        self.today.retain(|&(_, row)| keep(row));
        self.overdue.retain(|&Reverse((_, row))| keep(row));
        self.overdue.shrink_to(2 * self.overdue.len());
        self.outside.retain(|&(_, row)| keep(row));
        self.outside.shrink_to(2 * self.outside.len());
    }

    /// The most bytes that noting this many more rows adds.
    pub(super) fn growth(&self, rows: usize, most_days: usize) -> usize {
        if rows == 0 {
            return 0;
        }
        let days = (2 * most_days).saturating_sub(self.days.capacity());
        // A day doubles, or is a new one; days that lengthen take what lies outside.
        let room = 2 * (self.len() + rows) + 4 * (self.outside.len() + rows);
        days * size_of::<Vec<(i64, RowNumber)>>() + room * size_of::<(i64, RowNumber)>()
    }

    /// Bytes in use and bytes allocated.
    pub(super) fn bytes(&self) -> (usize, usize) {
        let days = self.days.capacity() * size_of::<Vec<(i64, RowNumber)>>();
        let room = self.capacity
            + self.today.capacity()
            + self.overdue.capacity()
            + self.outside.capacity();
        let row = size_of::<(i64, RowNumber)>();
        (self.len() * row, room * row + days)
    }
}
