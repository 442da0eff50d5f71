//! Which rows of a block expire next.
//!
//! Rows whose event time is not below that of the rows before them need no
//! order of their own: a position that moves on is enough. The others, the late
//! ones, are marked, and the owner of the blocks keeps track of them.

use super::bits;

/// The order in which the rows of a block expire.
#[derive(Debug, Default)]
pub(crate) struct Due {
    /// Rows before this one have expired or are late ones.
    next: usize,
    /// One bit per row, set if it is late; empty while none is.
    late: Vec<u64>,
}

impl Due {
    /// Notes that `row` has a lower time than one before it.
    #[inline]
    pub(super) fn note_late(&mut self, row: usize) {
        bits::put(&mut self.late, row, true);
    }

    pub(super) fn is_late(&self, row: usize) -> bool {
        bits::get(&self.late, row)
    }

    pub(super) fn has_late(&self) -> bool {
        !self.late.is_empty()
    }

    /// The first row that may not have expired.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Passes the rows that expire by `line`.
    pub(super) fn pass(&mut self, line: i64, rows: usize, time: impl Fn(usize) -> i64) {
        if self.late.is_empty() {
            // In order: search instead of looking at each.
            let (mut low, mut high) = (self.next, rows);
            while low < high {
                let middle = low.midpoint(high);
                if time(middle) <= line { low = middle + 1 } else { high = middle }
            }
            self.next = low;
        } else {
            while self.next < rows && (self.is_late(self.next) || time(self.next) <= line) {
                self.next += 1;
            }
        }
    }

    /// Notes that all rows have expired.
    pub(super) fn finish(&mut self, rows: usize) {
        self.next = rows;
    }

    pub(super) fn bytes(&self) -> usize {
        self.late.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_that_is_not_late_expires_once_when_its_time_comes() {
        for times in [&[5i64, 7, 7, 3, 9, 1, 9, 8, 20, 2, 6][..], &[1, 2, 2, 3, 7, 8, 8, 8, 9, 10]]
        {
            let mut due = Due::default();
            let mut greatest = i64::MIN;
            let mut seen = Vec::new();
            let mut rows = 0;
            for (upto, line) in [(6, 0), (6, 3), (6, 4), (8, 7), (9, 7), (9, 8), (10, 100)] {
                for (row, &time) in times.iter().enumerate().take(upto).skip(rows) {
                    if time < greatest {
                        due.note_late(row);
                    }
                    greatest = greatest.max(time);
                }
                rows = upto;
                let from = due.next();
                due.pass(line, rows, |row| times[row]);
                seen.extend((from..due.next()).filter(|&row| !due.is_late(row)));
                let expected: Vec<usize> =
                    (0..rows).filter(|&row| times[row] <= line && !due.is_late(row)).collect();
                assert_eq!(seen, expected, "line {line}");
            }
        }
    }
}
