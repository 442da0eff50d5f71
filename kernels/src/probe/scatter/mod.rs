//! Keys moved to their radix partitions: a histogram, then one plain scatter of
//! keys, hashes and row numbers (Manegold, Boncz, Kersten, "Optimizing Main-Memory
//! Join on Modern Hardware", TKDE 14(4), 2002). Up to a thousand partitions and
//! on huge pages plain stores are as fast as buffered ones.

#[cfg(test)]
mod tests;

use std::ops::Range;

use arrow::buffer::BooleanBuffer;

use crate::key::{KeyView, Keys};
use crate::memory::Buffer;

/// Keys of rows, those of a partition side by side.
#[derive(Debug)]
pub(crate) struct PartitionedKeys {
    keys: Moved,
    hashes: Buffer<u64>,
    rows: Buffer<u32>,
    /// Where each partition starts, and at last where the rows start that can
    /// match nothing: they are in no partition.
    starts: Vec<usize>,
}

#[derive(Debug)]
enum Moved {
    Words(Buffer<u64>),
    Wide(Buffer<i128>),
    /// Byte strings, with what they share of the input's buffers.
    Bytes(Keys),
}

/// The partition of a hash, of `2^bits`. A product's upper bits depend on
/// all bits of the hash, so that inside a partition its lower bits vary as evenly
/// as its upper ones: whichever an index takes, a partition fills all of its
/// buckets.
#[inline(always)]
pub(crate) fn partition_of(hash: u64, bits: u32) -> usize {
    // 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4). A shift by 64 is
    // no shift: with one partition the mask decides.
    let product = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product.wrapping_shr(64 - bits) as usize & ((1 << bits) - 1)
}

/// How many of `hashes` are in each of `2^bits` partitions.
pub(crate) fn partition_sizes(hashes: &[u64], bits: u32) -> Vec<usize> {
    let mut sizes = vec![0; 1 << bits];
    for &hash in hashes {
        sizes[partition_of(hash, bits)] += 1;
    }
    sizes
}

impl PartitionedKeys {
    /// Moves keys to `2^bits` partitions; rows keep their order inside each and
    /// are numbered from `first_row` on.
    ///
    /// # Panics
    /// If there is not one hash and one bit per key.
    pub(crate) fn new(
        keys: &Keys,
        hashes: &[u64],
        matchable: Option<&BooleanBuffer>,
        bits: u32,
        first_row: u32,
    ) -> Self {
        assert_eq!(keys.len(), hashes.len(), "one hash per key");
        assert!(matchable.is_none_or(|rows| rows.len() == hashes.len()), "one bit per key");
        let count = 1usize << bits;
        let place = |row: usize| match matchable {
            Some(rows) if !rows.value(row) => count,
            _ => partition_of(hashes[row], bits),
        };
        let mut ends = vec![0u32; count + 1];
        for row in 0..hashes.len() {
            ends[place(row)] += 1;
        }
        let mut sum = 0;
        let mut starts = Vec::with_capacity(count + 1);
        for end in &mut ends {
            starts.push(sum as usize);
            sum += std::mem::replace(end, sum);
        }
        let mut moved =
            Columns { hashes: Buffer::zeroed(hashes.len()), rows: Buffer::zeroed(hashes.len()) };
        let keys = match keys {
            Keys::Words(words) => {
                let mut keys = Buffer::zeroed(words.len());
                moved.scatter(hashes, place, &mut ends, first_row, |row, to| keys[to] = words[row]);
                Moved::Words(keys)
            }
            Keys::Wide(words) => {
                let mut keys = Buffer::zeroed(words.len());
                moved.scatter(hashes, place, &mut ends, first_row, |row, to| keys[to] = words[row]);
                Moved::Wide(keys)
            }
            Keys::Bytes(_) => {
                moved.scatter(hashes, place, &mut ends, 0, |_, _| {});
                let taken = keys.take(&moved.rows);
                moved.rows.iter_mut().for_each(|row| *row += first_row);
                Moved::Bytes(taken)
            }
        };
        Self { keys, hashes: moved.hashes, rows: moved.rows, starts }
    }

    /// Where the keys of a partition are; those of the partition after the last
    /// one match nothing.
    pub(crate) fn range(&self, partition: usize) -> Range<usize> {
        let end = self.starts.get(partition + 1).copied().unwrap_or(self.rows.len());
        self.starts[partition]..end
    }

    /// The numbers of the rows in a range.
    pub(crate) fn rows(&self, range: Range<usize>) -> &[u32] {
        &self.rows[range]
    }

    /// Calls `look_up` with the keys and hashes of a range.
    pub(crate) fn with<R>(
        &self,
        range: Range<usize>,
        look_up: impl FnOnce(KeyView<'_>, &[u64]) -> R,
    ) -> R {
        let hashes = &self.hashes[range.clone()];
        match &self.keys {
            Moved::Words(words) => look_up(KeyView::Words(&words[range]), hashes),
            Moved::Wide(words) => look_up(KeyView::Wide(&words[range]), hashes),
            Moved::Bytes(keys) => {
                look_up(KeyView::from(&keys.slice(range.start, range.len())), hashes)
            }
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let keys = match &self.keys {
            Moved::Words(words) => words.bytes(),
            Moved::Wide(words) => words.bytes(),
            Moved::Bytes(keys) => keys.bytes(),
        };
        keys + self.hashes.bytes() + self.rows.bytes()
    }
}

/// What is moved along with the keys.
struct Columns {
    hashes: Buffer<u64>,
    rows: Buffer<u32>,
}

impl Columns {
    #[inline(always)]
    fn scatter(
        &mut self,
        hashes: &[u64],
        place: impl Fn(usize) -> usize,
        ends: &mut [u32],
        first_row: u32,
        mut move_key: impl FnMut(usize, usize),
    ) {
        for (row, &hash) in hashes.iter().enumerate() {
            let end = &mut ends[place(row)];
            let to = *end as usize;
            *end += 1;
            self.hashes[to] = hash;
            self.rows[to] = first_row + row as u32;
            move_key(row, to);
        }
    }
}
