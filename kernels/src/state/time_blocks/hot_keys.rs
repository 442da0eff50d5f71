//! Entry points into long chains.
//!
//! A look-up whose interval lies far behind the newest rows would walk over all
//! newer rows of its key. So of keys with many rows some are noted: the first
//! one in each block where they have several a block, and one in
//! [`HotKeys::EVERY`] of the others. A look-up that meets a row which is too new,
//! with more of them to come, goes on at the oldest of those that lie in blocks
//! of which every row is too new; its link leads into the block before.

use std::collections::VecDeque;

use ahash::RandomState;
use hashbrown::HashMap;

/// A key counts as hot if it seems to have this many rows.
const HOT: u32 = 64;

/// Noted rows by the hash of their key, the oldest first.
#[derive(Debug)]
pub(super) struct HotKeys {
    rows: HashMap<u64, VecDeque<u32>, RandomState>,
    noted: usize,
    /// Noted rows after those that are gone were last forgotten.
    kept: usize,
}

impl HotKeys {
    /// Of so many rows one may be noted: those whose number is a multiple.
    pub(super) const EVERY: u32 = 64;

    pub(super) fn new() -> Self {
        let hasher = RandomState::with_seeds(1, 2, 3, 4);
        Self { rows: HashMap::with_hasher(hasher), noted: 0, kept: 0 }
    }

    /// Whether a row of this number is one that may be noted.
    #[inline(always)]
    pub(super) fn may_note(row: u32) -> bool {
        row.is_multiple_of(Self::EVERY)
    }

    /// Whether a key that comes every `gap` rows has many of `live` rows.
    #[inline]
    pub(super) fn is_hot(gap: u32, live: usize) -> bool {
        (gap as usize).saturating_mul(HOT as usize) <= live
    }

    /// Notes a row, of `live` rows, and forgets those of its key that are gone.
    pub(super) fn note(
        &mut self,
        row: u32,
        hash: u64,
        live: usize,
        is_current: impl Fn(u32) -> bool,
    ) {
        let rows = self.rows.entry(hash).or_default();
        while rows.pop_front_if(|&mut row| !is_current(row)).is_some() {
            self.noted -= 1;
        }
        rows.push_back(row);
        self.noted += 1;
        if self.noted > live / 4 + self.kept + 64 {
            self.forget(is_current);
        }
    }

    /// Forgets rows that are gone.
    #[cold]
    fn forget(&mut self, is_current: impl Fn(u32) -> bool) {
        self.rows.retain(|_, rows| {
            rows.retain(|&row| is_current(row));
            rows.shrink_to(2 * rows.len());
            !rows.is_empty()
        });
        self.noted = self.rows.values().map(VecDeque::len).sum();
        self.kept = self.noted;
        self.rows.shrink_to(2 * self.rows.len());
    }

    pub(super) fn is_used(&self) -> bool {
        self.noted > 0
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    /// The oldest noted row of a key for which `is_too_new`, which holds for
    /// newer rows if it does for an older one.
    #[cold]
    pub(super) fn oldest(&self, hash: u64, is_too_new: impl Fn(u32) -> bool) -> Option<u32> {
        let rows = self.rows.get(&hash)?;
        rows.get(rows.partition_point(|&row| !is_too_new(row))).copied()
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.allocation_size() + 2 * self.noted * size_of::<u32>()
    }
}
