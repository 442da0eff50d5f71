//! The slots of an interner: where they are and how they become more.

use crate::arch::prefetch_read;
use crate::memory::Buffer;

/// Slots at first.
const FIRST: usize = 16;
/// The most slots: as many as half a hash can tell apart.
const MOST: usize = 1 << 32;
/// Slots up to which one in eight is taken, and up to which one in four is; beyond, three
/// in four are.
const ROOMY: [usize; 2] = [1 << 15, 1 << 17];

/// A power of two of them, at least one of them empty: the upper half of a key's hash and
/// its number, counted from 1, or 0.
#[derive(Debug)]
pub(super) struct Slots(Buffer<u64>);

impl Slots {
    /// Keys that `slots` slots are enough for, of which there are never more than `limit`.
    pub(super) fn room_of(slots: usize, limit: u32) -> u32 {
        let keys = match slots {
            0..FIRST => 0,
            FIRST => FIRST / 2,
            _ if slots <= ROOMY[0] => slots / 8,
            _ if slots <= ROOMY[1] => slots / 4,
            _ => slots / 4 * 3,
        };
        if slots >= MOST { limit } else { limit.min(keys as u32) }
    }

    /// How many are needed for `keys` keys, of which there are never more than `limit`.
    pub(super) fn needed(keys: usize, limit: u32) -> usize {
        let keys = keys.min(limit as usize) as u32;
        let mut slots = FIRST;
        while Self::room_of(slots, limit) < keys {
            slots *= 2;
        }
        slots
    }

    /// That many, all of them empty.
    pub(super) fn empty(slots: usize) -> Self {
        Self(Buffer::zeroed(slots))
    }

    /// Keys that they are enough for.
    pub(super) fn room(&self, limit: u32) -> u32 {
        Self::room_of(self.0.len(), limit)
    }

    /// How many they have to become for one key more than `keys`.
    pub(super) fn grown(&self, keys: u32, limit: u32) -> usize {
        let mut slots = self.0.len();
        while Self::room_of(slots, limit) <= keys && keys < limit {
            slots *= 2;
        }
        slots
    }

    /// Puts a slot where its half of the hash says, or behind what is there.
    #[inline(always)]
    fn place(&mut self, slot: u64) {
        let mask = self.0.len() - 1;
        let mut at = home(slot, mask);
        while self.0[at] != 0 {
            at = (at + 1) & mask;
        }
        self.0[at] = slot;
    }

    /// Makes them `slots`, in place.
    ///
    /// It goes round from an empty slot. Whatever stays in the old part then finds room
    /// where it was, or nearer to where its hash says, and passes only slots that were
    /// emptied and filled again; the rest goes to the new part.
    pub(super) fn grow(&mut self, slots: usize) {
        let old = self.0.len();
        self.0.grow(slots);
        let start = self.0[..old].iter().position(|&slot| slot == 0).unwrap_or(0);
        for at in (start..old).chain(0..start) {
            let slot = std::mem::take(&mut self.0[at]);
            if slot != 0 {
                self.place(slot);
            }
        }
    }

    /// Keeps the numbers from 1 to `keys`.
    pub(super) fn truncate(&mut self, keys: usize) {
        let is_kept = |slot: &u64| (1..=keys).contains(&(*slot as u32 as usize));
        let kept: Vec<u64> = self.0.iter().copied().filter(is_kept).collect();
        self.0.fill(0);
        for slot in kept {
            self.place(slot);
        }
    }

    /// Sets the slot at a place to a key's number.
    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, hash: u64, number: u32) {
        self.0[place] = hash >> 32 << 32 | u64::from(number);
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch_read(&self.0, home(hash, self.0.len() - 1));
    }

    pub(super) fn as_slice(&self) -> &[u64] {
        &self.0
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// Where the slot of a hash is, unless others are there.
#[inline(always)]
pub(super) fn home(hash: u64, mask: usize) -> usize {
    (hash >> 32) as usize & mask
}
