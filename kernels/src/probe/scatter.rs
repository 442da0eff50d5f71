//! Keys moved to their radix partitions: a histogram, then one plain scatter of
//! keys, hashes and row numbers (Manegold, Boncz, Kersten, "Optimizing Main-Memory
//! Join on Modern Hardware", TKDE 14(4), 2002). Up to a thousand partitions and
//! on huge pages plain stores are as fast as buffered ones.

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

/// The partition of a hash, of `2^bits`. A product's upper bits hang on all
/// bits of the hash, so that what is left of it inside a partition is as even
/// in its lower bits as in its upper ones: whichever an index takes, a partition
/// fills all of its buckets.
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

/// What is moved beside the keys.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::mix;
    use crate::key::ByteKeys;

    fn shapes(rows: u64) -> [Keys; 3] {
        let text = |i: u64| "k".repeat(i as usize % 5) + &i.to_string();
        let mut offsets = vec![0];
        let mut bytes = Vec::new();
        for i in 0..rows {
            bytes.extend_from_slice(text(i).as_bytes());
            offsets.push(bytes.len() as i64);
        }
        [
            Keys::Words((0..rows).map(|i| i * 3).collect()),
            Keys::Wide((0..rows).map(|i| i128::from(i) << 70).collect()),
            Keys::Bytes(ByteKeys::new(offsets.into(), bytes.into())),
        ]
    }

    #[test]
    fn each_key_is_in_its_partition_with_its_hash_and_row_in_order() {
        let hashes: Vec<u64> = (0..1000).map(mix).collect();
        let some: BooleanBuffer = (0..1000).map(|row| row % 7 != 0).collect();
        for keys in shapes(1000) {
            for (bits, matchable) in [(0, None), (1, Some(&some)), (4, None), (10, Some(&some))] {
                let moved = PartitionedKeys::new(&keys, &hashes, matchable, bits, 500);
                let mut seen = 0;
                for partition in 0..=1usize << bits {
                    let range = moved.range(partition);
                    seen += range.len();
                    let rows: Vec<u32> =
                        moved.rows(range.clone()).iter().map(|row| row - 500).collect();
                    assert!(rows.is_sorted());
                    for &row in &rows {
                        let may = matchable.is_none_or(|some| some.value(row as usize));
                        let hash = hashes[row as usize];
                        let expected = if may { partition_of(hash, bits) } else { 1 << bits };
                        assert_eq!(partition, expected);
                    }
                    moved.with(range, |view, moved| {
                        let expected: Vec<u64> = rows.iter().map(|&r| hashes[r as usize]).collect();
                        assert_eq!(moved, expected);
                        assert_eq!(
                            format!("{:?}", owned(view)),
                            format!("{:?}", owned((&keys.take(&rows)).into()))
                        );
                    });
                }
                assert_eq!(seen, 1000);
                assert!(moved.bytes() >= 20 * 1000);
            }
        }
    }

    fn owned(keys: KeyView<'_>) -> Vec<Vec<u8>> {
        match keys {
            KeyView::Words(words) => words.iter().map(|w| w.to_le_bytes().to_vec()).collect(),
            KeyView::Wide(words) => words.iter().map(|w| w.to_le_bytes().to_vec()).collect(),
            KeyView::Bytes(keys) => (0..keys.len()).map(|i| keys.get(i).to_vec()).collect(),
        }
    }

    /// TRAPS 9: neither the lowest nor the highest bits of the hash are worn out
    /// by the choice of a partition.
    #[test]
    fn a_partition_fills_the_buckets_of_both_ends_of_the_hash() {
        let hashes: Vec<u64> = (0..1u64 << 20).map(mix).collect();
        let sizes = partition_sizes(&hashes, 6);
        assert!(sizes.iter().all(|&size| size.abs_diff(1 << 14) < 1 << 10), "{sizes:?}");
        for partition in [0, 17, 63] {
            let inside = hashes.iter().filter(|&&hash| partition_of(hash, 6) == partition);
            let (mut low, mut high) = ([0u32; 256], [0u32; 256]);
            for hash in inside {
                low[(hash & 255) as usize] += 1;
                high[(hash >> 56) as usize] += 1;
            }
            // 64 on average.
            assert!(low.iter().chain(&high).all(|&n| (20..140).contains(&n)), "{low:?} {high:?}");
        }
    }
}
