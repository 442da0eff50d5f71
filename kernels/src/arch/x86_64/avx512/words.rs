//! Vectors of eight words, under the names that all levels share.

use std::arch::x86_64::*;
pub(super) use std::arch::x86_64::{
    __m128i as Count, __m512i as Words, _mm_cvtsi32_si128 as count,
    _mm256_storeu_si256 as store_halves, _mm512_add_epi64 as add, _mm512_and_si512 as and,
    _mm512_cvtepi64_epi32 as low_halves, _mm512_loadu_si512 as load,
    _mm512_mul_epu32 as mul_halves, _mm512_mullo_epi64 as mul_low, _mm512_or_si512 as or,
    _mm512_set1_epi64 as splat, _mm512_setzero_si512 as zero, _mm512_sllv_epi64 as shift_left_each,
    _mm512_srl_epi64 as shift_right_by, _mm512_srli_epi64 as shift_right,
    _mm512_storeu_si512 as store, _mm512_xor_si512 as xor,
};

pub(super) const LANES: usize = 8;

/// The lower and the upper halves of keys of two words.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn halves(first: Words, second: Words) -> (Words, Words) {
    let (even, odd) = (
        _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14),
        _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15),
    );
    let low = _mm512_permutex2var_epi64(first, even, second);
    (low, _mm512_permutex2var_epi64(first, odd, second))
}

/// Words in the order of the keys that [`halves`] took.
#[inline(always)]
pub(super) fn in_order(words: Words) -> Words {
    words
}

/// Four bytes from each place on.
///
/// # Safety
/// They can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) unsafe fn four_bytes_at(bytes: &[u8], at: Words) -> Words {
    let at = _mm512_cvtepi64_epi32(at);
    // SAFETY: the caller's promise.
    _mm512_cvtepu32_epi64(unsafe { _mm256_i32gather_epi32::<1>(bytes.as_ptr().cast(), at) })
}

/// # Safety
/// Each number is below that of the words.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn words_at(words: &[u64], at: Words) -> Words {
    // SAFETY: the caller's promise.
    unsafe { _mm512_i64gather_epi64::<8>(at, words.as_ptr().cast()) }
}

/// A bit for each pair of equal words.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn equal(a: Words, b: Words) -> u64 {
    u64::from(_mm512_cmpeq_epi64_mask(a, b))
}
