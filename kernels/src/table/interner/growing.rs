//! Slots that hold keys and their numbers, and become more as keys come.
//!
//! ```text
//! rows         7    9    7    5          the upper halves of the hashes of 7 and 5 end in 2
//!
//! slot         0    1    2      3      4   5   6   7
//!              -    9 #2 7 #1   5 #3   -   -   -   -
//!
//! ids          0    1    0    2          one less than the numbers
//! ```
//!
//! A block of rows is looked up twice. The first time each row looks at the slot that its
//! hash says, without a branch: of keys that came before, nearly all are found there. The
//! others go from slot to slot in their order, and new keys are added on the way.

use std::fmt;

use super::forms::InternedKeys;
use crate::arch::{CacheSizes, prefetch_read};
use crate::hash::KeyHasher;
use crate::key::Keys;
use crate::memory::Buffer;
use crate::table::Probe;
use crate::table::grouped::{BLOCK, From, Listed, RowSource, list_rows};

/// Slots at first.
const FIRST_SLOTS: usize = 16;
/// The most slots: as many as half a hash can tell apart.
const MOST_SLOTS: usize = 1 << 32;
/// How many rows ahead of its use a slot is prefetched.
const AHEAD: usize = BLOCK;

/// Distinct keys of any shape, numbered in the order in which they come.
pub(super) trait Interned: fmt::Debug + Send + Sync {
    /// Writes the number of each row's key, counted from 0, into `ids`, from row `from` on;
    /// leaves the ids of rows that may not match alone. Returns the first row for whose key
    /// there is no room.
    fn intern(&mut self, probe: Probe<'_>, from: usize, ids: &mut [u32]) -> Option<usize>;

    /// Bytes that are needed in addition, for a while, to make room for the key of a row.
    fn grown_bytes(&self, probe: Probe<'_>, row: usize) -> usize;

    /// Makes that room.
    fn grow(&mut self, probe: Probe<'_>, row: usize, hasher: &KeyHasher);

    /// Removes all keys but the first `len`.
    fn truncate(&mut self, len: usize, hasher: &KeyHasher);

    /// Number of keys.
    fn len(&self) -> usize;

    /// Bytes held.
    fn bytes(&self) -> usize;

    /// The keys by number.
    fn keys(&self) -> Keys;
}

/// Slots for this many keys.
fn slots_for(keys: usize, limit: u32) -> usize {
    (keys.min(limit as usize) * 2).clamp(FIRST_SLOTS, MOST_SLOTS).next_power_of_two()
}

/// Keys of one shape.
#[derive(Debug)]
pub(super) struct Growing<K: InternedKeys> {
    keys: K,
    /// A power of two of them, more than there are keys.
    slots: Buffer<K::Slot>,
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
        let mut growing = Self {
            keys: K::with_room(0),
            slots: Buffer::zeroed(slots_for(keys, limit)),
            len: 0,
            full: 0,
            limit,
            prefetch: false,
        };
        growing.resized();
        growing
    }

    /// Bytes of the slots for `keys` keys at first.
    pub(super) fn bytes_for(keys: usize, limit: u32) -> usize {
        slots_for(keys, limit).saturating_mul(size_of::<K::Slot>())
    }

    /// Keys that as many slots are enough for.
    fn keys_for(&self, slots: usize) -> u32 {
        // Half of the slots at most are taken.
        if slots >= MOST_SLOTS { self.limit } else { self.limit.min((slots / 2) as u32) }
    }

    fn resized(&mut self) {
        self.full = self.keys_for(self.slots.len());
        self.prefetch = self.slots.bytes() > CacheSizes::detect().l2 / 2;
    }

    /// Slots after making room.
    fn grown_slots(&self) -> usize {
        if self.len < self.full { self.slots.len() } else { 2 * self.slots.len() }
    }

    /// Puts a slot where its hash says, or behind what is there.
    #[inline(always)]
    fn place(slots: &mut [K::Slot], slot: K::Slot, hasher: &KeyHasher) {
        let mask = slots.len() - 1;
        let mut at = K::upper_hash(&slot, hasher) as usize & mask;
        while K::number(&slots[at]) != 0 {
            at = (at + 1) & mask;
        }
        slots[at] = slot;
    }

    /// Interns a block; returns how many of its rows were, fewer than all if there is
    /// no room for the key of the next one.
    ///
    /// # Safety
    /// `count` is at most [`BLOCK`], and the rows are below the numbers of keys, hashes
    /// and ids, which are equal.
    #[inline(always)]
    unsafe fn intern_block<R: RowSource>(
        &mut self,
        keys: K::Keys<'_>,
        hashes: &[u64],
        (rows, count): (R, usize),
        ids: &mut [u32],
    ) -> usize {
        debug_assert!(count <= BLOCK && hashes.len() == ids.len());
        let Self { keys: known, slots, len, full, prefetch, .. } = self;
        let slots = &mut slots[..];
        let mask = slots.len() - 1;
        let home = |hash: u64| (hash >> 32) as usize & mask;
        if *prefetch {
            for i in 0..count {
                // SAFETY: the caller's.
                let row = unsafe { rows.row(i) };
                if let Some(&ahead) = hashes.get(row + AHEAD) {
                    prefetch_read(slots, home(ahead));
                }
            }
        }
        if K::HAS_ENTRIES {
            for i in 0..count {
                // SAFETY: the caller's.
                let hash = unsafe { *hashes.get_unchecked(rows.row(i)) };
                known.prefetch(&slots[home(hash)]);
            }
        }
        let mut unfinished = [0u8; BLOCK];
        let mut left = 0;
        for i in 0..count {
            // SAFETY: the caller's for rows; the mask keeps a slot below their number, a
            // power of two; `left <= i < BLOCK`.
            unsafe {
                let row = rows.row(i);
                let hash = *hashes.get_unchecked(row);
                let slot = slots.get_unchecked(home(hash));
                let hit = known.matches(slot, keys, row, hash);
                let number = K::number(slot);
                *ids.get_unchecked_mut(row) = number.wrapping_sub(1);
                *unfinished.get_unchecked_mut(left) = i as u8;
                left += usize::from(!hit | (number == 0));
            }
        }
        for &i in &unfinished[..left] {
            // SAFETY: as above.
            unsafe {
                let row = rows.row(usize::from(i));
                let hash = *hashes.get_unchecked(row);
                let mut at = home(hash);
                loop {
                    debug_assert!(at < slots.len());
                    let slot = slots.get_unchecked_mut(at);
                    let number = K::number(slot);
                    if number == 0 {
                        if *len >= *full || !known.has_room(keys, row) {
                            return usize::from(i);
                        }
                        *ids.get_unchecked_mut(row) = *len;
                        *len += 1;
                        *slot = known.add(keys, row, hash, *len);
                        break;
                    }
                    if known.matches(slot, keys, row, hash) {
                        *ids.get_unchecked_mut(row) = number - 1;
                        break;
                    }
                    at = (at + 1) & mask;
                }
            }
        }
        count
    }
}

impl<K: InternedKeys> Interned for Growing<K> {
    fn intern(&mut self, probe: Probe<'_>, from: usize, ids: &mut [u32]) -> Option<usize> {
        assert_eq!(probe.len(), ids.len(), "one id per row");
        let (keys, hashes) = (K::keys(probe.keys()), probe.hashes());
        let mut next = from;
        let mut listed = [0; BLOCK];
        while next < probe.len() {
            if probe.matchable().is_some() {
                let (after, count) = list_rows(probe, next, &mut listed);
                let rows = &listed[..count];
                // SAFETY: the list holds rows of the probe, which has as many keys and
                // hashes, and as many ids: asserted.
                let done = unsafe { self.intern_block(keys, hashes, (Listed(rows), count), ids) };
                if done < count {
                    return Some(rows[done] as usize);
                }
                next = after;
            } else {
                let count = BLOCK.min(probe.len() - next);
                // SAFETY: `next + count` is at most the length of the probe; else as above.
                let done = unsafe { self.intern_block(keys, hashes, (From(next), count), ids) };
                next += done;
                if done < count {
                    return Some(next);
                }
            }
        }
        None
    }

    fn grown_bytes(&self, probe: Probe<'_>, row: usize) -> usize {
        let slots = self.grown_slots();
        let row = (K::keys(probe.keys()), row);
        let outside = self.keys.grown_bytes(self.keys_for(slots) as usize, row);
        slots.saturating_mul(size_of::<K::Slot>()).saturating_add(outside)
    }

    fn grow(&mut self, probe: Probe<'_>, row: usize, hasher: &KeyHasher) {
        let grown = self.grown_slots();
        if grown > self.slots.len() {
            let mut slots = Buffer::zeroed(grown);
            // In the order of the old ones: each half of the new ones is written in order.
            for slot in self.slots.iter().filter(|slot| K::number(slot) != 0) {
                Self::place(&mut slots, *slot, hasher);
            }
            self.slots = slots;
            self.resized();
        }
        self.keys.grow(self.full as usize, (K::keys(probe.keys()), row));
    }

    fn truncate(&mut self, len: usize, hasher: &KeyHasher) {
        if len >= self.len() {
            return;
        }
        let is_kept = |slot: &K::Slot| (1..=len).contains(&(K::number(slot) as usize));
        let kept: Vec<K::Slot> = self.slots.iter().copied().filter(is_kept).collect();
        self.slots.fill(K::Slot::default());
        for slot in kept {
            Self::place(&mut self.slots, slot, hasher);
        }
        self.keys.truncate(len);
        self.len = len as u32;
    }

    fn len(&self) -> usize {
        self.len as usize
    }

    fn bytes(&self) -> usize {
        self.slots.bytes() + self.keys.bytes()
    }

    fn keys(&self) -> Keys {
        self.keys.collect(&self.slots, self.len())
    }
}
