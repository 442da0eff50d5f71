//! Slots that hold numbers of keys, and become more as keys come.
//!
//! ```text
//! rows         7    9    7    5          the upper halves of the hashes of 7 and 5 end in 2
//!
//! slot         0    1    2      3      4   5   6   7
//!              -    #2   #1     #3     -   -   -   -       each with half of the key's hash
//! key          -    7    9      5                          by number
//!
//! ids          0    1    0    2          one less than the numbers
//! ```
//!
//! A row goes from slot to slot until it has found its key or an empty slot, where it adds
//! its key. Loads of neighbouring rows overlap, since the processor guesses right where nearly
//! all rows find their key in the first slot; slots and keys of large tables are prefetched.
//! Looking at the slots of many rows at once, with gathers or without a branch, and only then
//! at what is left, took 1.05 to 1.2 times as long where the tables fit the caches, and 1.4
//! times for a million keys (AVX2, an EPYC of 2 cores).
//!
//! Small tables have many slots to a key, so that nearly all keys lie where their hash says.
//! Large ones have few, since memory that is new has to be cleared by the system, which takes
//! longer than going on to the next slot.

use std::fmt;
use std::ops::Range;

use super::rows::Rows;
use super::slots::{Slots, home};
use super::store::InternedKeys;
use crate::arch::CacheSizes;
use crate::key::Keys;

/// Rows whose slots are prefetched together, as many as in the other indexes.
const BLOCK: usize = 128;
/// How many rows ahead of its use a slot is prefetched.
const AHEAD: usize = BLOCK;
/// From slots of this many times the second-level cache on they are prefetched: below, loads
/// of many rows overlap by themselves, since the processor guesses right what they find.
const PREFETCH_FROM: usize = 4;

