//! Watermark delays of both sides, and which of them can be followed together.

use streamjoin_kernels::time::TimeDelta;
use streamjoin_kernels::{Side, stream_stream};

/// The watermark delays of two streams, in microseconds, of which whole
/// milliseconds count; none where a stream declares no watermark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Delays {
    /// The delay of the left stream.
    pub left: Option<i64>,
    /// The delay of the right stream.
    pub right: Option<i64>,
}

impl Delays {
    /// Those that a join declares.
    pub fn declared(spec: &stream_stream::Spec) -> Self {
        let delay = |side| spec.input(side).watermark_delay.map(TimeDelta::as_micros);
        Self { left: delay(Side::Left), right: delay(Side::Right) }
    }

    /// The delay of one side.
    pub fn on(self, side: Side) -> Option<i64> {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }

    /// The same with another delay on one side, if that declares one.
    #[must_use]
    pub fn with(self, side: Side, delay: i64) -> Self {
        match side {
            Side::Left => Self { left: self.left.map(|_| delay), ..self },
            Side::Right => Self { right: self.right.map(|_| delay), ..self },
        }
    }

    /// The greater delay of each side.
    pub(crate) fn max(self, other: Self) -> Self {
        Self { left: self.left.max(other.left), right: self.right.max(other.right) }
    }

    /// Whether no side waits longer than in `other`.
    fn is_within(self, other: Self) -> bool {
        self.left <= other.left && self.right <= other.right
    }
}

/// Positions of the settings in as few ascending groups as first fit finds.
pub(crate) fn groups(settings: &[Delays]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..settings.len()).collect();
    order.sort_by_key(|&place| settings[place]);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for place in order {
        let fits = |group: &&mut Vec<usize>| {
            group.last().is_some_and(|&last| settings[last].is_within(settings[place]))
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ascends_on_both_sides_is_a_chain() {
        let delays = |left, right| Delays { left: Some(left), right: Some(right) };
        let both = [delays(3, 3), delays(0, 0), delays(2, 2)];
        assert_eq!(groups(&both), [vec![1, 2, 0]]);
        // 1 and 4 on the two sides are neither below nor above 2 and 2.
        let with_own = [delays(0, 0), delays(2, 2), delays(9, 9), delays(1, 4)];
        assert_eq!(groups(&with_own), [vec![0, 3, 2], vec![1]]);
        let one = |left| Delays { left: Some(left), right: None };
        assert_eq!(groups(&[one(5), one(1), one(5)]), [vec![1, 0, 2]]);
        assert_eq!(one(5).with(Side::Right, 7), one(5), "it declares none");
    }
}
