//! Late rows by event time: those that came after a row of their block with a
//! greater one, and so cannot expire in the order in which they lie.
//!
//! A calendar queue (Brown, "Calendar queues", CACM 31(10), 1988): days of one
//! length, rows of a day in any order. Days lengthen when there are too many.

use std::collections::VecDeque;

/// Most days.
const DAYS: i128 = 2048;

/// Row numbers by day.
#[derive(Debug)]
pub(super) struct LateRows {
    /// Length of a day in microseconds, and which day is the first.
    width: i64,
    first: i64,
    days: VecDeque<Vec<(i64, u32)>>,
    rows: usize,
    /// Room of all days.
    capacity: usize,
}

impl LateRows {
    pub(super) fn new() -> Self {
        Self { width: 1024, first: 0, days: VecDeque::new(), rows: 0, capacity: 0 }
    }

    /// Notes a row.
    #[inline]
    pub(super) fn push(&mut self, time: i64, row: u32) {
        let day = time.div_euclid(self.width);
        let at = i128::from(day) - i128::from(self.first);
        if self.days.is_empty() || at < 0 || at >= self.days.len() as i128 {
            self.reach(time);
        }
        let day = (time.div_euclid(self.width) - self.first) as usize;
        let rows = &mut self.days[day];
        let before = rows.capacity();
        rows.push((time, row));
        self.capacity += rows.capacity() - before;
        self.rows += 1;
    }

    /// Makes days as far as the one of `time`.
    #[cold]
    fn reach(&mut self, time: i64) {
        if self.days.is_empty() {
            self.first = time.div_euclid(self.width);
        }
        let last = |queue: &Self| i128::from(queue.first) + queue.days.len() as i128 - 1;
        loop {
            let day = i128::from(time.div_euclid(self.width));
            let days = last(self).max(day) - i128::from(self.first).min(day) + 1;
            if days <= DAYS {
                break;
            }
            self.lengthen();
        }
        let day = time.div_euclid(self.width);
        while day < self.first {
            self.days.push_front(Vec::new());
            self.first -= 1;
        }
        while i128::from(day) > last(self) {
            self.days.push_back(Vec::new());
        }
    }

    /// Doubles the length of a day.
    fn lengthen(&mut self) {
        let (first, days) = (self.first, std::mem::take(&mut self.days));
        self.width = self.width.saturating_mul(2);
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
    }

    /// Takes out the rows at or before `line`.
    pub(super) fn expire(&mut self, line: i64, mut expired: impl FnMut(i64, u32)) {
        let day = line.div_euclid(self.width);
        while self.first < day
            && let Some(rows) = self.days.pop_front()
        {
            self.first += 1;
            self.rows -= rows.len();
            self.capacity -= rows.capacity();
            rows.into_iter().for_each(|(time, row)| expired(time, row));
        }
        if self.first == day
            && let Some(rows) = self.days.front_mut()
        {
            let before = rows.len();
            rows.retain(|&(time, row)| {
                if time <= line {
                    expired(time, row);
                }
                time > line
            });
            self.rows -= before - rows.len();
        }
    }

    /// Rows, those that left otherwise included.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// Forgets the rows for which `keep` is false.
    pub(super) fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        for rows in &mut self.days {
            rows.retain(|&(_, row)| keep(row));
            rows.shrink_to(2 * rows.len());
        }
        self.rows = self.days.iter().map(Vec::len).sum();
        self.capacity = self.days.iter().map(Vec::capacity).sum();
    }

    /// Bytes in use and bytes allocated.
    pub(super) fn bytes(&self) -> (usize, usize) {
        let row = size_of::<(i64, u32)>();
        let days = self.days.capacity() * size_of::<Vec<(i64, u32)>>();
        (self.rows * row, self.capacity * row + days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_expire_when_their_time_comes_however_far_apart_they_are() {
        let mut late = LateRows::new();
        let mut state = 7u64;
        let mut rows: Vec<(i64, u32)> = Vec::new();
        let mut line = -(1i64 << 40);
        for round in 0..200u32 {
            for i in 0..50 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let far = if state >> 60 == 0 { 1 << 45 } else { 1 << 24 };
                let row = (line + 1 + (state >> 16) as i64 % far, round * 50 + i);
                late.push(row.0, row.1);
                rows.push(row);
            }
            line += if round % 10 == 0 { 1 << 30 } else { 1 << 18 };
            let mut found = Vec::new();
            late.expire(line, |time, row| found.push((time, row)));
            let mut expected: Vec<_> = rows.extract_if(.., |row| row.0 <= line).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected);
            assert_eq!(late.len(), rows.len());
        }
        let mut left = 0;
        for time in [i64::MIN, i64::MAX, 0] {
            late.push(time, 0);
        }
        late.expire(i64::MAX, |_, _| left += 1);
        assert_eq!(left, rows.len() + 3);
        assert_eq!((late.len(), late.bytes().0), (0, 0));
    }
}
