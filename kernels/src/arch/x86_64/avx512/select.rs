use std::arch::x86_64::*;

use crate::arch::portable;
use crate::pairs::NO_ROW;

#[target_feature(enable = "avx512f,popcnt")]
pub(crate) fn select_matches(
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
pub(crate) fn found_bits(matches: &[u32], found: &mut [u64]) {
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
