//! From rows to distinct keys in hash order.
//!
//! A counting sort by bucket. Where the table exceeds the cache, rows are first
//! partitioned by the upper bits of their bucket, so that the random writes of
//! the sort itself stay in cache (Manegold, Boncz, Kersten, "Optimizing
//! main-memory join on modern hardware", TKDE 2002).

use super::column::KeyColumn;
use crate::error::Result;
use crate::memory::Buffer;
use crate::table::build::BuildInput;

/// Bytes of the items of one partition, at most, as long as the number of
/// partitions allows. Not measured.
const PARTITION_BYTES: usize = 256 << 10;
/// More partitions than this exceed what the TLB and the caches take: the prototype
/// scattered to 2^8 to 2^10 at 2.5 to 2.8 ns per key; more were not measured.
const MAX_PARTITION_BITS: u32 = 10;
/// Buckets of at most this many rows need no order where all keys differ: a probe
/// looks at all of them at once or walks them. Not measured.
const UNSORTED: usize = 4;

/// In buckets of at most this many keys the keys are walked, in longer ones
/// bisected. Not measured.
pub(super) const WALKED: usize = 32;

/// How far ahead of its use a key that lies elsewhere is prefetched.
/// The prototype of this crate found 16 to 64 best; not measured here.
const AHEAD: usize = 16;

/// The bucket of a hash among `2^bits`, which are at most 2^32.
#[inline(always)]
pub(super) fn bucket(hash: u64, bits: u32) -> usize {
    ((hash & 0xffff_ffff) >> (32 - bits)) as usize
}

/// How many buckets this many keys get, as a power of two.
pub(super) fn bucket_bits<C: KeyColumn>(keys: usize) -> u32 {
    (keys.max(1).ilog2() + C::MORE_BUCKET_BITS).min(31)
}

/// Rows sorted by bucket and, in a bucket, by key.
pub(super) struct Sorted<C> {
    pub(super) column: C,
    /// The first key of each bucket, and one more entry.
    pub(super) starts: Buffer<u32>,
    /// The first position of each key, and one more entry, if keys have several
    /// rows.
    pub(super) runs: Option<Buffer<u32>>,
    pub(super) order: Vec<u32>,
}

