//! A map from key to rows in event-time order, and one queue of all rows by
//! event time: an eviction reads what expires and nothing else.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::capacity;
use super::keyed::{GroupRows, Keyed};
use super::plain::Expiry;
use super::rows::StoredRows;
use super::{Leaving, StateSize};
use crate::table::OwnedKey;

/// Rows by event time, the least first. An entry whose row was removed is stale: its
/// row is not in state, or has another time.
#[derive(Debug, Default)]
pub(super) struct OrderedMap(BinaryHeap<Reverse<(i64, u32)>>);

/// The rows of a key: those with an event time in its order, then the others.
#[derive(Debug, Default)]
pub(super) struct ByTime {
    timed: VecDeque<(i64, u32)>,
    untimed: Vec<u32>,
}

impl GroupRows for ByTime {
    fn add(&mut self, time: Option<i64>, row: u32) {
        let Some(time) = time else {
            self.untimed.push(row);
            return;
        };
        // Mostly the newest of its key.
        if self.timed.back().is_none_or(|&last| last < (time, row)) {
            self.timed.push_back((time, row));
        } else {
            let at = self.timed.partition_point(|&other| other < (time, row));
            self.timed.insert(at, (time, row));
        }
    }

    fn growth(&self, rows: usize) -> usize {
        // Each of them may be of either kind.
        capacity::of_vec::<(i64, u32)>(self.timed.len(), self.timed.capacity(), rows)
            + capacity::of_vec::<u32>(self.untimed.len(), self.untimed.capacity(), rows)
    }

    fn forget(&mut self, dead: usize, is_live: impl Fn(u32) -> bool) {
        let before = self.len();
        // What an eviction takes out comes first.
        while self.timed.pop_front_if(|&mut (_, row)| !is_live(row)).is_some() {}
        if before - self.len() < dead {
            self.timed.retain(|&(_, row)| is_live(row));
            self.untimed.retain(|&row| is_live(row));
        }
        if self.timed.len() < self.timed.capacity() / 4 {
            self.timed.shrink_to(2 * self.timed.len());
        }
    }

    fn len(&self) -> usize {
        self.timed.len() + self.untimed.len()
    }

    fn row(&self, position: usize) -> u32 {
        match self.timed.get(position) {
            Some(&(_, row)) => row,
            None => self.untimed[position - self.timed.len()],
        }
    }

    fn within(&self, from: i64, to: i64) -> (std::ops::Range<usize>, bool) {
        let start = self.timed.partition_point(|&(time, _)| time < from);
        let end = self.timed.partition_point(|&(time, _)| time <= to);
        (start..end, true)
    }

    fn bytes(&self) -> (usize, usize) {
        let (timed, untimed) = (size_of::<(i64, u32)>(), size_of::<u32>());
        (
            self.timed.len() * timed + self.untimed.len() * untimed,
            self.timed.capacity() * timed + self.untimed.capacity() * untimed,
        )
    }
}

impl Expiry for OrderedMap {
    const NAME: &'static str = "ordered-map";
    type Rows = ByTime;

    fn note(&mut self, row: u32, time: i64) {
        self.0.push(Reverse((time, row)));
    }

    fn growth(&self, rows: usize) -> usize {
        capacity::of_vec::<Reverse<(i64, u32)>>(self.0.len(), self.0.capacity(), rows)
    }

    fn evict<K: OwnedKey>(
        &mut self,
        keyed: &mut Keyed<K, ByTime>,
        line: i64,
        leaving: &mut Leaving<'_>,
    ) {
        while let Some(&Reverse((time, row))) = self.0.peek()
            && time <= line
        {
            self.0.pop();
            leaving.eviction.visited += 1;
            if keyed.rows.in_state_at(row, time) {
                keyed.depart(row, leaving);
            }
        }
    }

    fn reclaim(&mut self, rows: &StoredRows) {
        // Removed rows leave stale entries behind: never more than live ones.
        if self.0.len() > 2 * rows.live() {
            self.0.retain(|&Reverse((time, row))| rows.in_state_at(row, time));
        }
        if self.0.len() < self.0.capacity() / 4 {
            self.0.shrink_to(2 * self.0.len());
        }
    }

    fn size(&self) -> StateSize {
        let entry = size_of::<Reverse<(i64, u32)>>();
        let (used, spare) = (self.0.len() * entry, (self.0.capacity() - self.0.len()) * entry);
        StateSize { index: used, slack: spare, ..StateSize::default() }
    }
}
