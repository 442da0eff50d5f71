//! Rows grouped by partition.

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
