use std::arch::x86_64::*;

use crate::arch::hash::{MIX_1, MIX_2};
use crate::arch::portable;

#[target_feature(enable = "avx512f,avx512dq")]
fn mix(mut h: __m512i) -> __m512i {
    h = _mm512_xor_si512(h, _mm512_srli_epi64::<33>(h));
    h = _mm512_mullo_epi64(h, _mm512_set1_epi64(MIX_1 as i64));
    h = _mm512_xor_si512(h, _mm512_srli_epi64::<33>(h));
    h = _mm512_mullo_epi64(h, _mm512_set1_epi64(MIX_2 as i64));
    _mm512_xor_si512(h, _mm512_srli_epi64::<33>(h))
}

#[target_feature(enable = "avx512f,avx512dq")]
pub(in crate::arch) fn hash_words(words: &[u64], seed: u64, hashes: &mut [u64]) {
    let whole = words.len().min(hashes.len()) / 8 * 8;
    let seed_lanes = _mm512_set1_epi64(seed as i64);
    for start in (0..whole).step_by(8) {
        // SAFETY: `start + 8 <= whole <= words.len()`; the load needs no alignment.
        let lanes = unsafe { _mm512_loadu_si512(words.as_ptr().add(start).cast()) };
        let h = mix(_mm512_xor_si512(lanes, seed_lanes));
        // SAFETY: `start + 8 <= whole <= hashes.len()`; the store needs no alignment.
        unsafe { _mm512_storeu_si512(hashes.as_mut_ptr().add(start).cast(), h) };
    }
    portable::hash::hash_words(&words[whole..], seed, &mut hashes[whole..]);
}

#[target_feature(enable = "avx512f,avx512dq")]
pub(in crate::arch) fn hash_wide(words: &[i128], seed: u64, hashes: &mut [u64]) {
    let whole = words.len().min(hashes.len()) / 8 * 8;
    let seed_lanes = _mm512_set1_epi64(seed as i64);
    // The even and the odd words of two vectors of four keys.
    let (even, odd) = (
        _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14),
        _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15),
    );
    for start in (0..whole).step_by(8) {
        // SAFETY: `start + 8 <= whole <= words.len()` keys of 16 bytes are two
        // vectors; the loads need no alignment.
        let (first, second) = unsafe {
            let at = words.as_ptr().add(start).cast::<__m512i>();
            (_mm512_loadu_si512(at), _mm512_loadu_si512(at.add(1)))
        };
        let low = _mm512_permutex2var_epi64(first, even, second);
        let high = _mm512_permutex2var_epi64(first, odd, second);
        let h = mix(_mm512_xor_si512(mix(_mm512_xor_si512(low, seed_lanes)), high));
        // SAFETY: `start + 8 <= whole <= hashes.len()`; the store needs no alignment.
        unsafe { _mm512_storeu_si512(hashes.as_mut_ptr().add(start).cast(), h) };
    }
    portable::hash::hash_wide(&words[whole..], seed, &mut hashes[whole..]);
}
