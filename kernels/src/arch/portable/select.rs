use crate::pairs::NO_ROW;

pub(crate) fn select_matches(
    matches: &[u32],
    first: u32,
    probe_rows: &mut [u32],
    build_rows: &mut [u32],
) -> usize {
    let mut count = 0;
    for (row, &found) in (first..).zip(matches) {
        probe_rows[count] = row;
        build_rows[count] = found;
        count += usize::from(found != NO_ROW);
    }
    count
}

pub(crate) fn found_bits(matches: &[u32], found: &mut [u64]) {
    for (word, matches) in found.iter_mut().zip(matches.chunks(64)) {
        let bits = matches.iter().enumerate();
        *word = bits.fold(0, |word, (i, &row)| word | u64::from(row != NO_ROW) << i);
    }
}
