//! The plain stores: a map from key to rows. They differ in the order of a key's rows
//! and in how an eviction finds what expires.

use std::fmt;

use arrow::array::ArrayRef;

use super::keyed::{GroupRows, Keyed};
use super::rows::StoredRows;
use super::{
    Departed, Eviction, Leaving, NewRows, StateProbe, StateSize, StateStore, StorePlan, Upkeep,
};
use crate::error::Result;
use crate::pairs::Pairs;
use crate::table::{FindCursor, OwnedKey};

/// What a plain store has of its own.
pub(super) trait Expiry: Default + fmt::Debug + Send + Sync + 'static {
    /// The name of the store.
    const NAME: &'static str;
    /// The rows of a key.
    type Rows: GroupRows;

    /// Notes a stored row that will expire.
    fn note(&mut self, _row: u32, _time: i64) {}

    /// The most bytes that noting this many rows adds.
    fn growth(&self, _rows: usize) -> usize {
        0
    }

    /// Takes out every row whose time is at most `line`.
    fn evict<K: OwnedKey>(
        &mut self,
        keyed: &mut Keyed<K, Self::Rows>,
        line: i64,
        leaving: &mut Leaving<'_>,
    );

    /// Forgets rows that are no longer in state.
    fn reclaim(&mut self, _rows: &StoredRows) {}

    /// Bytes held in addition to those of the rows.
    fn size(&self) -> StateSize {
        StateSize::default()
    }
}

/// A plain store.
#[derive(Debug)]
pub(super) struct PlainStore<K, X: Expiry> {
    keyed: Keyed<K, X::Rows>,
    expiry: X,
    evicts: bool,
}

impl<K: OwnedKey, X: Expiry> PlainStore<K, X> {
    pub(super) fn new(plan: &StorePlan) -> Result<Self> {
        Ok(Self { keyed: Keyed::new(plan)?, expiry: X::default(), evicts: plan.evicts })
    }
}

impl<K: OwnedKey, X: Expiry> StateStore for PlainStore<K, X> {
    fn name(&self) -> &'static str {
        X::NAME
    }

    fn rows(&self) -> u64 {
        self.keyed.rows.live() as u64
    }

    fn size(&self) -> StateSize {
        self.keyed.size() + self.expiry.size()
    }

    fn rows_after(&self, line: i64) -> Result<u64> {
        let rows = &self.keyed.rows;
        let counts = |row: &u32| rows.is_live(*row) && rows.time(*row).is_none_or(|t| t > line);
        Ok(rows.ids().filter(counts).count() as u64)
    }

    fn check_room(&self, rows: usize) -> Result<()> {
        self.keyed.rows.check_room(rows)
    }

    fn growth(&self, rows: NewRows<'_>) -> Result<usize> {
        Ok(self.keyed.growth(rows)? + self.expiry.growth(rows.rows.len()))
    }

    fn insert(&mut self, rows: NewRows<'_>) -> Result<()> {
        let Self { keyed, expiry, evicts } = self;
        keyed.insert(rows, |row, time| {
            if let Some(time) = time.filter(|_| *evicts) {
                expiry.note(row, time);
            }
        })
    }

    fn find(
        &self,
        probe: StateProbe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> Result<u64> {
        self.keyed.find(probe, cursor, pairs, limit)
    }

    fn set_matched(&mut self, rows: &[u32]) -> Result<()> {
        self.keyed.rows.set_matched(rows)
    }

    fn remove(&mut self, rows: &[u32]) -> Result<u64> {
        Ok(rows.iter().map(|&row| u64::from(self.keyed.rows.take_out(row))).sum())
    }

    fn evict(&mut self, line: i64, unmatched: Option<&mut Departed>) -> Result<Eviction> {
        let mut leaving = Leaving::new(unmatched);
        self.expiry.evict(&mut self.keyed, line, &mut leaving);
        Ok(leaving.eviction)
    }

    fn drain(&mut self, unmatched: Option<&mut Departed>) -> Result<Eviction> {
        let mut leaving = Leaving::new(unmatched);
        self.expiry = X::default();
        for row in self.keyed.rows.ids() {
            leaving.eviction.visited += 1;
            self.keyed.depart(row, &mut leaving);
        }
        Ok(leaving.eviction)
    }

    fn gather(&self, wanted: &[usize], rows: &[u32]) -> Result<Vec<ArrayRef>> {
        self.keyed.rows.gather(wanted, rows)
    }

    fn rows_within(&self, rows: &[u32], bytes: usize) -> Result<usize> {
        self.keyed.rows.rows_within(rows, bytes)
    }

    fn reclaim(&mut self) -> Result<Upkeep> {
        self.keyed.reclaim();
        self.expiry.reclaim(&self.keyed.rows);
        Ok(Upkeep::default())
    }
}
