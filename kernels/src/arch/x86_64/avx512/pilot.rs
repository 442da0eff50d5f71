use std::arch::x86_64::*;

use crate::arch::pilot::{Geometry, PILOT_STEP};
use crate::arch::portable;

/// # Safety
/// There is a pilot for each bucket and three bytes after the last one.
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(in crate::arch) unsafe fn pilot_slots(
    geometry: &Geometry,
    pilots: &[u8],
    hashes: &[u64],
    slots: &mut [u32],
) {
    let whole = hashes.len().min(slots.len()) / 8 * 8;
    let buckets = _mm512_set1_epi64(i64::from(geometry.buckets));
    let part_slots = _mm512_set1_epi64(i64::from(geometry.part_slots));
    let part_shift = _mm_cvtsi32_si128(63 - geometry.part_bits as i32);
    let multiplier = _mm512_set1_epi64(geometry.multiplier as i64);
    let step = _mm512_set1_epi64(PILOT_STEP as i64);
    for start in (0..whole).step_by(8) {
        // SAFETY: `start + 8 <= whole <= hashes.len()`; the load needs no alignment.
        let hash = unsafe { _mm512_loadu_si512(hashes.as_ptr().add(start).cast()) };
        let upper = _mm512_srli_epi64::<32>(hash);
        let bucket = _mm512_srli_epi64::<32>(_mm512_mul_epu32(upper, buckets));
        // SAFETY: a bucket is below `buckets`, and four bytes from its pilot on
        // are there (the caller's promise).
        let pilot = unsafe {
            let bucket = _mm512_cvtepi64_epi32(bucket);
            _mm256_i32gather_epi32::<1>(pilots.as_ptr().cast(), bucket)
        };
        let pilot = _mm512_and_si512(_mm512_cvtepu32_epi64(pilot), _mm512_set1_epi64(0xff));
        let mixed =
            _mm512_mullo_epi64(_mm512_xor_si512(hash, _mm512_mullo_epi64(pilot, step)), multiplier);
        let inner = _mm512_mul_epu32(_mm512_srli_epi64::<32>(mixed), part_slots);
        let inner = _mm512_srli_epi64::<32>(inner);
        let part = _mm512_srl_epi64(_mm512_srli_epi64::<1>(hash), part_shift);
        let slot = _mm512_add_epi64(inner, _mm512_mul_epu32(part, part_slots));
        // SAFETY: `start + 8 <= whole <= slots.len()`; the store needs no alignment.
        unsafe {
            let slot = _mm512_cvtepi64_epi32(slot);
            _mm256_storeu_si256(slots.as_mut_ptr().add(start).cast(), slot);
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        portable::pilot::pilot_slots(geometry, pilots, &hashes[whole..], &mut slots[whole..]);
    }
}
