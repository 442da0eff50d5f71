//! AVX2 kernels. Each function is safe to call only where the CPU has AVX2.

use std::arch::x86_64::*;

use crate::arch::{MIX_1, MIX_2, portable};

/// The low 64 bits of each product; AVX2 has 32-bit multiplies only.
#[target_feature(enable = "avx2")]
fn multiply_low(a: __m256i, b: __m256i) -> __m256i {
    let cross = _mm256_mullo_epi32(a, _mm256_shuffle_epi32::<0b1011_0001>(b));
    let cross = _mm256_add_epi32(cross, _mm256_srli_epi64::<32>(cross));
    _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64::<32>(cross))
}

#[target_feature(enable = "avx2")]
pub(in crate::arch) fn hash_words(words: &[u64], seed: u64, hashes: &mut [u64]) {
    let whole = words.len().min(hashes.len()) / 4 * 4;
    let seed_lanes = _mm256_set1_epi64x(seed as i64);
    let (mix_1, mix_2) = (_mm256_set1_epi64x(MIX_1 as i64), _mm256_set1_epi64x(MIX_2 as i64));
    for start in (0..whole).step_by(4) {
        // SAFETY: `start + 4 <= whole <= words.len()`; the load needs no alignment.
        let lanes = unsafe { _mm256_loadu_si256(words.as_ptr().add(start).cast()) };
        let mut h = _mm256_xor_si256(lanes, seed_lanes);
        h = _mm256_xor_si256(h, _mm256_srli_epi64::<33>(h));
        h = multiply_low(h, mix_1);
        h = _mm256_xor_si256(h, _mm256_srli_epi64::<33>(h));
        h = multiply_low(h, mix_2);
        h = _mm256_xor_si256(h, _mm256_srli_epi64::<33>(h));
        // SAFETY: `start + 4 <= whole <= hashes.len()`; the store needs no alignment.
        unsafe { _mm256_storeu_si256(hashes.as_mut_ptr().add(start).cast(), h) };
    }
    portable::hash_words(&words[whole..], seed, &mut hashes[whole..]);
}
