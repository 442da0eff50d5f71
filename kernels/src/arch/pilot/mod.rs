//! Where a perfect hash table keeps each key.

#[cfg(test)]
mod tests;

use super::{Isa, dispatch};

/// The shape of a table of pilots and slots: keys fall into parts by the upper
/// bits of their hash, inside a part into buckets, and the pilot of a bucket
/// says which slots of the part its keys have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// log2 of the number of parts.
    pub(crate) part_bits: u32,
    /// Buckets of all parts together, the same number in each; below 2^31.
    pub(crate) buckets: u32,
    /// Slots of one part.
    pub(crate) part_slots: u32,
    /// How many of the lowest bits of a hash do not take part in its slot, at
    /// most 20; other ones give the keys other slots.
    pub(crate) skipped_bits: u32,
}

impl Geometry {
    /// The bucket of a key.
    #[inline(always)]
    pub(crate) fn bucket(&self, hash: u64) -> u32 {
        (((hash >> 32) * u64::from(self.buckets)) >> 32) as u32
    }

    /// The first slot of the part that a key falls into.
    #[inline(always)]
    pub(crate) fn part_start(&self, hash: u64) -> u32 {
        // A shift by 64 is none: one part is shifted in two steps.
        (hash >> 1 >> (63 - self.part_bits)) as u32 * self.part_slots
    }

    /// The slot inside its part that a key has under a pilot: 32 bits of the
    /// hash, changed by the pilot and mixed by a multiplication.
    #[inline(always)]
    pub(crate) fn slot_in_part(&self, hash: u64, pilot: u8) -> u32 {
        let changed =
            (hash >> self.skipped_bits) as u32 ^ u32::from(pilot).wrapping_mul(PILOT_STEP);
        let mixed = changed.wrapping_mul(SLOT_MIX);
        ((u64::from(mixed) * u64::from(self.part_slots)) >> 32) as u32
    }

    /// The slot that a key has under a pilot.
    #[inline(always)]
    pub(crate) fn slot(&self, hash: u64, pilot: u8) -> u32 {
        self.part_start(hash) + self.slot_in_part(hash, pilot)
    }
}

/// What makes 32 different bits of each pilot.
pub(crate) const PILOT_STEP: u32 = 0x9e37_79b9;
/// Spreads the bits of a changed hash.
pub(crate) const SLOT_MIX: u32 = 0x85eb_ca6b;

/// How many bytes beyond the last pilot the kernels may read.
pub(crate) const PILOT_PADDING: usize = 3;

/// The slot of each hash.
///
/// # Safety
/// There are `geometry.buckets` pilots and [`PILOT_PADDING`] bytes after them.
///
/// # Panics
/// If the slices differ in length, or the machine lacks `isa`.
pub(crate) unsafe fn pilot_slots(
    isa: Isa,
    geometry: &Geometry,
    pilots: &[u8],
    hashes: &[u64],
    slots: &mut [u32],
) {
    assert_eq!(hashes.len(), slots.len(), "one slot per hash");
    debug_assert!(geometry.buckets < 1 << 31);
    debug_assert!(pilots.len() >= geometry.buckets as usize + PILOT_PADDING);
    // SAFETY: a bucket is below `buckets`, so that there are four bytes from its
    // pilot on, as the caller promises.
    dispatch!(isa, pilot::pilot_slots(geometry, pilots, hashes, slots));
}

/// Looks words up: `matches[i]` is the slot of `hashes[i]` if the word there,
/// `table[slot * stride]`, is `keys[i]`, else [`NO_ROW`](crate::pairs::NO_ROW).
/// With `prefetch` words are prefetched.
///
/// # Safety
/// As for [`pilot_slots`], and each slot times `stride` is below `table.len()`.
///
/// # Panics
/// If the slices differ in length, or the machine lacks `isa`.
pub(crate) unsafe fn pilot_matches(
    isa: Isa,
    geometry: &Geometry,
    pilots: &[u8],
    table: Strided<'_>,
    keys: Hashed<'_>,
    matches: &mut [u32],
) {
    assert!(keys.hashes.len() == keys.words.len() && keys.words.len() == matches.len());
    debug_assert!(geometry.buckets < 1 << 31);
    debug_assert!(pilots.len() >= geometry.buckets as usize + PILOT_PADDING);
    let slots = (geometry.part_slots as usize) << geometry.part_bits;
    debug_assert!(slots == 0 || (slots - 1) * table.stride < table.words.len());
    // SAFETY: the caller's promise; lengths were compared.
    dispatch!(isa, pilot::pilot_matches(geometry, pilots, table, keys, matches));
}

/// Words of which every `stride`th is a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided<'a> {
    pub(crate) words: &'a [u64],
    pub(crate) stride: usize,
    /// Whether they exceed the cache, so that prefetching pays.
    pub(crate) prefetch: bool,
}

/// Keys to look up, and their hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hashed<'a> {
    pub(crate) words: &'a [u64],
    pub(crate) hashes: &'a [u64],
}

/// Keys whose table words are on their way while others are compared.
/// The prototype of this crate found 16 to 64 best; not measured here.
pub(crate) const IN_FLIGHT: usize = 64;
