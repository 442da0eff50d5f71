//! Keys in ascending order, one type per shape.

use std::cmp::Ordering;

use super::sort::{Entry, sort};
use crate::arch::prefetch_read;
use crate::key::{ByteKeys, Shaped, shaped};
use crate::memory::{Buffer, Plain};

/// One key in this many is sampled: two cache lines of words. Not measured.
pub(super) const SAMPLED: usize = 16;

/// A build side in the order of its keys.
pub(super) trait SortedKeys: Shaped + Sized {
    /// What a side is sorted by, and its row.
    type Entry: Plain;

    /// Whether they ascend as they are.
    fn ascend(keys: Self::Keys<'_>) -> bool;

    /// The entry of a row.
    fn entry(keys: Self::Keys<'_>, row: u32) -> Self::Entry;

    /// The row of an entry.
    fn row(entry: &Self::Entry) -> u32;

    /// Sorts entries by key, equal ones by row; `entries` ascend by row.
    /// Returns the bytes that it took meanwhile.
    fn sort(keys: Self::Keys<'_>, entries: &mut [Self::Entry]) -> usize;

    /// Copies the keys of `entries`, which are sorted.
    fn new<'a>(keys: Self::Keys<'a>, entries: impl ExactSizeIterator<Item = Self::Entry>) -> Self;

    /// Number of keys.
    fn len(&self) -> usize;

    /// Bytes held.
    fn bytes(&self) -> usize;

    /// The key at position `sample * SAMPLED` beside that of a probe's entry,
    /// from the samples, which lie close together.
    fn compare_sample(&self, sample: usize, keys: Self::Keys<'_>, entry: &Self::Entry) -> Ordering;

    /// Prefetches the keys from `position` to the next sample.
    fn prefetch(&self, position: usize);

    /// The key at `position` beside that of a probe's entry.
    fn compare(&self, position: usize, keys: Self::Keys<'_>, entry: &Self::Entry) -> Ordering;

    /// Whether two positions have the same key.
    fn same(&self, one: usize, other: usize) -> bool;
}

/// Keys of `W` words, the most significant one first; an entry has `N = W + 1`.
#[derive(Debug)]
pub(super) struct FixedKeys<const W: usize, const N: usize> {
    keys: Buffer<[u64; W]>,
    samples: Buffer<[u64; W]>,
}

/// Keys of up to 8 bytes.
pub(super) type WordKeys = FixedKeys<1, 2>;
/// Keys of 9 to 16 bytes.
pub(super) type WideKeys = FixedKeys<2, 3>;

macro_rules! fixed_keys {
    ($words:literal, $entry:literal, $word:ty, $variant:ident, $split:expr) => {
        shaped!(FixedKeys<$words, $entry>: $variant, [$word]);

        impl SortedKeys for FixedKeys<$words, $entry> {
            type Entry = Entry<$entry>;

            fn ascend(keys: Self::Keys<'_>) -> bool {
                let split: fn($word) -> [u64; $words] = $split;
                keys.is_sorted_by(|&one, &next| split(one) <= split(next))
            }

            #[inline(always)]
            fn entry(keys: Self::Keys<'_>, row: u32) -> Self::Entry {
                let split: fn($word) -> [u64; $words] = $split;
                let mut entry = [u64::from(row); $entry];
                entry[..$words].copy_from_slice(&split(keys[row as usize]));
                entry
            }

            #[inline(always)]
            fn row(entry: &Self::Entry) -> u32 {
                entry[$words] as u32
            }

            fn sort(_: Self::Keys<'_>, entries: &mut [Self::Entry]) -> usize {
                sort(entries)
            }

            fn new<'a>(
                _: Self::Keys<'a>,
                entries: impl ExactSizeIterator<Item = Self::Entry>,
            ) -> Self {
                let mut keys = Buffer::<[u64; $words]>::zeroed(entries.len());
                for (key, entry) in keys.iter_mut().zip(entries) {
                    key.copy_from_slice(&entry[..$words]);
                }
                let mut samples = Buffer::zeroed(keys.len().div_ceil(SAMPLED));
                for (sample, key) in samples.iter_mut().zip(keys.iter().step_by(SAMPLED)) {
                    *sample = *key;
                }
                Self { keys, samples }
            }

            #[inline(always)]
            fn len(&self) -> usize {
                self.keys.len()
            }

            fn bytes(&self) -> usize {
                self.keys.bytes() + self.samples.bytes()
            }

            #[inline(always)]
            fn compare_sample(
                &self,
                sample: usize,
                _: Self::Keys<'_>,
                entry: &Self::Entry,
            ) -> Ordering {
                self.samples[sample][..].cmp(&entry[..$words])
            }

            #[inline(always)]
            fn prefetch(&self, position: usize) {
                for line in 0..SAMPLED * $words / 8 {
                    prefetch_read(&self.keys, position + line * 8 / $words);
                }
            }

            #[inline(always)]
            fn compare(&self, position: usize, _: Self::Keys<'_>, entry: &Self::Entry) -> Ordering {
                self.keys[position][..].cmp(&entry[..$words])
            }

            #[inline(always)]
            fn same(&self, one: usize, other: usize) -> bool {
                self.keys[one] == self.keys[other]
            }
        }
    };
}

fixed_keys!(1, 2, u64, Words, |word| [word]);
fixed_keys!(2, 3, i128, Wide, |word| [(word >> 64) as u64, word as u64]);

/// Byte-string keys, in the order of their bytes. The first eight bytes of each
/// lie apart: they distinguish most keys.
#[derive(Debug)]
pub(super) struct StringKeys {
    prefixes: Buffer<u64>,
    samples: Buffer<u64>,
    /// Where each key begins in `values`, and where the last one ends.
    starts: Buffer<u64>,
    values: Buffer<u8>,
}

/// The first eight bytes as a number, zeros after the end: it ascends with
/// the strings, and may be the same for different ones.
fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = key.len().min(8);
    bytes[..len].copy_from_slice(&key[..len]);
    u64::from_be_bytes(bytes)
}

impl StringKeys {
    fn get(&self, position: usize) -> &[u8] {
        &self.values[self.starts[position] as usize..self.starts[position + 1] as usize]
    }
}

shaped!(StringKeys: Bytes, ByteKeys);

impl SortedKeys for StringKeys {
    type Entry = Entry<2>;

    fn ascend(keys: Self::Keys<'_>) -> bool {
        (1..keys.len()).all(|row| keys.get(row - 1) <= keys.get(row))
    }

    #[inline(always)]
    fn entry(keys: Self::Keys<'_>, row: u32) -> Self::Entry {
        [prefix(keys.get(row as usize)), u64::from(row)]
    }

    #[inline(always)]
    fn row(entry: &Self::Entry) -> u32 {
        entry[1] as u32
    }

    fn sort(keys: Self::Keys<'_>, entries: &mut [Self::Entry]) -> usize {
        let took = sort(entries);
        for run in entries.chunk_by_mut(|one, next| one[0] == next[0]) {
            if run.len() > 1 {
                // In place: the row is part of the order.
                run.sort_unstable_by(|one, other| {
                    let key = |entry: &Self::Entry| keys.get(entry[1] as usize);
                    key(one).cmp(key(other)).then(one[1].cmp(&other[1]))
                });
            }
        }
        took
    }

    fn new<'a>(keys: Self::Keys<'a>, entries: impl ExactSizeIterator<Item = Self::Entry>) -> Self {
        let rows = entries.len();
        let mut prefixes = Buffer::<u64>::zeroed(rows);
        let mut starts = Buffer::zeroed(rows + 1);
        let total = keys.offsets().last().map_or(0, |last| last - keys.offsets()[0]);
        let mut values = Buffer::zeroed(total as usize);
        let mut end = 0;
        for (position, entry) in entries.enumerate() {
            let key = keys.get(Self::row(&entry) as usize);
            prefixes[position] = entry[0];
            values[end..end + key.len()].copy_from_slice(key);
            end += key.len();
            starts[position + 1] = end as u64;
        }
        let mut samples = Buffer::zeroed(rows.div_ceil(SAMPLED));
        for (sample, prefix) in samples.iter_mut().zip(prefixes.iter().step_by(SAMPLED)) {
            *sample = *prefix;
        }
        Self { prefixes, samples, starts, values }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.prefixes.len()
    }

    fn bytes(&self) -> usize {
        self.prefixes.bytes() + self.samples.bytes() + self.starts.bytes() + self.values.bytes()
    }

    #[inline(always)]
    fn compare_sample(&self, sample: usize, keys: Self::Keys<'_>, entry: &Self::Entry) -> Ordering {
        self.samples[sample]
            .cmp(&entry[0])
            .then_with(|| self.get(sample * SAMPLED).cmp(keys.get(entry[1] as usize)))
    }

    #[inline(always)]
    fn prefetch(&self, position: usize) {
        prefetch_read(&self.prefixes, position);
        prefetch_read(&self.prefixes, position + 8);
    }

    #[inline(always)]
    fn compare(&self, position: usize, keys: Self::Keys<'_>, entry: &Self::Entry) -> Ordering {
        self.prefixes[position]
            .cmp(&entry[0])
            .then_with(|| self.get(position).cmp(keys.get(entry[1] as usize)))
    }

    fn same(&self, one: usize, other: usize) -> bool {
        self.prefixes[one] == self.prefixes[other] && self.get(one) == self.get(other)
    }
}
