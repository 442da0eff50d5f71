//! The rows of one side that some delay still holds, in the order of time.

use std::collections::BTreeMap;
use std::ops::Bound;

/// Rows that fare alike at every delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// The first delay at which they were accepted.
    pub(crate) from: usize,
    /// The first delay at which they have met a match; beyond the last if none.
    pub(crate) until: usize,
    pub(crate) rows: u64,
}

/// Where rows stand: by time, those without one last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    timeless: bool,
    time: i64,
    tag: u64,
}

impl Place {
    fn new(time: Option<i64>, tag: u64) -> Self {
        Self { timeless: time.is_none(), time: time.unwrap_or(0), tag }
    }
}

/// Rows by time. A tag tells apart those of one time: a row's number where it
/// matters which row it is, else what they have in common.
#[derive(Debug, Default)]
pub(crate) struct HeldRows {
    rows: BTreeMap<Place, Held>,
}

impl HeldRows {
    /// Adds rows; to those of the same time and tag, if there are any.
    pub(crate) fn put(&mut self, time: Option<i64>, tag: u64, held: Held) {
        self.rows
            .entry(Place::new(time, tag))
            .and_modify(|there| there.rows += held.rows)
            .or_insert(held);
    }

    pub(crate) fn get_mut(&mut self, time: Option<i64>, tag: u64) -> Option<&mut Held> {
        self.rows.get_mut(&Place::new(time, tag))
    }

    pub(crate) fn remove(&mut self, time: Option<i64>, tag: u64) {
        self.rows.remove(&Place::new(time, tag));
    }

    /// The rows with a time after `after`, if given, and at most `to`.
    pub(crate) fn between(
        &self,
        after: Option<i64>,
        to: i64,
    ) -> impl Iterator<Item = (i64, &Held)> {
        let after = match after {
            Some(after) => Bound::Excluded(Place::new(Some(after), u64::MAX)),
            None => Bound::Unbounded,
        };
        let to = Bound::Included(Place::new(Some(to), u64::MAX));
        self.rows.range((after, to)).map(|(place, held)| (place.time, held))
    }

    /// Forgets the rows with a time of at most `line`.
    pub(crate) fn discard(&mut self, line: i64) {
        let last = Place::new(Some(line), u64::MAX);
        while let Some(first) = self.rows.first_entry()
            && *first.key() <= last
        {
            first.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Held = Held { from: 0, until: 1, rows: 1 };

    #[test]
    fn rows_stand_by_time_and_leave_by_it() {
        let mut held = HeldRows::default();
        for (time, tag) in [(Some(5), 1), (Some(5), 2), (Some(3), 9), (None, 4), (Some(7), 1)] {
            held.put(time, tag, ROW);
        }
        held.put(Some(5), 2, ROW);
        let between = |held: &HeldRows, after, to| -> Vec<(i64, u64)> {
            held.between(after, to).map(|(time, held)| (time, held.rows)).collect()
        };
        assert_eq!(between(&held, Some(3), 5), [(5, 1), (5, 2)]);
        assert_eq!(between(&held, None, i64::MAX), [(3, 1), (5, 1), (5, 2), (7, 1)]);
        held.discard(5);
        assert_eq!(between(&held, None, i64::MAX), [(7, 1)]);
        assert!(held.get_mut(None, 4).is_some(), "it has no time to leave at");
        held.remove(None, 4);
        assert!(held.get_mut(None, 4).is_none());
    }
}
