//! Matches to selection vectors and bits.

#[cfg(test)]
mod tests;

use super::{Isa, dispatch};

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
/// If `found` is not one word per 64 matches, the last ones included, or the machine lacks
/// `isa`.
pub(crate) fn found_bits(isa: Isa, matches: &[u32], found: &mut [u64]) {
    assert_eq!(found.len(), matches.len().div_ceil(64), "one bit per match");
    dispatch!(isa, select::found_bits(matches, found));
}
