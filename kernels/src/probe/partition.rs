//! Rows grouped by partition. Tables have radix partitions by the upper bits of
//! the hash; indexes take their buckets from the lower ones, so that a partition
//! fills all of its buckets.

use arrow::buffer::BooleanBuffer;

/// Rows grouped by partition.
#[derive(Debug)]
pub(crate) struct Partitions {
    /// Row numbers, partition by partition, ascending inside each.
    pub(crate) rows: Vec<u32>,
    /// Where each partition starts in `rows`; one more entry than partitions.
    pub(crate) starts: Vec<usize>,
}

impl Partitions {
    /// The rows of a partition.
    pub(crate) fn get(&self, partition: usize) -> &[u32] {
        &self.rows[self.starts[partition]..self.starts[partition + 1]]
    }
}

/// Groups rows into `2^bits` partitions. Rows that can match nothing are dealt
/// out in turn, so that the hash of their filler makes no partition hot.
pub(crate) fn partition_rows(
    hashes: &[u64],
    matchable: Option<&BooleanBuffer>,
    bits: u32,
) -> Partitions {
    let count = 1usize << bits;
    group_rows(hashes.len(), count, |row| match matchable {
        Some(rows) if !rows.value(row) => row & (count - 1),
        // A shift by 64 is no shift: with one partition the mask decides.
        _ => hashes[row].wrapping_shr(64 - bits) as usize & (count - 1),
    })
}

/// Groups rows, which are at most 2^32, by the partition that each is in, one
/// of `count`.
pub(crate) fn group_rows(
    rows: usize,
    count: usize,
    partition: impl Fn(usize) -> usize,
) -> Partitions {
    let mut starts = vec![0usize; count + 1];
    for row in 0..rows {
        starts[partition(row) + 1] += 1;
    }
    for i in 0..count {
        starts[i + 1] += starts[i];
    }
    let mut ends = starts.clone();
    let mut grouped = vec![0u32; rows];
    for row in 0..rows {
        let end = &mut ends[partition(row)];
        grouped[*end] = row as u32;
        *end += 1;
    }
    Partitions { rows: grouped, starts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_in_the_partition_of_its_upper_bits() {
        let hashes: Vec<u64> = (0..1000u64).map(crate::arch::mix).collect();
        for bits in [0, 1, 4, 10] {
            let partitions = partition_rows(&hashes, None, bits);
            let mut seen = 0;
            for partition in 0..1usize << bits {
                for &row in partitions.get(partition) {
                    let upper = if bits == 0 { 0 } else { hashes[row as usize] >> (64 - bits) };
                    assert_eq!(upper as usize, partition);
                    seen += 1;
                }
            }
            assert_eq!(seen, 1000);
        }
    }

    #[test]
    fn rows_that_match_nothing_make_no_partition_hot() {
        let hashes = vec![0u64; 1024];
        let none = BooleanBuffer::new_unset(1024);
        let partitions = partition_rows(&hashes, Some(&none), 4);
        assert!((0..16).all(|partition| partitions.get(partition).len() == 64));
    }
}
