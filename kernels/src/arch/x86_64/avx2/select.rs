use std::arch::x86_64::*;

use crate::arch::portable;
use crate::pairs::NO_ROW;

/// For each mask of eight lanes the set ones, moved to the front.
static COMPRESS: [[u32; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

#[target_feature(enable = "avx2,popcnt")]
pub(crate) fn select_matches(
    matches: &[u32],
    first: u32,
    probe_rows: &mut [u32],
    build_rows: &mut [u32],
) -> usize {
    let whole = matches.len().min(probe_rows.len()).min(build_rows.len()) / 8 * 8;
    let none = _mm256_set1_epi32(NO_ROW as i32);
    let mut row = _mm256_add_epi32(
        _mm256_set1_epi32(first as i32),
        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
    );
    let mut count = 0;
    for start in (0..whole).step_by(8) {
        // SAFETY: `count <= start` and `start + 8 <= whole`, which is no more
        // than any length; loads and stores need no alignment. Whole vectors are
        // stored: what is beyond the selected lanes is overwritten or cut off.
        unsafe {
            let found = _mm256_loadu_si256(matches.as_ptr().add(start).cast());
            let missing = _mm256_cmpeq_epi32(found, none);
            let selected = !_mm256_movemask_ps(_mm256_castsi256_ps(missing)) & 0xff;
            let order = _mm256_loadu_si256(COMPRESS[selected as usize].as_ptr().cast());
            let rows = _mm256_permutevar8x32_epi32(row, order);
            let found = _mm256_permutevar8x32_epi32(found, order);
            _mm256_storeu_si256(probe_rows.as_mut_ptr().add(count).cast(), rows);
            _mm256_storeu_si256(build_rows.as_mut_ptr().add(count).cast(), found);
            count += selected.count_ones() as usize;
        }
        row = _mm256_add_epi32(row, _mm256_set1_epi32(8));
    }
    count
        + portable::select::select_matches(
            &matches[whole..],
            first + whole as u32,
            &mut probe_rows[count..],
            &mut build_rows[count..],
        )
}

#[target_feature(enable = "avx2")]
pub(crate) fn found_bits(matches: &[u32], found: &mut [u64]) {
    let none = _mm256_set1_epi32(NO_ROW as i32);
    let whole = matches.len() / 64;
    for (word, matches) in found.iter_mut().zip(matches.chunks_exact(64)) {
        *word = 0;
        for eighth in 0..8 {
            // SAFETY: the chunk has 64 matches, this is an eighth of them.
            let lanes = unsafe { _mm256_loadu_si256(matches.as_ptr().add(eighth * 8).cast()) };
            let missing = _mm256_castsi256_ps(_mm256_cmpeq_epi32(lanes, none));
            *word |= (!_mm256_movemask_ps(missing) as u64 & 0xff) << (eighth * 8);
        }
    }
    portable::select::found_bits(&matches[whole * 64..], &mut found[whole..]);
}