/// Sorts the rows into `2^bits` buckets.
///
/// # Errors
/// If the build was cancelled.
pub(super) fn sort<C: KeyColumn>(input: &BuildInput<'_>, bits: u32) -> Result<Sorted<C>> {
    let (keys, hashes) = (C::keys(input.keys), input.hashes);
    let rows = hashes.len();
    let mut out = Output::<C> {
        column: C::with_room(rows),
        starts: Buffer::zeroed((1 << bits) + 1),
        runs: None,
        order: Vec::with_capacity(rows),
        bits,
        sorted: Vec::new(),
    };
    let item_bytes = size_of::<C::Item>();
    let wanted = (rows * item_bytes).div_ceil(PARTITION_BYTES).next_power_of_two().ilog2();
    let partition_bits = wanted.min(MAX_PARTITION_BITS).min(bits);
    if partition_bits == 0 {
        let items = hashes.iter().enumerate();
        let items: Vec<C::Item> = items.map(|(row, &hash)| C::item(keys, row, hash)).collect();
        out.partition(keys, &items, 0..1 << bits);
    } else {
        let mut ends = vec![0; (1 << partition_bits) + 1];
        for &hash in hashes {
            ends[bucket(hash, partition_bits) + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let starts = ends.clone();
        let mut items = Buffer::<C::Item>::zeroed(rows);
        for stretch in input.stretches() {
            let stretch = stretch?;
            for (row, &hash) in stretch.clone().zip(&hashes[stretch]) {
                let end = &mut ends[bucket(hash, partition_bits)];
                items[*end] = C::item(keys, row, hash);
                *end += 1;
            }
        }
        let buckets = 1usize << (bits - partition_bits);
        for (i, range) in starts.windows(2).enumerate() {
            input.check_cancelled()?;
            let first = i * buckets;
            out.partition(keys, &items[range[0]..range[1]], first..first + buckets);
        }
    }
    Ok(out.finish())
}

/// Half of the hash in an item, as the bucket is taken of it.
#[inline(always)]
fn hash_of<T: AsRef<[u64]>>(item: &T) -> u64 {
    item.as_ref()[item.as_ref().len() - 1] >> 32
}

#[inline(always)]
fn row_of<T: AsRef<[u64]>>(item: &T) -> u32 {
    item.as_ref()[item.as_ref().len() - 1] as u32
}

struct Output<C: KeyColumn> {
    column: C,
    starts: Buffer<u32>,
    runs: Option<Buffer<u32>>,
    order: Vec<u32>,
    bits: u32,
    /// The items of a partition by bucket.
    sorted: Vec<C::Item>,
}

impl<C: KeyColumn> Output<C> {
    /// Appends the rows of a partition, whose buckets are `buckets`.
    fn partition(&mut self, keys: C::Keys<'_>, items: &[C::Item], buckets: std::ops::Range<usize>) {
        let first = self.order.len() as u32;
        let bits = self.bits;
        // The start of bucket `b` moves in entry `b + 1`, from where the bucket
        // begins to where it ends; counts come first.
        let starts = &mut self.starts[buckets.start..=buckets.end];
        let local = |item: &C::Item| bucket(hash_of(item), bits) - buckets.start;
        let carried = starts[0];
        starts[1..].fill(0);
        for item in items {
            starts[local(item) + 1] += 1;
        }
        let (mut sum, mut large) = (0, false);
        for count in &mut starts[1..] {
            large |= *count as usize > UNSORTED;
            (*count, sum) = (sum, sum + *count);
        }
        self.sorted.clear();
        self.sorted.resize(items.len(), items.first().copied().unwrap_or_else(zero::<C>));
        for item in items {
            let end = &mut starts[local(item) + 1];
            self.sorted[*end as usize] = *item;
            *end += 1;
        }
        if large {
            for range in ranges(starts).filter(|range| range.len() > UNSORTED) {
                self.sorted[range].sort_by(|a, b| C::order(keys, a, b));
            }
        }
        if self.runs.is_none() {
            // Equal keys are neighbours now, or at most `UNSORTED - 1` apart.
            let mut equal = false;
            for distance in 1..UNSORTED.min(items.len()) {
                let pairs = self.sorted.iter().zip(&self.sorted[distance..]);
                equal |= pairs.fold(false, |equal, (a, b)| equal | C::may_equal(a, b));
            }
            if !equal {
                for start in &mut starts[1..] {
                    *start += first;
                }
                debug_assert_eq!(carried, first);
                self.order.extend(self.sorted.iter().map(row_of));
                for (i, item) in self.sorted.iter().enumerate() {
                    let ahead = |rows| self.sorted.get(i + rows);
                    C::prefetch_source(keys, ahead(2 * AHEAD), ahead(AHEAD));
                    self.column.push(keys, item);
                }
                return;
            }
            // Up to here each key had one row.
            let mut runs = Buffer::zeroed(self.order.capacity().max(self.column.len()) + 1);
            for (start, run) in runs[..=self.column.len()].iter_mut().enumerate() {
                *run = start as u32;
            }
            self.runs = Some(runs);
        }
        self.grouped(keys, buckets);
    }

    /// Appends the sorted rows of a partition in which keys repeat.
    fn grouped(&mut self, keys: C::Keys<'_>, buckets: std::ops::Range<usize>) {
        let runs = self.runs.as_mut().expect("made before");
        let starts = &mut self.starts[buckets.start..=buckets.end];
        let mut from = 0;
        for start in &mut starts[1..] {
            let bucket = &mut self.sorted[from..*start as usize];
            from = *start as usize;
            if (2..=UNSORTED).contains(&bucket.len()) {
                bucket.sort_by(|a, b| C::order(keys, a, b));
            }
            for i in 0..bucket.len() {
                if i == 0 || C::order(keys, &bucket[i - 1], &bucket[i]).is_ne() {
                    runs[self.column.len()] = self.order.len() as u32;
                    self.column.push(keys, &bucket[i]);
                }
                self.order.push(row_of(&bucket[i]));
            }
            *start = self.column.len() as u32;
        }
        runs[self.column.len()] = self.order.len() as u32;
    }

    fn finish(mut self) -> Sorted<C> {
        let distinct = self.column.len();
        self.column.shrink();
        let runs = self.runs.filter(|_| distinct < self.order.len()).map(|runs| {
            if distinct + 1 < runs.len() { Buffer::copied_from(&runs[..=distinct]) } else { runs }
        });
        let starts = coarser::<C>(self.starts, self.bits, distinct);
        Sorted { column: self.column, starts, runs, order: self.order }
    }
}

/// Where few of the rows have a key of their own, neighbouring buckets become
/// one, as long as none gets long: a smaller directory stays in cache.
fn coarser<C: KeyColumn>(starts: Buffer<u32>, bits: u32, distinct: usize) -> Buffer<u32> {
    let wanted = bucket_bits::<C>(distinct);
    if wanted >= bits {
        return starts;
    }
    let step = 1usize << (bits - wanted);
    let mut merged = Buffer::<u32>::zeroed((1 << wanted) + 1);
    for (to, from) in merged.iter_mut().zip(starts.iter().step_by(step)) {
        *to = *from;
    }
    let longest = merged.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
    if longest as usize > WALKED { starts } else { merged }
}

/// The ranges of a partition's buckets, whose ends follow the first entry.
fn ranges(starts: &[u32]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut from = 0;
    starts[1..].iter().map(move |&end| std::mem::replace(&mut from, end as usize)..end as usize)
}

fn zero<C: KeyColumn>() -> C::Item {
    Buffer::zeroed(1)[0]
}
