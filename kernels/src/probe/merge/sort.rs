//! Sorts keys together with their rows.
//!
//! A radix sort by windows: the highest bits in which the keys differ at all,
//! about as many as it takes to tell that many keys apart, are sorted by
//! counting, from the lower digit to the upper one; keys that are equal in them
//! form short runs, which are sorted on their own by what is left. Bits that
//! are the same in all keys cost nothing, so that dense numbers, random ones,
//! `id << 16` and the two ends of a type in one column all take two or three
//! passes (after McIlroy, Bostic, McIlroy, "Engineering Radix Sort", Computing
//! Systems 6(1), 1993). The sort is stable.

use crate::memory::{Buffer, Plain};

/// Runs up to this length are sorted by insertion. Not measured.
const SMALL: usize = 24;
/// Bits of a digit at most: its counters and the lines that it writes to stay in
/// the first-level cache. Not measured.
const DIGIT: u32 = 11;

/// A key and its row: the words of the key, the most significant one first,
/// then the row.
pub(super) type Entry<const N: usize> = [u64; N];

/// Sorts entries by key, equal keys by place. Returns the bytes that it took
/// for the time being; `None` if they were in order already.
pub(super) fn sort<const N: usize>(entries: &mut [Entry<N>]) -> usize
where
    Entry<N>: Plain,
{
    if entries.windows(2).all(|pair| key(&pair[0]) <= key(&pair[1])) {
        return 0;
    }
    let mut spare = Buffer::<Entry<N>>::zeroed(entries.len());
    sort_from(entries, &mut spare, 0);
    spare.bytes()
}

/// The words of the key.
#[inline(always)]
fn key<const N: usize>(entry: &Entry<N>) -> &[u64] {
    &entry[..N - 1]
}

/// Sorts entries that are equal in the words before `word`; `spare` is as long.
fn sort_from<const N: usize>(entries: &mut [Entry<N>], spare: &mut [Entry<N>], mut word: usize) {
    if entries.len() <= SMALL {
        insertion(entries);
        return;
    }
    // The first word in which they differ, and the bits of it that do.
    let varying = loop {
        if word == N - 1 {
            return;
        }
        let first = entries[0][word];
        match entries.iter().fold(0, |bits, entry| bits | (entry[word] ^ first)) {
            0 => word += 1,
            varying => break varying,
        }
    };
    let top = u64::BITS - varying.leading_zeros();
    let window = (entries.len().ilog2() + 2).min(2 * DIGIT).min(top);
    let shift = top - window;
    let digit = window.div_ceil(window.div_ceil(DIGIT));
    let mut in_spare = false;
    for from in (shift..top).step_by(digit as usize) {
        let bits = digit.min(top - from);
        if varying >> from & ((1 << bits) - 1) == 0 {
            continue;
        }
        if in_spare {
            scatter(spare, entries, word, from, bits);
        } else {
            scatter(entries, spare, word, from, bits);
        }
        in_spare = !in_spare;
    }
    if in_spare {
        entries.copy_from_slice(spare);
    }
    let mut start = 0;
    while start < entries.len() {
        let window = entries[start][word] >> shift;
        let same = entries[start..].iter().take_while(|entry| entry[word] >> shift == window);
        let end = start + same.count();
        if end - start > 1 {
            sort_from(&mut entries[start..end], &mut spare[start..end], word);
        }
        start = end;
    }
}

/// Moves entries to the place of their digit, equal digits in order.
fn scatter<const N: usize>(
    from: &[Entry<N>],
    to: &mut [Entry<N>],
    word: usize,
    shift: u32,
    bits: u32,
) {
    let mask = (1 << bits) - 1;
    let digit = |entry: &Entry<N>| (entry[word] >> shift & mask) as usize;
    let mut places = [0u32; 1 << DIGIT];
    for entry in from {
        places[digit(entry)] += 1;
    }
    let mut sum = 0;
    for place in &mut places[..=mask as usize] {
        sum += std::mem::replace(place, sum);
    }
    for entry in from {
        let place = &mut places[digit(entry)];
        to[*place as usize] = *entry;
        *place += 1;
    }
}

fn insertion<const N: usize>(entries: &mut [Entry<N>]) {
    for sorted in 1..entries.len() {
        let entry = entries[sorted];
        let mut hole = sorted;
        while hole > 0 && key(&entries[hole - 1]) > key(&entry) {
            entries[hole] = entries[hole - 1];
            hole -= 1;
        }
        entries[hole] = entry;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::arch::mix;

    fn check<const N: usize>(keys: impl Iterator<Item = [u64; N]>) -> usize
    where
        Entry<N>: Plain,
    {
        let entries: Vec<Entry<N>> = keys
            .enumerate()
            .map(|(row, mut entry)| {
                entry[N - 1] = row as u64;
                entry
            })
            .collect();
        let mut sorted = entries.clone();
        let spare = sort(&mut sorted);
        // Rows are part of the entry, so this is the stable order.
        let mut expected = entries;
        expected.sort_unstable();
        assert_eq!(sorted, expected);
        spare
    }

    #[test]
    fn keys_of_every_pattern_come_out_in_order_equal_ones_by_row() {
        let patterns: [fn(u64) -> u64; 9] = [
            |_| 7,
            |i| i,
            |i| u64::MAX - i,
            mix,
            |i| mix(i) % 100,
            |i| ((mix(i) % 5000) << 16) | 0xbeef,
            // One far outlier leaves the first window to it.
            |i| if i == 77 { u64::MAX } else { mix(i) % 3000 },
            |i| if i % 2 == 0 { i64::MIN as u64 } else { i64::MAX as u64 - mix(i) % 9 },
            |i| (mix(i) as f64).to_bits(),
        ];
        for n in [0, 1, 2, SMALL as u64, SMALL as u64 + 1, 1000, 20_000] {
            for pattern in patterns {
                check((0..n).map(|i| [pattern(i), 0]));
                check((0..n).map(|i| [0, pattern(i), 0]));
                check((0..n).map(|i| [pattern(i), pattern(i ^ 5), 0]));
                check((0..n).map(|i| [mix(i) % 3, pattern(i), 0]));
            }
        }
    }

    #[test]
    fn known_order_is_used() {
        assert_eq!(check((0..1000).map(|i| [i / 3, 0])), 0);
        assert!(check((0..1000u64).rev().map(|i| [i / 3, 0])) > 0);
    }

    proptest! {
        #[test]
        fn any_keys(keys in proptest::collection::vec((any::<u64>(), 0u32..64, 0u64..4), 0..300)) {
            check(keys.iter().map(|&(key, shift, _)| [key >> shift, 0]));
            check(keys.iter().map(|&(key, shift, upper)| [upper, key >> shift, 0]));
        }
    }
}
