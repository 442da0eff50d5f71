//! Vectors of four words, under the names that all levels share.

use std::arch::x86_64::*;
pub(super) use std::arch::x86_64::{
    __m128i as Count, __m256i as Words, _mm_cvtsi32_si128 as count,
    _mm_storeu_si128 as store_halves, _mm256_add_epi64 as add, _mm256_and_si256 as and,
    _mm256_loadu_si256 as load, _mm256_mul_epu32 as mul_halves, _mm256_or_si256 as or,
    _mm256_set1_epi64x as splat, _mm256_setzero_si256 as zero,
    _mm256_sllv_epi64 as shift_left_each, _mm256_srl_epi64 as shift_right_by,
    _mm256_srli_epi64 as shift_right, _mm256_storeu_si256 as store, _mm256_xor_si256 as xor,
};

pub(super) const LANES: usize = 4;

/// The low 64 bits of each product; AVX2 has 32-bit multiplies only.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn mul_low(a: Words, b: Words) -> Words {
    let cross = _mm256_mullo_epi32(a, _mm256_shuffle_epi32::<0b1011_0001>(b));
    let cross = _mm256_add_epi32(cross, _mm256_srli_epi64::<32>(cross));
    _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64::<32>(cross))
}

/// The lower and the upper halves of keys of two words: keys 0, 2, 1, 3.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn halves(first: Words, second: Words) -> (Words, Words) {
    (_mm256_unpacklo_epi64(first, second), _mm256_unpackhi_epi64(first, second))
}

/// Words in the order of the keys that [`halves`] took.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn in_order(words: Words) -> Words {
    _mm256_permute4x64_epi64::<0b1101_1000>(words)
}

/// The lower half of each word.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn low_halves(words: Words) -> __m128i {
    let evens = _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0);
    _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(words, evens))
}

/// Four bytes from each place on.
///
/// # Safety
/// They can be read.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn four_bytes_at(bytes: &[u8], at: Words) -> Words {
    // SAFETY: the caller's promise.
    _mm256_cvtepu32_epi64(unsafe { _mm256_i64gather_epi32::<1>(bytes.as_ptr().cast(), at) })
}

/// # Safety
/// Each number is below that of the words.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn words_at(words: &[u64], at: Words) -> Words {
    // SAFETY: the caller's promise.
    unsafe { _mm256_i64gather_epi64::<8>(words.as_ptr().cast(), at) }
}

/// A bit for each pair of equal words.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn equal(a: Words, b: Words) -> u64 {
    _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b))) as u64
}
