//! Candidates to matches, and matches to selection vectors and bits.

use super::{Isa, dispatch};

/// Compares each candidate's key with the probe's: `matches[i]` is
/// `positions[i]` where `table[positions[i] * stride]` is `keys[i]`, else
/// [`NO_ROW`](crate::pairs::NO_ROW).
///
/// # Safety
/// Each position times `stride` is below `table.len()`.
///
/// # Panics
/// If the slices differ in length, or the machine lacks `isa`.
pub(crate) unsafe fn match_words(
    isa: Isa,
    table: &[u64],
    stride: usize,
    positions: &[u32],
    keys: &[u64],
    matches: &mut [u32],
) {
    assert!(positions.len() == keys.len() && keys.len() == matches.len(), "one key a position");
    debug_assert!(positions.iter().all(|&at| at as usize * stride < table.len()));
    // SAFETY: lengths were compared; positions are the caller's promise.
    dispatch!(isa, select::match_words(table, stride, positions, keys, matches));
}

/// Lists the rows that have a match: `probe_rows` gets `first + i`,
/// `build_rows` gets `matches[i]`, for each `i` whose match is not [`NO_ROW`](crate::pairs::NO_ROW).
/// Returns their number.
///
/// # Panics
/// If an output is shorter than `matches`, or the machine lacks `isa`.
pub(crate) fn select_matches(
    isa: Isa,
    matches: &[u32],
    first: u32,
    probe_rows: &mut [u32],
    build_rows: &mut [u32],
) -> usize {
    assert!(probe_rows.len() >= matches.len() && build_rows.len() >= matches.len());
    // SAFETY: the outputs have room for all matches.
    dispatch!(isa, select::select_matches(matches, first, probe_rows, build_rows))
}

/// Sets bit `i` of `found` where `matches[i]` is not [`NO_ROW`](crate::pairs::NO_ROW); clears the rest.
///
/// # Panics
/// If `found` is not one word for each 64 matches begun, or the machine lacks
/// `isa`.
pub(crate) fn found_bits(isa: Isa, matches: &[u32], found: &mut [u64]) {
    assert_eq!(found.len(), matches.len().div_ceil(64), "one bit a match");
    dispatch!(isa, select::found_bits(matches, found));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::mix;
    use crate::pairs::NO_ROW;

    #[test]
    fn every_isa_matches_selects_and_marks_alike() {
        let table: Vec<u64> = (0..600u64).map(|i| mix(i % 3 * 1000 + i / 3)).collect();
        for stride in [1usize, 2, 3] {
            let rows = table.len() / stride;
            let positions: Vec<u32> = (0..200).map(|i| (i * 37 % rows) as u32).collect();
            let keys: Vec<u64> = positions
                .iter()
                .enumerate()
                .map(|(i, &at)| if i % 3 == 0 { i as u64 } else { table[at as usize * stride] })
                .collect();
            for isa in Isa::available() {
                for (start, end) in [(0, 0), (0, 1), (1, 8), (3, 20), (5, 70), (0, 200)] {
                    let (positions, keys) = (&positions[start..end], &keys[start..end]);
                    let expected: Vec<u32> = positions
                        .iter()
                        .zip(keys)
                        .map(
                            |(&at, &key)| {
                                if table[at as usize * stride] == key { at } else { NO_ROW }
                            },
                        )
                        .collect();
                    let mut matches = vec![7; end - start];
                    // SAFETY: positions are below `rows`.
                    unsafe { match_words(isa, &table, stride, positions, keys, &mut matches) };
                    assert_eq!(matches, expected, "{isa} {stride}");

                    let (mut probe_rows, mut build_rows) =
                        (vec![0; matches.len()], vec![0; matches.len()]);
                    let count = select_matches(isa, &matches, 50, &mut probe_rows, &mut build_rows);
                    let (expected_probe, expected_build): (Vec<u32>, Vec<u32>) = (50..)
                        .zip(&matches)
                        .filter(|&(_, &found)| found != NO_ROW)
                        .map(|(row, &found)| (row, found))
                        .unzip();
                    assert_eq!(probe_rows[..count], expected_probe, "{isa}");
                    assert_eq!(build_rows[..count], expected_build, "{isa}");

                    let mut found = vec![u64::MAX; matches.len().div_ceil(64)];
                    found_bits(isa, &matches, &mut found);
                    for i in 0..found.len() * 64 {
                        let expected = matches.get(i).is_some_and(|&row| row != NO_ROW);
                        assert_eq!(found[i / 64] >> (i % 64) & 1 == 1, expected, "{isa} {i}");
                    }
                }
            }
        }
    }
}