/// Distinct keys of any shape, numbered in the order in which they come.
pub(super) trait Interned: fmt::Debug + Send + Sync {
    /// Writes the number of each row's key, counted from 0, into `ids`, from row `from` on;
    /// leaves the ids of rows that may not match alone. Returns the first row for whose key
    /// there is no room.
    fn intern(&mut self, rows: Rows<'_>, from: usize, ids: &mut [u32]) -> Option<usize>;

    /// Bytes that are needed in addition, for a while, to make room for the key of a row.
    fn grown_bytes(&self, rows: Rows<'_>, row: usize) -> usize;

    /// Makes that room.
    fn grow(&mut self, rows: Rows<'_>, row: usize);

    /// Removes all keys but the first `len`.
    fn truncate(&mut self, len: usize);

    /// Number of keys.
    fn len(&self) -> usize;

    /// Bytes held.
    fn bytes(&self) -> usize;

    /// The keys by number.
    fn keys(&self) -> Keys;
}

/// Keys of one shape.
#[derive(Debug)]
pub(super) struct Growing<K: InternedKeys> {
    keys: K,
    slots: Slots,
    len: u32,
    /// Keys up to which there are slots enough.
    full: u32,
    /// The most keys.
    limit: u32,
    prefetch: bool,
}

impl<K: InternedKeys> Growing<K> {
    /// For `keys` keys at first and never more than `limit`.
    pub(super) fn new(keys: usize, limit: u32) -> Self {
        let slots = Slots::empty(Slots::needed(keys, limit));
        let mut growing = Self { keys: K::new(), slots, len: 0, full: 0, limit, prefetch: false };
        growing.resized();
        growing
    }

    /// Bytes of the slots for `keys` keys at first.
    pub(super) fn bytes_for(keys: usize, limit: u32) -> usize {
        Slots::needed(keys, limit).saturating_mul(size_of::<u64>())
    }

    fn resized(&mut self) {
        self.full = self.slots.room(self.limit);
        self.prefetch = self.slots.bytes() > PREFETCH_FROM * CacheSizes::detect().l2;
    }

    /// Writes the ids of some rows, whose keys are added where they are new. Returns the
    /// first row for whose key there is no room.
    ///
    /// # Safety
    /// The rows are below the number of hashes, which is that of keys and ids.
    #[inline(always)]
    unsafe fn intern_rows(
        &mut self,
        keys: K::Keys<'_>,
        rows: Rows<'_>,
        Range { start, end }: Range<usize>,
        ids: &mut [u32],
    ) -> Option<usize> {
        let hashes = rows.hashes();
        debug_assert!(end <= hashes.len() && hashes.len() == ids.len());
        let mut row = start;
        while row < end {
            // What a key that is added may move.
            let (slots, held) = (self.slots.as_slice(), &self.keys);
            let mask = slots.len() - 1;
            let (hash, place) = 'rows: loop {
                if rows.matchable().is_none_or(|matchable| matchable.value(row)) {
                    // SAFETY: the caller's.
                    let hash = unsafe { *hashes.get_unchecked(row) };
                    let mut place = home(hash, mask);
                    let number = loop {
                        // SAFETY: a place is masked to the number of slots, a power of two.
                        let slot = unsafe { *slots.get_unchecked(place) };
                        let number = slot as u32;
                        // SAFETY: numbers in slots are those of keys; the caller's for rows.
                        if (slot ^ hash) >> 32 == 0 && unsafe { held.is(number, keys, row, hash) } {
                            // None is a slot that is empty.
                            break number;
                        }
                        if slot == 0 {
                            break 0;
                        }
                        place = (place + 1) & mask;
                    };
                    if number == 0 {
                        break 'rows (hash, place);
                    }
                    // SAFETY: the caller's.
                    unsafe { *ids.get_unchecked_mut(row) = number - 1 };
                }
                row += 1;
                if row == end {
                    return None;
                }
            };
            let Some(id) = self.add(keys, row, hash, place) else { return Some(row) };
            ids[row] = id;
            row += 1;
        }
        None
    }

    /// Adds the key of a row, whose slot is empty; none if there is no room.
    #[inline(always)]
    fn add(&mut self, keys: K::Keys<'_>, row: usize, hash: u64, place: usize) -> Option<u32> {
        if self.len >= self.full || !self.keys.has_room(keys, row) {
            return None;
        }
        self.keys.push(keys, row, hash);
        self.len += 1;
        self.slots.set(place, hash, self.len);
        Some(self.len - 1)
    }

    /// Prefetches the slots of the block after the one from `first` on, and the keys of that
    /// one.
    fn prefetch_block(&self, hashes: &[u64], first: usize) {
        let (slots, mask) = (self.slots.as_slice(), self.slots.len() - 1);
        let ahead = hashes.get(first + AHEAD..).unwrap_or_default();
        for &hash in ahead.iter().take(BLOCK) {
            self.slots.prefetch(hash);
        }
        for &hash in hashes[first..].iter().take(BLOCK) {
            let slot = slots[home(hash, mask)];
            // Not a branch: nobody can tell which way it would go.
            let same_half = u32::from((slot ^ hash) >> 32 == 0);
            self.keys.prefetch(slot as u32 * same_half);
        }
    }
}

impl<K: InternedKeys> Interned for Growing<K> {
    fn intern(&mut self, rows: Rows<'_>, from: usize, ids: &mut [u32]) -> Option<usize> {
        let (keys, hashes) = (K::keys(rows.keys()), rows.hashes());
        assert_eq!(hashes.len(), ids.len(), "one id per row");
        for first in (from..hashes.len()).step_by(BLOCK) {
            if self.prefetch {
                self.prefetch_block(hashes, first);
            }
            let block = first..hashes.len().min(first + BLOCK);
            // SAFETY: within the hashes; rows have as many keys, and there are as many ids.
            let without_room = unsafe { self.intern_rows(keys, rows, block, ids) };
            if without_room.is_some() {
                return without_room;
            }
        }
        None
    }

    fn grown_bytes(&self, rows: Rows<'_>, row: usize) -> usize {
        let slots = self.slots.grown(self.len, self.limit);
        let keys = Slots::room_of(slots, self.limit) as usize;
        let keys = self.keys.grown_bytes(keys, (K::keys(rows.keys()), row));
        slots.saturating_mul(size_of::<u64>()).saturating_add(keys)
    }

    fn grow(&mut self, rows: Rows<'_>, row: usize) {
        let grown = self.slots.grown(self.len, self.limit);
        if grown > self.slots.len() {
            self.slots.grow(grown);
            self.resized();
        }
        self.keys.grow(self.full as usize, (K::keys(rows.keys()), row));
    }

    fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.slots.truncate(len);
            self.keys.truncate(len);
            self.len = len as u32;
        }
    }

    fn len(&self) -> usize {
        self.len as usize
    }

    fn bytes(&self) -> usize {
        self.slots.bytes() + self.keys.bytes()
    }

    fn keys(&self) -> Keys {
        self.keys.to_keys()
    }
}
