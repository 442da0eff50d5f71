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
//!
//! Small tables have many slots to a key, so that nearly all keys lie where their hash says.
//! Large ones have few, since memory that is new has to be cleared by the system, which takes
//! longer than going on to the next slot.

use std::fmt;

use super::store::InternedKeys;
use crate::arch::{CacheSizes, prefetch_read};
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
/// From slots of this many times the second-level cache on they are prefetched: below, loads
/// of many rows overlap by themselves, as there is no branch between them.
const PREFETCH_FROM: usize = 4;
/// Slots up to which one in eight is taken, and up to which one in four is; beyond, three
/// in four are.
const ROOMY: [usize; 2] = [1 << 15, 1 << 17];

/// Distinct keys of any shape, numbered in the order in which they come.
pub(super) trait Interned: fmt::Debug + Send + Sync {
    /// Writes the number of each row's key, counted from 0, into `ids`, from row `from` on;
    /// leaves the ids of rows that may not match alone. Returns the first row for whose key
    /// there is no room.
    fn intern(&mut self, probe: Probe<'_>, from: usize, ids: &mut [u32]) -> Option<usize>;

    /// Bytes that are needed in addition, for a while, to make room for the key of a row.
    fn grown_bytes(&self, probe: Probe<'_>, row: usize) -> usize;

    /// Makes that room.
    fn grow(&mut self, probe: Probe<'_>, row: usize);

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
    /// A power of two of them, at least one of them empty: the upper half of a key's hash
    /// and its number, counted from 1, or 0.
    slots: Buffer<u64>,
    len: u32,
    /// Keys up to which there are slots enough.
    full: u32,
    /// The most keys.
    limit: u32,
    prefetch: bool,
}

/// Keys that `slots` slots are enough for.
fn keys_for(slots: usize, limit: u32) -> u32 {
    let keys = match slots {
        0..FIRST_SLOTS => 0,
        FIRST_SLOTS => FIRST_SLOTS / 2,
        _ if slots <= ROOMY[0] => slots / 8,
        _ if slots <= ROOMY[1] => slots / 4,
        _ => slots / 4 * 3,
    };
    if slots >= MOST_SLOTS { limit } else { limit.min(keys as u32) }
}

/// Slots for `keys` keys.
fn slots_for(keys: usize, limit: u32) -> usize {
    let keys = keys.min(limit as usize) as u32;
    let mut slots = FIRST_SLOTS;
    while keys_for(slots, limit) < keys {
        slots *= 2;
    }
    slots
}

impl<K: InternedKeys> Growing<K> {
    /// For `keys` keys at first and never more than `limit`.
    pub(super) fn new(keys: usize, limit: u32) -> Self {
        let slots = Buffer::zeroed(slots_for(keys, limit));
        let mut growing = Self { keys: K::new(), slots, len: 0, full: 0, limit, prefetch: false };
        growing.resized();
        growing
    }

    /// Bytes of the slots for `keys` keys at first.
    pub(super) fn bytes_for(keys: usize, limit: u32) -> usize {
        slots_for(keys, limit).saturating_mul(size_of::<u64>())
    }

    fn resized(&mut self) {
        self.full = keys_for(self.slots.len(), self.limit);
        self.prefetch = self.slots.bytes() > PREFETCH_FROM * CacheSizes::detect().l2;
    }

    /// Slots after making room.
    fn grown_slots(&self) -> usize {
        let mut slots = self.slots.len();
        while keys_for(slots, self.limit) <= self.len && self.len < self.limit {
            slots *= 2;
        }
        slots
    }

    /// Puts a slot where its half of the hash says, or behind what is there.
    #[inline(always)]
    fn place(slots: &mut [u64], slot: u64) {
        let mask = slots.len() - 1;
        let mut at = (slot >> 32) as usize & mask;
        while slots[at] != 0 {
            at = (at + 1) & mask;
        }
        slots[at] = slot;
    }

    /// Spreads what is in the first `old` of the slots over all of them, in place.
    ///
    /// It goes round from an empty slot. Whatever stays in the old part then finds room
    /// where it was, or nearer to where its hash says, and passes only slots that were
    /// emptied and filled again; the rest goes to the new part.
    fn spread(slots: &mut [u64], old: usize) {
        let start = slots[..old].iter().position(|&slot| slot == 0).unwrap_or(0);
        for at in (start..old).chain(0..start) {
            let slot = std::mem::take(&mut slots[at]);
            if slot != 0 {
                Self::place(slots, slot);
            }
        }
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
        batch: K::Keys<'_>,
        hashes: &[u64],
        (rows, count): (R, usize),
        ids: &mut [u32],
    ) -> usize {
        debug_assert!(count <= BLOCK && hashes.len() == ids.len());
        // SAFETY: the caller's.
        let row_of = |i: usize| unsafe { rows.row(i) };
        // SAFETY: the caller's.
        let hash_of = |i: usize| unsafe { *hashes.get_unchecked(row_of(i)) };
        if self.prefetch {
            self.prefetch_block(hashes, count, row_of);
        }
        let mut i = 0;
        while i < count {
            // What a key that is added may move.
            let (slots, keys) = (&self.slots[..], &self.keys);
            let mask = slots.len() - 1;
            let empty = loop {
                let (row, hash) = (row_of(i), hash_of(i));
                let mut place = home(hash, mask);
                let number = loop {
                    // SAFETY: a place is masked to the number of slots, a power of two.
                    let slot = unsafe { *slots.get_unchecked(place) };
                    let number = slot as u32;
                    // SAFETY: numbers in slots are those of keys; the caller's for rows.
                    if (slot ^ hash) >> 32 == 0 && unsafe { keys.is(number, batch, row, hash) } {
                        // None is a slot that is empty.
                        break number;
                    }
                    if slot == 0 {
                        break 0;
                    }
                    place = (place + 1) & mask;
                };
                if number == 0 {
                    break Some((row, hash, place));
                }
                // SAFETY: the caller's.
                unsafe { *ids.get_unchecked_mut(row) = number - 1 };
                i += 1;
                if i == count {
                    break None;
                }
            };
            if let Some((row, hash, place)) = empty {
                let Some(id) = self.add(batch, row, hash, place) else { return i };
                ids[row] = id;
                i += 1;
            }
        }
        count
    }

    /// Adds the key of a row, whose slot is empty; none if there is no room.
    #[inline(never)]
    fn add(&mut self, batch: K::Keys<'_>, row: usize, hash: u64, place: usize) -> Option<u32> {
        if self.len >= self.full || !self.keys.has_room(batch, row) {
            return None;
        }
        self.keys.push(batch, row, hash);
        self.len += 1;
        self.slots[place] = hash >> 32 << 32 | u64::from(self.len);
        Some(self.len - 1)
    }

    /// Prefetches the slots of the block after this one, and the keys of this one.
    #[inline(always)]
    fn prefetch_block(&self, hashes: &[u64], count: usize, row_of: impl Fn(usize) -> usize) {
        let slots = &self.slots[..];
        let mask = slots.len() - 1;
        for i in 0..count {
            if let Some(&ahead) = hashes.get(row_of(i) + AHEAD) {
                prefetch_read(slots, home(ahead, mask));
            }
        }
        for i in 0..count {
            let hash = hashes[row_of(i)];
            let slot = slots[home(hash, mask)];
            // Not a branch: nobody can tell which way it would go.
            let same_half = u32::from((slot ^ hash) >> 32 == 0);
            self.keys.prefetch(slot as u32 * same_half);
        }
    }
}

/// Where the slot of a hash is, unless others are there.
#[inline(always)]
fn home(hash: u64, mask: usize) -> usize {
    (hash >> 32) as usize & mask
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
        let keys = keys_for(slots, self.limit) as usize;
        let keys = self.keys.grown_bytes(keys, (K::keys(probe.keys()), row));
        slots.saturating_mul(size_of::<u64>()).saturating_add(keys)
    }

    fn grow(&mut self, probe: Probe<'_>, row: usize) {
        let (old, grown) = (self.slots.len(), self.grown_slots());
        if grown > old {
            self.slots.grow(grown);
            Self::spread(&mut self.slots, old);
            self.resized();
        }
        self.keys.grow(self.full as usize, (K::keys(probe.keys()), row));
    }

    fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        let is_kept = |slot: &u64| (1..=len).contains(&(*slot as u32 as usize));
        let kept: Vec<u64> = self.slots.iter().copied().filter(is_kept).collect();
        self.slots.fill(0);
        for slot in kept {
            Self::place(&mut self.slots, slot);
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
        self.keys.to_keys()
    }
}
