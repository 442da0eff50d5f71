//! Counts for each of a list of delays, to which ranges of it are added.

use std::ops::Range;

/// Adding a range costs the same whatever its length.
#[derive(Clone, Debug)]
pub(crate) struct RangeCounts {
    /// By how much each count differs from the one before; one more at the end.
    steps: Vec<i64>,
}

impl RangeCounts {
    pub(crate) fn new(len: usize) -> Self {
        Self { steps: vec![0; len + 1] }
    }

    /// Adds `rows` to the counts of a range; nothing if it is empty.
    pub(crate) fn add(&mut self, range: Range<usize>, rows: i64) {
        if range.start < range.end {
            self.steps[range.start] += rows;
            self.steps[range.end] -= rows;
        }
    }

    /// Takes the counts, and starts over from zero.
    pub(crate) fn take(&mut self) -> Vec<i64> {
        let mut count = 0;
        let len = self.steps.len() - 1;
        let counts = self.steps[..len].iter().map(|step| {
            count += step;
            count
        });
        let counts = counts.collect();
        self.steps.fill(0);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_add_up() {
        let mut counts = RangeCounts::new(4);
        counts.add(0..4, 1);
        counts.add(1..3, 5);
        counts.add(2..2, 9);
        counts.add(Range { start: 3, end: 1 }, 9);
        counts.add(3..4, -1);
        assert_eq!(counts.take(), [1, 6, 6, 0]);
        assert_eq!(counts.take(), [0; 4]);
    }
}
