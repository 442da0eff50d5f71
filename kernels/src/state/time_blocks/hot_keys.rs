//! Entry points into long chains.
//!
//! A look-up whose interval lies far behind the newest rows would walk over all
//! newer rows of its key. So of keys with many rows some are noted: the first
//! one in each block where they have several per block, and one in
//! [`HotKeys::EVERY`] of the others. A look-up that meets a row which is too new,
//! with more of them to come, continues at the oldest of those that lie in blocks
//! of which every row is too new; its link leads into the block before.

use std::collections::VecDeque;

use ahash::RandomState;
use hashbrown::HashMap;

use crate::state::block::RowNumber;
use crate::state::capacity;

/// A key counts as hot if it seems to have this many rows. Not measured.
const HOT: u32 = 64;

/// Noted rows by the hash of their key, the oldest first.
#[derive(Debug)]
pub(super) struct HotKeys {
    rows: HashMap<u64, VecDeque<RowNumber>, RandomState>,
    noted: usize,
    /// With more noted rows than this, all of them are checked.
    most: usize,
    /// How often all noted rows were checked.
    #[cfg(test)]
    forgotten: usize,
}

impl HotKeys {
    /// One row in this many may be noted. Not measured.
    pub(super) const EVERY: u32 = 64;

    /// Which of the rows that share its number's upper bits with `row` may be
    /// noted. Not the same one each time: keys often come in turns.
    #[inline(always)]
    fn of_group(row: u32) -> u32 {
        let group = row / Self::EVERY;
        group * Self::EVERY + (group.wrapping_mul(0x9E37_79B1) >> (32 - Self::EVERY.ilog2()))
    }

    pub(super) fn new() -> Self {
        let hasher = RandomState::with_seeds(1, 2, 3, 4);
        Self {
            rows: HashMap::with_hasher(hasher),
            noted: 0,
            most: Self::EVERY as usize,
            #[cfg(test)]
            forgotten: 0,
        }
    }

    /// How many rows after the one of number `first` those are that may be
    /// noted, of `rows` rows whose numbers do not wrap around.
    pub(super) fn in_range(first: RowNumber, rows: u32) -> impl Iterator<Item = u32> {
        let first = first.0;
        let groups = first / Self::EVERY..=(first + rows) / Self::EVERY;
        let noted = groups.map(|group| Self::of_group(group * Self::EVERY));
        noted.filter(move |row| (first..first + rows).contains(row)).map(move |row| row - first)
    }

    /// Whether a key that comes every `gap` rows has many of `live` rows.
    #[inline]
    pub(super) fn is_hot(gap: u32, live: usize) -> bool {
        (gap as usize).saturating_mul(HOT as usize) <= live
    }

    /// Notes a row, and forgets those of its key that are gone.
    pub(super) fn note(
        &mut self,
        row: RowNumber,
        hash: u64,
        is_current: impl Fn(RowNumber) -> bool,
    ) {
        let rows = self.rows.entry(hash).or_default();
        while rows.pop_front_if(|&mut row| !is_current(row)).is_some() {
            self.noted -= 1;
        }
        rows.push_back(row);
        self.noted += 1;
        if self.noted > self.most {
            self.forget(is_current);
        }
    }

    /// Forgets rows that are gone.
    #[cold]
    pub(super) fn forget(&mut self, is_current: impl Fn(RowNumber) -> bool) {
        #[cfg(test)]
        {
            self.forgotten += 1;
        }
        self.rows.retain(|_, rows| {
            rows.retain(|&row| is_current(row));
            rows.shrink_to(2 * rows.len());
            !rows.is_empty()
        });
        self.noted = self.rows.values().map(VecDeque::len).sum();
        self.rows.shrink_to(2 * self.rows.len());
        self.most = 2 * self.noted + Self::EVERY as usize;
    }

    pub(super) fn is_used(&self) -> bool {
        self.noted > 0
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    /// The oldest noted row of a key for which `is_too_new`, which holds for
    /// newer rows if it does for an older one, and that `is_there`.
    #[cold]
    pub(super) fn oldest(
        &self,
        hash: u64,
        is_too_new: impl Fn(RowNumber) -> bool,
        is_there: impl Fn(RowNumber) -> bool,
    ) -> Option<RowNumber> {
        let rows = self.rows.get(&hash)?;
        let from = rows.partition_point(|&row| !is_too_new(row));
        rows.range(from..).copied().find(|&row| is_there(row))
    }

    #[cfg(test)]
    pub(super) fn forgotten(&self) -> usize {
        self.forgotten
    }

    /// The most bytes that noting this many more rows adds.
    pub(super) fn growth(&self, rows: usize) -> usize {
        let element = size_of::<(u64, VecDeque<RowNumber>)>();
        let (len, room) = (self.rows.len(), self.rows.capacity());
        capacity::of_table(len, room, rows, element, self.rows.allocation_size())
            + 2 * rows * size_of::<RowNumber>()
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.allocation_size() + 2 * self.noted * size_of::<RowNumber>()
    }
}
