//! Where a perfect hash table keeps each key.

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
    /// Odd; another one gives the same keys other slots.
    pub(crate) multiplier: u64,
}

/// What a pilot is multiplied by before a hash is changed by it.
pub(in crate::arch) const PILOT_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Geometry {
    /// The bucket of a key.
    #[inline(always)]
    pub(crate) fn bucket(&self, hash: u64) -> u32 {
        ((hash >> 32) * u64::from(self.buckets) >> 32) as u32
    }

    /// The first slot of the part that a key falls into.
    #[inline(always)]
    pub(crate) fn part_start(&self, hash: u64) -> u32 {
        // A shift by 64 is none: one part is shifted in two steps.
        (hash >> 1 >> (63 - self.part_bits)) as u32 * self.part_slots
    }

    /// The slot inside its part that a key has under a pilot.
    #[inline(always)]
    pub(crate) fn slot_in_part(&self, hash: u64, pilot: u8) -> u32 {
        let mixed =
            (hash ^ u64::from(pilot).wrapping_mul(PILOT_STEP)).wrapping_mul(self.multiplier);
        ((mixed >> 32) * u64::from(self.part_slots) >> 32) as u32
    }
}

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
    assert_eq!(hashes.len(), slots.len(), "one slot a hash");
    debug_assert!(geometry.buckets < 1 << 31);
    debug_assert!(pilots.len() >= geometry.buckets as usize + PILOT_PADDING);
    // SAFETY: a bucket is below `buckets`, so that there are four bytes from its
    // pilot on, as the caller promises.
    dispatch!(isa, pilot::pilot_slots(geometry, pilots, hashes, slots));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::mix;

    #[test]
    fn every_isa_finds_the_same_slots() {
        let hashes: Vec<u64> = (0..300u64).map(mix).chain([0, u64::MAX]).collect();
        for (part_bits, buckets, part_slots) in
            [(0, 1, 1), (0, 100, 333), (3, 8 * 40, 160), (10, 1024 * 77, 321)]
        {
            let geometry = Geometry { part_bits, buckets, part_slots, multiplier: mix(77) | 1 };
            let pilots: Vec<u8> =
                (0..buckets as usize + PILOT_PADDING).map(|i| mix(i as u64) as u8).collect();
            let expected: Vec<u32> = hashes
                .iter()
                .map(|&hash| {
                    let bucket = geometry.bucket(hash);
                    assert!(bucket < buckets);
                    let start = geometry.part_start(hash);
                    assert_eq!(start / part_slots, bucket / (buckets >> part_bits), "one part");
                    start + geometry.slot_in_part(hash, pilots[bucket as usize])
                })
                .collect();
            assert!(expected.iter().all(|&slot| slot < part_slots << part_bits));
            for isa in Isa::available() {
                for len in [0, 1, 7, 8, 9, 15, 16, 17, 302] {
                    let mut slots = vec![0; len];
                    // SAFETY: as many pilots as buckets and the padding.
                    unsafe { pilot_slots(isa, &geometry, &pilots, &hashes[..len], &mut slots) };
                    assert_eq!(slots, expected[..len], "{isa} {len}");
                }
            }
        }
    }
}
