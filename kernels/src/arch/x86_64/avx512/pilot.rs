use std::arch::x86_64::*;

use super::words::*;
use crate::arch::generic::pilot::pilot_kernels;
use crate::arch::pilot::{Geometry, Hashed, IN_FLIGHT, PILOT_STEP, SLOT_MIX, Strided};
use crate::arch::{portable, prefetch_read};
use crate::pairs::NO_ROW;

/// Vectors whose words are on their way.
const GROUPS: usize = IN_FLIGHT / LANES;

pilot_kernels!("avx512f,avx512vl");

/// # Safety
/// There is a pilot for each bucket and three bytes after the last one, and a
/// word for each slot.
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) unsafe fn pilot_matches(
    geometry: &Geometry,
    pilots: &[u8],
    table: Strided<'_>,
    keys: Hashed<'_>,
    matches: &mut [u32],
) {
    let whole = keys.hashes.len().min(keys.words.len()).min(matches.len()) / LANES;
    let lanes = Lanes::new(geometry);
    let stride = _mm512_set1_epi64(table.stride as i64);
    let none = _mm256_set1_epi32(NO_ROW as i32);
    // SAFETY: `group < whole`, so that eight hashes from `8 * group` on are
    // there; pilots are the caller's promise.
    let slots = |group: usize| unsafe {
        let hash = _mm512_loadu_si512(keys.hashes.as_ptr().add(group * LANES).cast());
        lanes.slots(pilots, hash)
    };
    // SAFETY: `group < whole`, so that eight words and eight matches are there;
    // a slot's word is in the table (the caller's promise).
    let compare = |group: usize, slot: __m512i, matches: &mut [u32]| unsafe {
        let index = _mm512_mul_epu32(slot, stride);
        let stored = _mm512_i64gather_epi64::<8>(index, table.words.as_ptr().cast());
        let word = _mm512_loadu_si512(keys.words.as_ptr().add(group * LANES).cast());
        let same = _mm512_cmpeq_epi64_mask(stored, word);
        let found = _mm256_mask_mov_epi32(none, same, _mm512_cvtepi64_epi32(slot));
        _mm256_storeu_si256(matches.as_mut_ptr().add(group * LANES).cast(), found);
    };
    if table.prefetch {
        // The slots of the vectors in flight, in a ring.
        let mut ring = [_mm512_setzero_si512(); GROUPS];
        let ask = |group: usize, ring: &mut [__m512i; GROUPS]| {
            let slot = slots(group);
            ring[group % GROUPS] = slot;
            let mut at = [0u64; LANES];
            // SAFETY: the array is as large as the vector.
            unsafe { _mm512_storeu_si512(at.as_mut_ptr().cast(), slot) };
            at.iter().for_each(|&slot| prefetch_read(table.words, slot as usize * table.stride));
        };
        for group in 0..whole.min(GROUPS) {
            ask(group, &mut ring);
        }
        for group in 0..whole {
            compare(group, ring[group % GROUPS], matches);
            if group + GROUPS < whole {
                ask(group + GROUPS, &mut ring);
            }
        }
    } else {
        for group in 0..whole {
            compare(group, slots(group), matches);
        }
    }
    let rest = whole * LANES;
    let keys = Hashed { words: &keys.words[rest..], hashes: &keys.hashes[rest..] };
    // SAFETY: the caller's promise.
    unsafe {
        portable::pilot::pilot_matches(geometry, pilots, table, keys, &mut matches[rest..]);
    }
}
