use std::arch::x86_64::*;

use crate::arch::portable;
use crate::pairs::NO_ROW;

/// # Safety
/// Each position times `stride` is below `table.len()`.
#[target_feature(enable = "avx512f,avx512vl")]
pub(in crate::arch) unsafe fn match_words(
    table: &[u64],
    stride: usize,
    positions: &[u32],
    keys: &[u64],
    matches: &mut [u32],
) {
    let whole = positions.len().min(keys.len()).min(matches.len()) / 8 * 8;
    let none = _mm256_set1_epi32(NO_ROW as i32);
    let strides = _mm512_set1_epi64(stride as i64);
    for start in (0..whole).step_by(8) {
        // SAFETY: `start + 8 <= whole`, which is no more than any length; loads
        // and store need no alignment; the gathered words are at positions that
        // the caller keeps inside the table.
        unsafe {
            let at = _mm256_loadu_si256(positions.as_ptr().add(start).cast());
            let index = _mm512_mul_epu32(_mm512_cvtepu32_epi64(at), strides);
            let stored = _mm512_i64gather_epi64::<8>(index, table.as_ptr().cast());
            let key = _mm512_loadu_si512(keys.as_ptr().add(start).cast());
            let same = _mm512_cmpeq_epi64_mask(stored, key);
            let found = _mm256_mask_mov_epi32(none, same, at);
            _mm256_storeu_si256(matches.as_mut_ptr().add(start).cast(), found);
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        portable::select::match_words(
            table,
            stride,
            &positions[whole..],
            &keys[whole..],
            &mut matches[whole..],
        );
    }
}

#[target_feature(enable = "avx512f,popcnt")]
pub(in crate::arch) fn select_matches(
    matches: &[u32],
    first: u32,
    probe_rows: &mut [u32],
    build_rows: &mut [u32],
) -> usize {
    let whole = matches.len().min(probe_rows.len()).min(build_rows.len()) / 16 * 16;
    let none = _mm512_set1_epi32(NO_ROW as i32);
    let mut row = _mm512_add_epi32(
        _mm512_set1_epi32(first as i32),
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    );
    let mut count = 0;
    for start in (0..whole).step_by(16) {
        // SAFETY: `count <= start` and `start + 16 <= whole`, which is no more
        // than any length; loads and stores need no alignment. Whole vectors are
        // stored: what is beyond the selected lanes is overwritten or cut off.
        unsafe {
            let found = _mm512_loadu_si512(matches.as_ptr().add(start).cast());
            let selected = _mm512_cmpneq_epi32_mask(found, none);
            let rows = _mm512_maskz_compress_epi32(selected, row);
            let found = _mm512_maskz_compress_epi32(selected, found);
            _mm512_storeu_si512(probe_rows.as_mut_ptr().add(count).cast(), rows);
            _mm512_storeu_si512(build_rows.as_mut_ptr().add(count).cast(), found);
            count += selected.count_ones() as usize;
        }
        row = _mm512_add_epi32(row, _mm512_set1_epi32(16));
    }
    count
        + portable::select::select_matches(
            &matches[whole..],
            first + whole as u32,
            &mut probe_rows[count..],
            &mut build_rows[count..],
        )
}

#[target_feature(enable = "avx512f")]
pub(in crate::arch) fn found_bits(matches: &[u32], found: &mut [u64]) {
    let none = _mm512_set1_epi32(NO_ROW as i32);
    let whole = matches.len() / 64;
    for (word, matches) in found.iter_mut().zip(matches.chunks_exact(64)) {
        *word = 0;
        for quarter in 0..4 {
            // SAFETY: the chunk has 64 matches, this is a quarter of them.
            let lanes = unsafe { _mm512_loadu_si512(matches.as_ptr().add(quarter * 16).cast()) };
            *word |= u64::from(_mm512_cmpneq_epi32_mask(lanes, none)) << (quarter * 16);
        }
    }
    portable::select::found_bits(&matches[whole * 64..], &mut found[whole..]);
}
