//! AVX-512 kernels. Each function is safe to call only where the CPU has
//! AVX-512 F and DQ.

use std::arch::x86_64::*;

use crate::arch::{MIX_1, MIX_2, portable};

#[target_feature(enable = "avx512f,avx512dq")]
pub(in crate::arch) fn hash_words(words: &[u64], seed: u64, hashes: &mut [u64]) {
    let whole = words.len().min(hashes.len()) / 8 * 8;
    let seed_lanes = _mm512_set1_epi64(seed as i64);
    let (mix_1, mix_2) = (_mm512_set1_epi64(MIX_1 as i64), _mm512_set1_epi64(MIX_2 as i64));
    for start in (0..whole).step_by(8) {
        // SAFETY: `start + 8 <= whole <= words.len()`; the load needs no alignment.
        let lanes = unsafe { _mm512_loadu_si512(words.as_ptr().add(start).cast()) };
        let mut h = _mm512_xor_si512(lanes, seed_lanes);
        h = _mm512_xor_si512(h, _mm512_srli_epi64::<33>(h));
        h = _mm512_mullo_epi64(h, mix_1);
        h = _mm512_xor_si512(h, _mm512_srli_epi64::<33>(h));
        h = _mm512_mullo_epi64(h, mix_2);
        h = _mm512_xor_si512(h, _mm512_srli_epi64::<33>(h));
        // SAFETY: `start + 8 <= whole <= hashes.len()`; the store needs no alignment.
        unsafe { _mm512_storeu_si512(hashes.as_mut_ptr().add(start).cast(), h) };
    }
    portable::hash_words(&words[whole..], seed, &mut hashes[whole..]);
}
