use std::arch::x86_64::*;

use crate::arch::hash::{MIX_1, MIX_2};
use crate::arch::portable;

/// The low 64 bits of each product; AVX2 has 32-bit multiplies only.
#[target_feature(enable = "avx2")]
pub(super) fn multiply_low(a: __m256i, b: __m256i) -> __m256i {
    let cross = _mm256_mullo_epi32(a, _mm256_shuffle_epi32::<0b1011_0001>(b));
    let cross = _mm256_add_epi32(cross, _mm256_srli_epi64::<32>(cross));
    _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64::<32>(cross))
}

#[target_feature(enable = "avx2")]
fn mix(mut h: __m256i) -> __m256i {
    h = _mm256_xor_si256(h, _mm256_srli_epi64::<33>(h));
    h = multiply_low(h, _mm256_set1_epi64x(MIX_1 as i64));
    h = _mm256_xor_si256(h, _mm256_srli_epi64::<33>(h));
    h = multiply_low(h, _mm256_set1_epi64x(MIX_2 as i64));
    _mm256_xor_si256(h, _mm256_srli_epi64::<33>(h))
}

#[target_feature(enable = "avx2")]
pub(in crate::arch) fn hash_words(words: &[u64], seed: u64, hashes: &mut [u64]) {
    let whole = words.len().min(hashes.len()) / 4 * 4;
    let seed_lanes = _mm256_set1_epi64x(seed as i64);
    for start in (0..whole).step_by(4) {
        // SAFETY: `start + 4 <= whole <= words.len()`; the load needs no alignment.
        let lanes = unsafe { _mm256_loadu_si256(words.as_ptr().add(start).cast()) };
        let h = mix(_mm256_xor_si256(lanes, seed_lanes));
        // SAFETY: `start + 4 <= whole <= hashes.len()`; the store needs no alignment.
        unsafe { _mm256_storeu_si256(hashes.as_mut_ptr().add(start).cast(), h) };
    }
    portable::hash::hash_words(&words[whole..], seed, &mut hashes[whole..]);
}

#[target_feature(enable = "avx2")]
pub(in crate::arch) fn hash_wide(words: &[i128], seed: u64, hashes: &mut [u64]) {
    let whole = words.len().min(hashes.len()) / 4 * 4;
    let seed_lanes = _mm256_set1_epi64x(seed as i64);
    for start in (0..whole).step_by(4) {
        // SAFETY: `start + 4 <= whole <= words.len()` keys of 16 bytes are two
        // vectors; the loads need no alignment.
        let (first, second) = unsafe {
            let at = words.as_ptr().add(start).cast::<__m256i>();
            (_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1)))
        };
        // Lower and upper halves of keys 0, 2, 1, 3.
        let low = _mm256_unpacklo_epi64(first, second);
        let high = _mm256_unpackhi_epi64(first, second);
        let h = mix(_mm256_xor_si256(mix(_mm256_xor_si256(low, seed_lanes)), high));
        let h = _mm256_permute4x64_epi64::<0b1101_1000>(h);
        // SAFETY: `start + 4 <= whole <= hashes.len()`; the store needs no alignment.
        unsafe { _mm256_storeu_si256(hashes.as_mut_ptr().add(start).cast(), h) };
    }
    portable::hash::hash_wide(&words[whole..], seed, &mut hashes[whole..]);
}
