use std::arch::x86_64::*;

use crate::arch::bloom::{BIT_SHIFTS, BLOCK, BLOOM_MIX};
use crate::arch::{portable, prefetch_read};

/// Hashes in a vector.
const LANES: usize = 8;

/// Mixed hashes of a block and the numbers of their words.
struct Placed {
    mixed: [__m512i; BLOCK / LANES],
    words: [__m512i; BLOCK / LANES],
}

impl Placed {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn nowhere() -> Self {
        let zero = _mm512_setzero_si512();
        Self { mixed: [zero; BLOCK / LANES], words: [zero; BLOCK / LANES] }
    }

    /// # Safety
    /// There are [`BLOCK`] hashes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn place(&mut self, filter: &[u64], prefetch: bool, hashes: &[u64]) {
        debug_assert_eq!(hashes.len(), BLOCK);
        let len = _mm512_set1_epi64(filter.len() as i64);
        for (i, (mixed, word)) in self.mixed.iter_mut().zip(&mut self.words).enumerate() {
            // SAFETY: eight hashes from `8 * i` on are there, for `i < 8`; the
            // load needs no alignment.
            let hash = unsafe { _mm512_loadu_si512(hashes.as_ptr().add(i * LANES).cast()) };
            let folded = _mm512_xor_si512(hash, _mm512_srli_epi64::<32>(hash));
            *mixed = _mm512_mullo_epi64(folded, _mm512_set1_epi64(BLOOM_MIX as i64));
            *word = _mm512_mul_epu32(_mm512_srli_epi64::<32>(*mixed), len);
            *word = _mm512_srli_epi64::<32>(*word);
            if prefetch {
                let mut at = [0u64; LANES];
                // SAFETY: the array is as large as the vector.
                unsafe { _mm512_storeu_si512(at.as_mut_ptr().cast(), *word) };
                at.iter().for_each(|&word| prefetch_read(filter, word as usize));
            }
        }
    }

    /// A bit for each hash, set if it passes.
    ///
    /// # Safety
    /// The words were placed in this filter.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn passing(&self, filter: &[u64]) -> u64 {
        let one = _mm512_set1_epi64(1);
        let low_six = _mm512_set1_epi64(63);
        let mut passing = 0;
        for (i, (&mixed, &word)) in self.mixed.iter().zip(&self.words).enumerate() {
            let mut bits = _mm512_setzero_si512();
            for shift in BIT_SHIFTS {
                let number = _mm512_srl_epi64(mixed, _mm_cvtsi32_si128(shift as i32));
                let bit = _mm512_sllv_epi64(one, _mm512_and_si512(number, low_six));
                bits = _mm512_or_si512(bits, bit);
            }
            // SAFETY: a word's number is below that of the words.
            let word = unsafe { _mm512_i64gather_epi64::<8>(word, filter.as_ptr().cast()) };
            let passes = _mm512_cmpeq_epi64_mask(_mm512_and_si512(word, bits), bits);
            passing |= u64::from(passes) << (i * LANES);
        }
        passing
    }
}

/// # Safety
/// The filter has between 1 and 2^32 - 1 words.
#[target_feature(enable = "avx512f,avx512dq")]
pub(in crate::arch) unsafe fn bloom_passing(
    filter: &[u64],
    prefetch: bool,
    hashes: &[u64],
    passing: &mut [u64],
) {
    let blocks = hashes.len() / BLOCK;
    let (mut here, mut next) = (Placed::nowhere(), Placed::nowhere());
    let block = |i: usize| &hashes[i * BLOCK..(i + 1) * BLOCK];
    if blocks > 0 {
        // SAFETY: a block has that many hashes.
        unsafe { here.place(filter, prefetch, block(0)) };
    }
    for i in 0..blocks {
        // While a block is tested the words of the next one are on their way.
        if i + 1 < blocks {
            // SAFETY: as above.
            unsafe { next.place(filter, prefetch, block(i + 1)) };
        }
        // SAFETY: placed in this filter.
        passing[i] = unsafe { here.passing(filter) };
        std::mem::swap(&mut here, &mut next);
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
