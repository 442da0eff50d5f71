//! Late rows by event time: those that came after a row of their block with a
//! greater one, and so cannot expire in the order in which they lie.
//!
//! A calendar queue (Brown, "Calendar queues", CACM 31(10), 1988): days of one
//! length, rows of a day in any order. A day that the line has reached is put in
//! order, so that no row is looked at again and again. The few rows that lie far
//! beyond the others wait outside; days lengthen when these become many.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Most days.
const DAYS: i128 = 2048;
/// Rows that may lie outside the calendar, beside as many as lie in it.
const FEW: usize = 64;

/// Row numbers by day.
#[derive(Debug)]
pub(super) struct LateRows {
    /// Length of a day in microseconds, and which day is the first.
    width: i64,
    first: i64,
    days: VecDeque<Vec<(i64, u32)>>,
    /// Rows in days, and the room of all days.
    in_days: usize,
    capacity: usize,
    /// Rows of the day of the line, the last first, and those that came for it
    /// since or after it.
    today: Vec<(i64, u32)>,
    overdue: BinaryHeap<Reverse<(i64, u32)>>,
    /// Rows that lie outside, and the least of their times.
    outside: Vec<(i64, u32)>,
    least_outside: i64,
    /// Up to where rows have expired.
    line: i64,
    /// Rows that were looked at.
    #[cfg(test)]
    looked: usize,
}

impl LateRows {
    pub(super) fn new() -> Self {
        Self {
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

    /// Notes a row.
    #[inline]
    pub(super) fn push(&mut self, time: i64, row: u32) {
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
    fn push_elsewhere(&mut self, time: i64, row: u32) {
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
        if days > DAYS {
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

    /// Takes the rows in that no longer lie outside.
    fn take_in(&mut self) {
        let outside = std::mem::take(&mut self.outside);
        #[cfg(test)]
        {
            self.looked += outside.len();
        }
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
            if day <= i128::from(line) || last.max(day) - i128::from(self.first).min(day) < DAYS {
                self.push(time, row);
            } else {
                self.outside.push((time, row));
                self.least_outside = self.least_outside.min(time);
            }
        }
    }

    /// Takes out the rows at or before `line`.
    pub(super) fn expire(&mut self, line: i64, mut expired: impl FnMut(i64, u32)) {
        self.line = self.line.max(line);
        let day = line.div_euclid(self.width);
        while self.first <= day
            && let Some(mut rows) = self.days.pop_front()
        {
            #[cfg(test)]
            {
                self.looked += rows.len();
            }
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
            #[cfg(test)]
            {
                self.looked += 1;
            }
            expired(time, row);
        }
        while let Some(&Reverse((time, row))) = self.overdue.peek()
            && time <= line
        {
            #[cfg(test)]
            {
                self.looked += 1;
            }
            self.overdue.pop();
            expired(time, row);
        }
        if self.today.is_empty() {
            self.today = Vec::new();
        }
    }

    /// Rows, those that left otherwise included.
    pub(super) fn len(&self) -> usize {
        self.in_days + self.today.len() + self.overdue.len() + self.outside.len()
    }

    /// Forgets the rows for which `keep` is false.
    pub(super) fn retain(&mut self, keep: impl Fn(u32) -> bool) {
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

    /// Bytes in use and bytes allocated.
    pub(super) fn bytes(&self) -> (usize, usize) {
        let days = self.days.capacity() * size_of::<Vec<(i64, u32)>>();
        let room = self.capacity
            + self.today.capacity()
            + self.overdue.capacity()
            + self.outside.capacity();
        let row = size_of::<(i64, u32)>();
        (self.len() * row, room * row + days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *state >> 16
    }

    #[test]
    fn rows_expire_when_their_time_comes_however_far_apart_they_are() {
        let mut late = LateRows::new();
        let mut state = 7u64;
        let mut rows: Vec<(i64, u32)> = Vec::new();
        let mut line = -(1i64 << 40);
        let mut number = 0;
        for round in 0..400u32 {
            for _ in 0..20 {
                // Near ones, and for some time many far ones.
                let far = random(&mut state).is_multiple_of(16) || (100..200).contains(&round);
                let reach = if far { 1 << 45 } else { 1 << 24 };
                let row = (line + 1 + random(&mut state) as i64 % reach, number);
                number += 1;
                late.push(row.0, row.1);
                rows.push(row);
            }
            if round % 50 == 7 {
                late.retain(|row| row % 3 != 0);
                rows.retain(|row| row.1 % 3 != 0);
            }
            line += if round % 10 == 0 { 1 << 30 } else { 1 << 18 };
            let mut found = Vec::new();
            late.expire(line, |time, row| found.push((time, row)));
            let mut expected: Vec<_> = rows.extract_if(.., |row| row.0 <= line).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "round {round}");
            assert_eq!(late.len(), rows.len());
            let (used, allocated) = late.bytes();
            assert!(used <= allocated && used == 16 * rows.len());
        }
        let mut left = 0;
        for time in [i64::MIN, i64::MAX, 0] {
            late.push(time, 0);
        }
        late.expire(i64::MAX, |_, _| left += 1);
        assert_eq!(left, rows.len() + 3);
        assert_eq!((late.len(), late.bytes().0), (0, 0));
    }

    #[test]
    fn rows_at_both_ends_of_time() {
        let mut state = 1;
        for first in [i64::MIN, i64::MAX, 0, -1] {
            let mut late = LateRows::new();
            let mut times = vec![first];
            let ends = [i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1, 0, 1 << 40];
            times.extend((0..300).map(|_| {
                let end = ends[random(&mut state) as usize % ends.len()];
                end.saturating_add(random(&mut state) as i64 % 2000)
            }));
            for (row, &time) in (0..).zip(&times) {
                late.push(time, row);
            }
            for line in [i64::MIN, i64::MIN + 100, -5, 0, 1 << 40, i64::MAX - 1, i64::MAX] {
                let mut found = Vec::new();
                late.expire(line, |time, _| found.push(time));
                let mut expected: Vec<i64> = times.extract_if(.., |time| *time <= line).collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{line}");
            }
            assert_eq!(late.len(), 0);
        }
    }

    #[test]
    fn no_row_is_looked_at_again_and_again_whatever_lies_far_away() {
        for poison in [None, Some(1i64 << 57)] {
            let mut late = LateRows::new();
            late.push(10, 0);
            if let Some(far) = poison {
                late.push(far, 1);
                late.push(far / 2, 2);
            }
            let (mut state, mut expired, mut pushed) = (3, 0, 1);
            for now in 0..20_000i64 {
                let time = now * 100;
                late.push(time + random(&mut state) as i64 % 200_000 + 1, now as u32);
                pushed += 1;
                late.expire(time, |_, _| expired += 1);
            }
            assert!(expired > 15_000 && late.len() < 2500);
            // Once in its day, once when that has come; some before days are long.
            assert!(late.looked <= 3 * pushed, "{} looks at {pushed} rows", late.looked);
        }
    }
}
