//! Which rows of a block expire next.
//!
//! Rows whose event time is not below that of the rows before them need no
//! order of their own: a position that moves on is enough. The others, the late
//! ones, are noted as they come and sorted when the first of them may be due. So
//! an eviction touches what expires and nothing else.

/// The order in which the rows of a block expire.
#[derive(Debug, Default)]
pub(in crate::state) struct Due {
    /// Rows before this one have expired or are late ones.
    next: usize,
    /// The event time of the last row that was passed.
    passed: Option<i64>,
    /// Rows with a lower event time than one before them: from `late_next` on
    /// those that have not expired, by event time as far as they are sorted.
    late: Vec<u16>,
    late_next: usize,
    sorted: bool,
}

impl Due {
    /// Notes that `row`, the one that comes in, has a lower time than one
    /// before it.
    #[inline]
    pub(super) fn note_late(&mut self, row: usize) {
        self.late.push(row as u16);
        self.sorted = false;
    }

    /// Calls `expired` with each row whose time is at most `line`, once in the
    /// life of the block; returns the least time that is left.
    pub(super) fn pass(
        &mut self,
        line: i64,
        rows: usize,
        time: impl Fn(usize) -> i64,
        mut expired: impl FnMut(usize),
    ) -> Option<i64> {
        let mut left = None;
        while self.next < rows {
            let row_time = time(self.next);
            if self.passed.is_none_or(|passed| passed <= row_time) {
                if row_time > line {
                    left = Some(row_time);
                    break;
                }
                self.passed = Some(row_time);
                expired(self.next);
            }
            self.next += 1;
        }
        if !self.sorted {
            self.late[self.late_next..].sort_unstable_by_key(|&row| time(row as usize));
            self.sorted = true;
        }
        while let Some(&row) = self.late.get(self.late_next) {
            let row_time = time(row as usize);
            if row_time > line {
                left = Some(left.map_or(row_time, |left| row_time.min(left)));
                break;
            }
            expired(row as usize);
            self.late_next += 1;
        }
        left
    }

    /// Notes that all rows have expired.
    pub(super) fn finish(&mut self, rows: usize, greatest: i64) {
        (self.next, self.passed) = (rows, Some(greatest));
        self.late_next = self.late.len();
    }

    pub(super) fn bytes(&self) -> usize {
        self.late.capacity() * size_of::<u16>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_expires_once_when_its_time_comes() {
        let times = [5i64, 7, 7, 3, 9, 1, 9, 8, 20, 2, 6];
        let mut due = Due::default();
        let mut greatest = i64::MIN;
        let mut seen = Vec::new();
        let mut rows = 0;
        // Rows come in between evictions; each is above the line when it comes.
        for (upto, line) in [(6, 0), (6, 3), (6, 4), (8, 7), (9, 7), (9, 8), (9, 100)] {
            for row in rows..upto {
                if times[row] < greatest {
                    due.note_late(row);
                }
                greatest = greatest.max(times[row]);
            }
            rows = upto;
            let left = due.pass(line, rows, |row| times[row], |row| seen.push(row));
            let expected: Vec<usize> = (0..rows).filter(|&row| times[row] <= line).collect();
            let mut sorted = seen.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, expected, "line {line}");
            assert_eq!(left, times[..rows].iter().copied().filter(|&time| time > line).min());
        }
    }
}
