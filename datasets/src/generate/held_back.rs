//! Rows that are emitted later than they are made: a heap of those that wait.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Holds values back until their time; the first made goes first among equals.
#[derive(Debug)]
pub(super) struct HeldBack<T> {
    waiting: BinaryHeap<Reverse<Waiting<T>>>,
    made: u64,
}

#[derive(Debug)]
struct Waiting<T> {
    due: i64,
    number: u64,
    value: T,
}

impl<T> HeldBack<T> {
    pub(super) fn new() -> HeldBack<T> {
        HeldBack { waiting: BinaryHeap::new(), made: 0 }
    }

    /// Holds `value` back until `due`.
    pub(super) fn hold(&mut self, due: i64, value: T) {
        self.waiting.push(Reverse(Waiting { due, number: self.made, value }));
        self.made += 1;
    }

    /// The next value that is due before `time`; all are at the end of time.
    pub(super) fn next_before(&mut self, time: i64) -> Option<T> {
        let Reverse(next) = self.waiting.peek()?;
        if next.due >= time && time != i64::MAX {
            return None;
        }
        self.waiting.pop().map(|Reverse(next)| next.value)
    }
}

impl<T> PartialEq for Waiting<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Waiting<T> {}

impl<T> PartialOrd for Waiting<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Waiting<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.due, self.number).cmp(&(other.due, other.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_when_they_are_due() {
        let mut held = HeldBack::new();
        for (due, value) in [(5, 'b'), (1, 'a'), (5, 'c'), (9, 'd')] {
            held.hold(due, value);
        }
        let before = |held: &mut HeldBack<char>, time| {
            std::iter::from_fn(|| held.next_before(time)).collect::<String>()
        };
        assert_eq!(before(&mut held, 1), "");
        assert_eq!(before(&mut held, 6), "abc");
        assert_eq!(before(&mut held, i64::MAX), "d");
    }
}
