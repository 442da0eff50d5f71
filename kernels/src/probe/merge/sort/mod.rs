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

#[cfg(test)]
mod tests;

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
/// meanwhile; `None` if they were in order already.
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
