use std::arch::x86_64::*;

use super::words::*;
use crate::arch::generic::pilot::pilot_kernels;
use crate::arch::pilot::{Geometry, Hashed, IN_FLIGHT, PILOT_STEP, SLOT_MIX, Strided};
use crate::arch::{portable, prefetch_read};
use crate::pairs::NO_ROW;

pilot_kernels!("avx2");

/// # Safety
/// There is a pilot for each bucket and three bytes after the last one, and a
/// word for each slot.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn pilot_matches(
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
            let same = low_halves(_mm256_cmpeq_epi64(stored, word));
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
