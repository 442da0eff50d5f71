//! A map from key to rows as they came: an eviction reads every row.

use arrow::array::ArrayRef;

use super::keyed::{GroupRows, Keyed};
use super::{Departed, Eviction, NewRows, StateProbe, StateSize, StateStore, StorePlan, Upkeep};
use crate::error::Result;
use crate::pairs::Pairs;
use crate::table::{FindCursor, OwnedKey};

/// Spark's shape: the baseline that evictions are compared with.
#[derive(Debug)]
pub(super) struct FullScan<K> {
    keyed: Keyed<K, AsTheyCame>,
}

/// The rows of a key in no order of time.
#[derive(Debug, Default)]
struct AsTheyCame(Vec<u32>);

impl GroupRows for AsTheyCame {
    fn add(&mut self, _: Option<i64>, row: u32) {
        self.0.push(row);
    }

    fn forget(&mut self, _: usize, is_live: impl Fn(u32) -> bool) {
        self.0.retain(|&row| is_live(row));
        if self.0.len() < self.0.capacity() / 4 {
            self.0.shrink_to(2 * self.0.len());
        }
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn row(&self, position: usize) -> u32 {
        self.0[position]
    }

    fn within(&self, _: i64, _: i64) -> (std::ops::Range<usize>, bool) {
        (0..self.0.len(), false)
    }

    fn bytes(&self) -> (usize, usize) {
        (self.0.len() * size_of::<u32>(), self.0.capacity() * size_of::<u32>())
    }
}

impl<K: OwnedKey> FullScan<K> {
    pub(super) fn new(plan: &StorePlan) -> Result<Self> {
        Ok(Self { keyed: Keyed::new(plan)? })
    }
}

impl<K: OwnedKey> StateStore for FullScan<K> {
    fn name(&self) -> &'static str {
        "full-scan"
    }

    fn rows(&self) -> u64 {
        self.keyed.rows.live() as u64
    }

    fn size(&self) -> StateSize {
        self.keyed.size()
    }

    fn insert(&mut self, rows: NewRows<'_>) -> Result<()> {
        self.keyed.insert(rows, |_, _| {})
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
        for row in self.keyed.rows.ids() {
            eviction.visited += 1;
            if self.keyed.rows.time(row).is_some_and(|time| time <= line) {
                eviction.rows += u64::from(self.keyed.depart(row, &mut unmatched));
            }
        }
        eviction
    }

    fn drain(&mut self, unmatched: Option<&mut Departed>) -> Eviction {
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
        Upkeep::default()
    }
}
