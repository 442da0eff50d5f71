use std::arch::x86_64::*;

use super::hash::multiply_low;
use crate::arch::bloom::{BIT_SHIFTS, BLOCK, BLOOM_MIX, bloom_bits};
use crate::arch::{portable, prefetch_read};

/// Hashes in a vector.
const LANES: usize = 4;

/// # Safety
/// The filter has between 1 and 2^32 - 1 words.
#[target_feature(enable = "avx2")]
pub(in crate::arch) unsafe fn bloom_passing(
    filter: &[u64],
    prefetch: bool,
    hashes: &[u64],
    passing: &mut [u64],
) {
    let blocks = hashes.len() / BLOCK;
    let len = _mm256_set1_epi64x(filter.len() as i64);
    let (one, low_six) = (_mm256_set1_epi64x(1), _mm256_set1_epi64x(63));
    for (hashes, passing) in hashes.chunks_exact(BLOCK).zip(passing.iter_mut()) {
        if prefetch {
            for &hash in hashes {
                prefetch_read(filter, bloom_bits(hash, filter.len()).0);
            }
        }
        *passing = 0;
        for start in (0..BLOCK).step_by(LANES) {
            // SAFETY: `start + 4 <= BLOCK`, the number of hashes; the load needs
            // no alignment.
            let hash = unsafe { _mm256_loadu_si256(hashes.as_ptr().add(start).cast()) };
            let folded = _mm256_xor_si256(hash, _mm256_srli_epi64::<32>(hash));
            let mixed = multiply_low(folded, _mm256_set1_epi64x(BLOOM_MIX as i64));
            let word = _mm256_mul_epu32(_mm256_srli_epi64::<32>(mixed), len);
            let word = _mm256_srli_epi64::<32>(word);
            let mut bits = _mm256_setzero_si256();
            for shift in BIT_SHIFTS {
                let number = _mm256_srl_epi64(mixed, _mm_cvtsi32_si128(shift as i32));
                let bit = _mm256_sllv_epi64(one, _mm256_and_si256(number, low_six));
                bits = _mm256_or_si256(bits, bit);
            }
            // SAFETY: a word's number is below that of the words.
            let word = unsafe { _mm256_i64gather_epi64::<8>(filter.as_ptr().cast(), word) };
            let passes = _mm256_cmpeq_epi64(_mm256_and_si256(word, bits), bits);
            let passes = _mm256_movemask_pd(_mm256_castsi256_pd(passes)) as u64;
            *passing |= passes << start;
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        portable::bloom::bloom_passing(
            filter,
            prefetch,
            &hashes[blocks * BLOCK..],
            &mut passing[blocks..],
        );
    }
}
