//! A map from key to rows in event-time order, and one queue of all rows by
//! event time: an eviction reads what expires and nothing else.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use arrow::array::ArrayRef;

use super::keyed::{GroupRows, Keyed};
use super::{Departed, Eviction, NewRows, StateProbe, StateSize, StateStore, StorePlan, Upkeep};
use crate::error::Result;
use crate::pairs::Pairs;
use crate::table::{FindCursor, OwnedKey};

/// The plain store, which others are compared with.
#[derive(Debug)]
pub(super) struct OrderedMap<K> {
    keyed: Keyed<K, ByTime>,
    /// Rows by event time, the least first. An entry whose row was removed is
    /// stale: its row is not in state, or has another time.
    due: BinaryHeap<Reverse<(i64, u32)>>,
    evicts: bool,
}

/// The rows of a key: those with an event time in its order, then the others.
#[derive(Debug, Default)]
struct ByTime {
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

impl<K: OwnedKey> OrderedMap<K> {
    pub(super) fn new(plan: &StorePlan) -> Result<Self> {
        Ok(Self { keyed: Keyed::new(plan)?, due: BinaryHeap::new(), evicts: plan.evicts })
    }
}

impl<K: OwnedKey> StateStore for OrderedMap<K> {
    fn name(&self) -> &'static str {
        "ordered-map"
    }

    fn rows(&self) -> u64 {
        self.keyed.rows.live() as u64
    }

    fn size(&self) -> StateSize {
        let entry = size_of::<Reverse<(i64, u32)>>();
        let size = self.keyed.size();
        StateSize {
            index: size.index + self.due.len() * entry,
            slack: size.slack + (self.due.capacity() - self.due.len()) * entry,
            ..size
        }
    }

    fn insert(&mut self, rows: NewRows<'_>) -> Result<()> {
        let (due, evicts) = (&mut self.due, self.evicts);
        self.keyed.insert(rows, |id, time| {
            if evicts {
                due.extend(time.map(|time| Reverse((time, id))));
            }
        })
    }

    fn find(
        &self,
        probe: StateProbe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64 {
        self.keyed.find(probe, cursor, pairs, limit)
    }

    fn set_matched(&mut self, rows: &[u32]) {
        self.keyed.rows.set_matched(rows);
    }

    fn remove(&mut self, rows: &[u32]) -> u64 {
        self.keyed.remove(rows)
    }

    fn evict(&mut self, line: i64, mut unmatched: Option<&mut Departed>) -> Eviction {
        let mut eviction = Eviction::default();
        while let Some(&Reverse((time, row))) = self.due.peek()
            && time <= line
        {
            self.due.pop();
            eviction.visited += 1;
            if self.keyed.rows.in_state_at(row, time) {
                eviction.rows += u64::from(self.keyed.depart(row, &mut unmatched));
            }
        }
        eviction
    }

    fn drain(&mut self, unmatched: Option<&mut Departed>) -> Eviction {
        self.due = BinaryHeap::new();
        self.keyed.drain(unmatched)
    }

    fn gather(&self, wanted: &[usize], rows: &[u32]) -> Result<Vec<ArrayRef>> {
        self.keyed.rows.gather(wanted, rows)
    }

    fn rows_within(&self, rows: &[u32], bytes: usize) -> usize {
        self.keyed.rows.rows_within(rows, bytes)
    }

    fn reclaim(&mut self) -> Upkeep {
        self.keyed.reclaim();
        // Removed rows leave stale entries behind: never more than live ones.
        if self.due.len() > 2 * self.keyed.rows.live() {
            let rows = &self.keyed.rows;
            self.due.retain(|&Reverse((time, row))| rows.in_state_at(row, time));
        }
        if self.due.len() < self.due.capacity() / 4 {
            self.due.shrink_to(2 * self.due.len());
        }
        Upkeep::default()
    }
}
