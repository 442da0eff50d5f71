use std::arch::x86_64::*;

use super::hash::multiply_low;
use crate::arch::pilot::{Geometry, PILOT_STEP};
use crate::arch::portable;

/// # Safety
/// There is a pilot for each bucket and three bytes after the last one.
#[target_feature(enable = "avx2")]
pub(in crate::arch) unsafe fn pilot_slots(
    geometry: &Geometry,
    pilots: &[u8],
    hashes: &[u64],
    slots: &mut [u32],
) {
    let whole = hashes.len().min(slots.len()) / 4 * 4;
    let buckets = _mm256_set1_epi64x(i64::from(geometry.buckets));
    let part_slots = _mm256_set1_epi64x(i64::from(geometry.part_slots));
    let part_shift = _mm_cvtsi32_si128(63 - geometry.part_bits as i32);
    let multiplier = _mm256_set1_epi64x(geometry.multiplier as i64);
    let step = _mm256_set1_epi64x(PILOT_STEP as i64);
    let evens = _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0);
    for start in (0..whole).step_by(4) {
        // SAFETY: `start + 4 <= whole <= hashes.len()`; the load needs no alignment.
        let hash = unsafe { _mm256_loadu_si256(hashes.as_ptr().add(start).cast()) };
        let upper = _mm256_srli_epi64::<32>(hash);
        let bucket = _mm256_srli_epi64::<32>(_mm256_mul_epu32(upper, buckets));
        // SAFETY: a bucket is below `buckets`, and four bytes from its pilot on
        // are there (the caller's promise).
        let pilot = unsafe { _mm256_i64gather_epi32::<1>(pilots.as_ptr().cast(), bucket) };
        let pilot = _mm256_and_si256(_mm256_cvtepu32_epi64(pilot), _mm256_set1_epi64x(0xff));
        let mixed = multiply_low(_mm256_xor_si256(hash, multiply_low(pilot, step)), multiplier);
        let inner = _mm256_mul_epu32(_mm256_srli_epi64::<32>(mixed), part_slots);
        let inner = _mm256_srli_epi64::<32>(inner);
        let part = _mm256_srl_epi64(_mm256_srli_epi64::<1>(hash), part_shift);
        let slot = _mm256_add_epi64(inner, _mm256_mul_epu32(part, part_slots));
        let slot = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(slot, evens));
        // SAFETY: `start + 4 <= whole <= slots.len()`; the store needs no alignment.
        unsafe { _mm_storeu_si128(slots.as_mut_ptr().add(start).cast(), slot) };
    }
    // SAFETY: the caller's promise.
    unsafe {
        portable::pilot::pilot_slots(geometry, pilots, &hashes[whole..], &mut slots[whole..]);
    }
}
