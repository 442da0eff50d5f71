//! Keys in hash order, side by side, and a directory of where each bucket of
//! them begins: compressed sparse rows.
//!
//! ```text
//! build rows   0: 30   1: 10   2: 20   3: 10       bucket of 20 and 30: 0, of 10: 2
//!
//! starts       0   2   2   3   3      where the keys of each bucket begin, and the end
//! column       20  30  10             the distinct keys, bucket by bucket
//! runs         0   1   2   4          where the rows of each key begin, if any key has two
//! order        2 | 0 | 1   3          the build row at each position
//!
//! look up 10   bucket 2 begins at key 2; the window from there holds 10 at once:
//!              key 2, so positions 2 and 3, which are rows 1 and 3
//! look up 11   bucket 1 begins at key 2; the window holds 10, not 11: no match
//! ```
//!
//! A bucket is a prefix of the lower half of the hash (the upper bits choose
//! partitions), with half a key to two on average. A look-up reads the directory, then
//! compares the next few keys at once, whether they are of its bucket or not:
//! a key that is equal is. Rows of a key lie in a run of their own, outside the
//! bucket, so that a hot key does not slow its neighbours, and duplicates cost
//! nothing to find.
//!
//! Buckets of more than a few keys are sorted by key. Where all hashes are
//! equal, a look-up is a binary search and building a sort.

pub(super) mod column;
mod sort;

use std::cmp::Ordering;

use self::column::KeyColumn;
use self::sort::{WALKED, bucket, bucket_bits, sort};
use super::build::{BuildInput, BuiltIndex};
use super::grouped::{BLOCK, Grouped, Locate, RowSource, Runs};
use super::index_kind::{KeyForm, KindOfIndex, NotBuilt};
use crate::arch::{CacheSizes, prefetch_read};
use crate::error::Result;
use crate::memory::Buffer;
use crate::pairs::NO_ROW;

/// The index as [`IndexKind`](super::IndexKind) builds it.
pub(super) struct Kind;

impl KindOfIndex for Kind {
    const NAME: &'static str = "contiguous";

    fn row_bytes(entry: usize) -> usize {
        // Directory, order, and the keys on their way there.
        entry + 40
    }

    fn build<F: KeyForm>(input: BuildInput<'_>) -> Result<BuiltIndex, NotBuilt> {
        Ok(Contiguous::<F::Column>::build(&input)?)
    }
}

/// The index over keys of one shape.
#[derive(Debug)]
struct Contiguous<C> {
    column: C,
    /// The first key of each bucket, and one more entry.
    starts: Buffer<u32>,
    bits: u32,
    prefetch: bool,
}

impl<C: KeyColumn> Contiguous<C> {
    fn build(input: &BuildInput<'_>) -> Result<BuiltIndex> {
        let rows = input.hashes.len();
        let sorted = sort::<C>(input, bucket_bits::<C>(rows))?;
        let touched = sorted.starts.bytes() + sorted.column.bytes();
        let index = Self {
            bits: (sorted.starts.len() - 1).ilog2(),
            column: sorted.column,
            starts: sorted.starts,
            prefetch: touched > CacheSizes::detect().l2 / 2,
        };
        Ok(Grouped::built(input, index, sorted.runs.map(Runs::new), Some(sorted.order)))
    }

    /// The number of the key of a row that is not in the first window of its
    /// bucket, which is longer; adds to `looked_at` how often it looked.
    #[inline(never)]
    fn search(&self, keys: C::Keys<'_>, row: usize, hash: u64, looked_at: &mut usize) -> u32 {
        assert!(row < C::len_of(keys));
        let bucket = bucket(hash, self.bits);
        let (mut from, mut to) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
        while to - from > WALKED {
            let middle = from + (to - from) / 2;
            *looked_at += 1;
            match self.column.compare(middle, keys, row, hash) {
                Ordering::Equal => return middle as u32,
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
            }
        }
        for at in (from..to).step_by(C::WINDOW) {
            *looked_at += 1;
            // SAFETY: `at < to`, which is at most the number of keys; the row
            // was seen to be one of the probe.
            let offset = unsafe { self.column.window(at, keys, row, hash) } as usize;
            if offset < C::WINDOW && at + offset < self.column.len() {
                return (at + offset) as u32;
            }
        }
        NO_ROW
    }
}

impl<C: KeyColumn> Locate for Contiguous<C> {
    const NAME: &'static str = Kind::NAME;
    type Shape = C;

    fn numbers(&self) -> usize {
        self.column.len()
    }

    #[inline]
    unsafe fn locate<R: RowSource>(
        &self,
        keys: C::Keys<'_>,
        hashes: &[u64],
        rows: R,
        found: &mut [u32],
    ) -> usize {
        debug_assert!(found.len() <= BLOCK);
        // SAFETY: the caller's: rows of the block are below the number of
        // hashes. A bucket is below `2^bits`, and there are `2^bits + 1` starts.
        let hash_of = |i: usize| unsafe { *hashes.get_unchecked(rows.row(i)) };
        if self.prefetch {
            for i in 0..found.len() {
                prefetch_read(&self.starts, bucket(hash_of(i), self.bits));
            }
        }
        // The first key of the bucket, and whether it is longer than a window.
        let bucket_of = |i: usize| {
            let bucket = bucket(hash_of(i), self.bits);
            debug_assert!(bucket + 1 < self.starts.len());
            // SAFETY: as above.
            let (start, end) = unsafe {
                (*self.starts.get_unchecked(bucket), *self.starts.get_unchecked(bucket + 1))
            };
            (start, (end - start) as usize > C::WINDOW)
        };
        let mut long = [false; BLOCK];
        if self.prefetch {
            for (i, (found, long)) in found.iter_mut().zip(&mut long).enumerate() {
                (*found, *long) = bucket_of(i);
                self.column.prefetch(*found as usize);
                self.column.prefetch(*found as usize + C::WINDOW - 1);
            }
        }
        let keys_held = self.column.len() as u32;
        let mut more = 0;
        let mut unfinished = [0u8; BLOCK];
        for i in 0..found.len() {
            // SAFETY: `i` is below `found.len() <= BLOCK`, so `more <= i` is
            // too; rows as above; starts are at most the number of keys.
            unsafe {
                let (start, long) = if self.prefetch {
                    (*found.get_unchecked(i), *long.get_unchecked(i))
                } else {
                    bucket_of(i)
                };
                let row = rows.row(i);
                let offset = self.column.window(start as usize, keys, row, hash_of(i));
                let at = start + offset;
                // Padding after the last key is not a key.
                let hit = (offset < C::WINDOW as u32) & (at < keys_held);
                *found.get_unchecked_mut(i) = if hit { at } else { NO_ROW };
                *unfinished.get_unchecked_mut(more) = i as u8;
                more += usize::from(!hit & long);
            }
        }
        // A window of keys is looked at together.
        let mut looked_at = found.len();
        for &i in &unfinished[..more] {
            let i = usize::from(i);
            // SAFETY: as above.
            let row = unsafe { rows.row(i) };
            found[i] = self.search(keys, row, hash_of(i), &mut looked_at);
        }
        looked_at
    }

    fn arrays(&self) -> Vec<usize> {
        vec![self.starts.bytes(), self.column.bytes()]
    }
}
