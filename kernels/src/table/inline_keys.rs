//! Keys inside the slots of a hash table, next to the number of the key.

use std::fmt;

use super::byte_entries::ByteEntries;
use crate::key::{ByteKeys, Shaped, shaped};
use crate::memory::Plain;

/// How a table of slots holds keys of one shape. In a slot the number counts
/// from 1; a slot of zeros is empty.
pub(super) trait InlineKeys: Shaped {
    /// A key, or what distinguishes it from most others, and its number.
    type Slot: Plain + fmt::Debug;
    /// Whether keys are compared outside the slots, too.
    const HAS_ENTRIES: bool = false;

    /// For at most `keys` keys.
    fn with_room(keys: usize) -> Self;

    /// Adds the key of a row as number `number`, counted from 1; returns its
    /// slot. Numbers are assigned in order.
    fn add(&mut self, keys: Self::Keys<'_>, row: usize, hash: u64, number: u32) -> Self::Slot;

    /// Releases room that was not used.
    fn shrink(&mut self);

    /// The number in a slot; 0 if it is empty.
    fn number(slot: &Self::Slot) -> u32;

    /// Whether the key of a slot that is not empty is that of a row. An empty
    /// one may match anything.
    ///
    /// # Safety
    /// `row` is below the number of keys.
    unsafe fn matches(
        &self,
        slot: &Self::Slot,
        keys: Self::Keys<'_>,
        row: usize,
        hash: u64,
    ) -> bool;

    /// Prefetches what `matches` reads beyond the slot.
    fn prefetch(&self, slot: &Self::Slot);

    /// Bytes held outside the slots.
    fn bytes(&self) -> usize;
}

macro_rules! fixed_inline {
    ($name:ident, $word:ty, $words:literal, $slot:literal, $variant:ident, $what:literal) => {
        #[doc = $what]
        #[derive(Debug)]
        pub(super) struct $name;

        shaped!($name: $variant, [$word]);

        impl InlineKeys for $name {
            type Slot = [u64; $slot];

            fn with_room(_: usize) -> Self {
                Self
            }

            #[inline(always)]
            fn add(&mut self, keys: &[$word], row: usize, _: u64, number: u32) -> Self::Slot {
                let mut slot = [0; $slot];
                for (i, part) in slot[..$words].iter_mut().enumerate() {
                    *part = (keys[row] >> (64 * i)) as u64;
                }
                slot[$words] = u64::from(number);
                slot
            }

            fn shrink(&mut self) {}

            #[inline(always)]
            fn number(slot: &Self::Slot) -> u32 {
                slot[$words] as u32
            }

            #[inline(always)]
            unsafe fn matches(
                &self,
                slot: &Self::Slot,
                keys: &[$word],
                row: usize,
                _: u64,
            ) -> bool {
                debug_assert!(row < keys.len());
                // SAFETY: the caller's.
                let key = unsafe { *keys.get_unchecked(row) };
                (0..$words).fold(true, |same, i| same & (slot[i] == (key >> (64 * i)) as u64))
            }

            #[inline(always)]
            fn prefetch(&self, _: &Self::Slot) {}

            fn bytes(&self) -> usize {
                0
            }
        }
    };
}

fixed_inline!(InlineWords, u64, 1, 2, Words, "Keys of up to 8 bytes, in slots of 16.");
// 32 bytes, so that no slot lies across cache lines.
fixed_inline!(InlineWide, i128, 2, 4, Wide, "Keys of 9 to 16 bytes, in slots of 32.");

/// Byte-string keys: half of the hash in the slot, the key in an entry.
#[derive(Debug)]
pub(super) struct InlineBytes {
    entries: ByteEntries,
}

shaped!(InlineBytes: Bytes, ByteKeys);

impl InlineKeys for InlineBytes {
    type Slot = [u64; 1];
    const HAS_ENTRIES: bool = true;

    fn with_room(keys: usize) -> Self {
        Self { entries: ByteEntries::with_room(keys, 1) }
    }

    #[inline]
    fn add(&mut self, keys: &ByteKeys, row: usize, hash: u64, number: u32) -> Self::Slot {
        debug_assert_eq!(self.entries.len() + 1, number as usize);
        self.entries.push(keys, row, hash);
        [hash >> 32 << 32 | u64::from(number)]
    }

    fn shrink(&mut self) {
        self.entries.shrink(1);
    }

    #[inline(always)]
    fn number(slot: &Self::Slot) -> u32 {
        slot[0] as u32
    }

    #[inline(always)]
    unsafe fn matches(&self, slot: &Self::Slot, keys: &ByteKeys, row: usize, hash: u64) -> bool {
        let number = slot[0] as u32;
        if (slot[0] ^ hash) >> 32 != 0 || number == 0 {
            return false;
        }
        let at = number as usize - 1;
        // SAFETY: the numbers in slots are those of entries.
        unsafe {
            self.entries.may_match(at, keys, row, hash) && self.entries.same_bytes(at, keys, row)
        }
    }

    #[inline(always)]
    fn prefetch(&self, slot: &Self::Slot) {
        self.entries.prefetch((slot[0] as u32 as usize).wrapping_sub(1));
    }

    fn bytes(&self) -> usize {
        self.entries.bytes()
    }
}

/// Numbers the distinct keys of a build side row by row, and remembers which
/// rows have a key that came before.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    distinct: u32,
    /// The number of each row's key, from 0, once a key has repeated; up to
    /// then that is the row's own.
    of_rows: Vec<u32>,
}

impl Numbering {
    /// Numbers assigned so far.
    pub(super) fn distinct(&self) -> u32 {
        self.distinct
    }

    /// The number, from 1, of a key that is new with this row, the next one.
    #[inline(always)]
    pub(super) fn fresh(&mut self) -> u32 {
        if !self.of_rows.is_empty() {
            self.of_rows.push(self.distinct);
        }
        self.distinct += 1;
        self.distinct
    }

    /// The next row has the key of this number, counted from 1.
    #[inline(always)]
    pub(super) fn repeated(&mut self, number: u32) {
        if self.of_rows.is_empty() {
            self.of_rows.extend(0..self.distinct);
        }
        self.of_rows.push(number - 1);
    }

    /// The runs of rows and their order, if keys repeat.
    pub(super) fn finish(self) -> Option<(super::grouped::Runs, Vec<u32>)> {
        if self.of_rows.is_empty() {
            return None;
        }
        Some(super::grouped::Runs::group(&self.of_rows, self.distinct as usize))
    }
}
