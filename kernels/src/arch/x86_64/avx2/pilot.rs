use std::arch::x86_64::*;

use crate::arch::pilot::{Geometry, Hashed, IN_FLIGHT, PILOT_STEP, SLOT_MIX, Strided};
use crate::arch::{portable, prefetch_read};
use crate::pairs::NO_ROW;

/// Keys in a vector.
const LANES: usize = 4;

/// A [`Geometry`] in vectors.
#[derive(Clone, Copy)]
struct Lanes {
    buckets: __m256i,
    part_slots: __m256i,
    part_shift: __m128i,
    skipped_bits: __m128i,
}

impl Lanes {
    #[target_feature(enable = "avx2")]
    fn new(geometry: &Geometry) -> Self {
        Self {
            buckets: _mm256_set1_epi64x(i64::from(geometry.buckets)),
            part_slots: _mm256_set1_epi64x(i64::from(geometry.part_slots)),
            part_shift: _mm_cvtsi32_si128(63 - geometry.part_bits as i32),
            skipped_bits: _mm_cvtsi32_si128(geometry.skipped_bits as i32),
        }
    }

    /// The slots of four hashes, one in each 64 bits.
    ///
    /// # Safety
    /// There is a pilot for each bucket and three bytes after the last one.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn slots(self, pilots: &[u8], hash: __m256i) -> __m256i {
        let bucket = _mm256_mul_epu32(_mm256_srli_epi64::<32>(hash), self.buckets);
        let bucket = _mm256_srli_epi64::<32>(bucket);
        // SAFETY: a bucket is below `buckets`, and four bytes from its pilot on
        // are there (the caller's promise).
        let pilot = unsafe { _mm256_i64gather_epi32::<1>(pilots.as_ptr().cast(), bucket) };
        let pilot = _mm256_and_si256(_mm256_cvtepu32_epi64(pilot), _mm256_set1_epi64x(0xff));
        // Multiplications take the lower halves, so that nothing need be masked.
        let step = _mm256_mul_epu32(pilot, _mm256_set1_epi64x(i64::from(PILOT_STEP)));
        let changed = _mm256_xor_si256(_mm256_srl_epi64(hash, self.skipped_bits), step);
        let mixed = _mm256_mul_epu32(changed, _mm256_set1_epi64x(i64::from(SLOT_MIX)));
        let inner = _mm256_srli_epi64::<32>(_mm256_mul_epu32(mixed, self.part_slots));
        let part = _mm256_srl_epi64(_mm256_srli_epi64::<1>(hash), self.part_shift);
        _mm256_add_epi64(inner, _mm256_mul_epu32(part, self.part_slots))
    }
}

/// The lower half of each 64 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn lower_halves(lanes: __m256i) -> __m128i {
    let evens = _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0);
    _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(lanes, evens))
}

/// # Safety
/// There is a pilot for each bucket and three bytes after the last one.
#[target_feature(enable = "avx2")]
pub(in crate::arch) unsafe fn pilot_slots(
    geometry: &Geometry,
    pilots: &[u8],
    hashes: &[u64],
    slots: &mut [u32],
) {
    let whole = hashes.len().min(slots.len()) / LANES * LANES;
    let lanes = Lanes::new(geometry);
    for start in (0..whole).step_by(LANES) {
        // SAFETY: `start + 4 <= whole`, which is no more than either length;
        // load and store need no alignment; pilots are the caller's promise.
        unsafe {
            let hash = _mm256_loadu_si256(hashes.as_ptr().add(start).cast());
            let slot = lower_halves(lanes.slots(pilots, hash));
            _mm_storeu_si128(slots.as_mut_ptr().add(start).cast(), slot);
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        portable::pilot::pilot_slots(geometry, pilots, &hashes[whole..], &mut slots[whole..]);
    }
}

/// # Safety
/// There is a pilot for each bucket and three bytes after the last one, and a
/// word for each slot.
#[target_feature(enable = "avx2")]
pub(in crate::arch) unsafe fn pilot_matches(
    geometry: &Geometry,
    pilots: &[u8],
    table: Strided<'_>,
    keys: Hashed<'_>,
    matches: &mut [u32],
) {
    let rows = keys.hashes.len().min(keys.words.len()).min(matches.len());
    let stride = _mm256_set1_epi64x(table.stride as i64);
    let mut slots = [0u32; IN_FLIGHT];
    for start in (0..rows).step_by(IN_FLIGHT) {
        let range = start..rows.min(start + IN_FLIGHT);
        let slots = &mut slots[..range.len()];
        // SAFETY: the caller's promise.
        unsafe { pilot_slots(geometry, pilots, &keys.hashes[range.clone()], slots) };
        if table.prefetch {
            for &slot in &slots[..] {
                prefetch_read(table.words, slot as usize * table.stride);
            }
        }
        let (words, matches) = (&keys.words[range.clone()], &mut matches[range]);
        // SAFETY: there is a word for each slot (the caller's promise).
        unsafe { compare(table, stride, slots, words, matches) };
    }
}

/// # Safety
/// There is a word for each slot; the slices are of one length.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn compare(
    table: Strided<'_>,
    stride: __m256i,
    slots: &[u32],
    words: &[u64],
    matches: &mut [u32],
) {
    debug_assert!(slots.len() == words.len() && words.len() == matches.len());
    let whole = slots.len() / LANES * LANES;
    for start in (0..whole).step_by(LANES) {
        // SAFETY: `start + 4 <= whole`, no more than any length; loads and store
        // need no alignment; a slot's word is in the table (the caller's
        // promise).
        unsafe {
            let slot = _mm_loadu_si128(slots.as_ptr().add(start).cast());
            let index = _mm256_mul_epu32(_mm256_cvtepu32_epi64(slot), stride);
            let stored = _mm256_i64gather_epi64::<8>(table.words.as_ptr().cast(), index);
            let word = _mm256_loadu_si256(words.as_ptr().add(start).cast());
            let same = lower_halves(_mm256_cmpeq_epi64(stored, word));
            // Where the keys differ all bits are set, which is `NO_ROW`.
            let differs = _mm_xor_si128(same, _mm_set1_epi32(NO_ROW as i32));
            _mm_storeu_si128(matches.as_mut_ptr().add(start).cast(), _mm_or_si128(slot, differs));
        }
    }
    for i in whole..slots.len() {
        // SAFETY: as above.
        let stored = unsafe { *table.words.get_unchecked(slots[i] as usize * table.stride) };
        matches[i] = if stored == words[i] { slots[i] } else { NO_ROW };
    }
}
