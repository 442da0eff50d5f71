//! A map from key to rows as they came: an eviction reads every row.

use super::Leaving;
use super::capacity;
use super::keyed::{GroupRows, Keyed};
use super::plain::Expiry;
use crate::table::OwnedKey;

/// Spark's shape: the baseline that evictions are compared with.
#[derive(Debug, Default)]
pub(super) struct FullScan;

/// The rows of a key in no order of time.
#[derive(Debug, Default)]
pub(super) struct AsTheyCame(Vec<u32>);

impl GroupRows for AsTheyCame {
    fn add(&mut self, _: Option<i64>, row: u32) {
        self.0.push(row);
    }

    fn growth(&self, rows: usize) -> usize {
        capacity::of_vec::<u32>(self.0.len(), self.0.capacity(), rows)
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

impl Expiry for FullScan {
    const NAME: &'static str = "full-scan";
    type Rows = AsTheyCame;

    fn evict<K: OwnedKey>(
        &mut self,
        keyed: &mut Keyed<K, AsTheyCame>,
        line: i64,
        leaving: &mut Leaving<'_>,
    ) {
        for row in keyed.rows.ids() {
            leaving.eviction.visited += 1;
            if keyed.rows.time(row).is_some_and(|time| time <= line) {
                keyed.depart(row, leaving);
            }
        }
    }
}
