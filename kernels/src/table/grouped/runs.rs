//! The rows of each key, side by side.

use crate::arch::{CacheSizes, prefetch_read};
use crate::memory::Buffer;

/// Where the rows of each key lie in the order of the index: those of key `n`
/// from `starts[n]` to `starts[n + 1]`.
#[derive(Debug)]
pub(crate) struct Runs {
    pub(super) starts: Buffer<u32>,
    /// Whether no run has two rows.
    pub(super) unique: bool,
    prefetch: bool,
}

impl Runs {
    /// Runs that begin at `starts`, one entry more than there are numbers.
    ///
    /// # Panics
    /// If there are no entries or they descend.
    pub(crate) fn new(starts: Buffer<u32>) -> Self {
        assert!(starts.windows(2).all(|pair| pair[0] <= pair[1]) && starts[0] == 0);
        let unique = starts.windows(2).all(|pair| pair[1] - pair[0] <= 1);
        let prefetch = starts.bytes() > CacheSizes::detect().l2 / 2;
        Self { starts, unique, prefetch }
    }

    /// Orders rows by the number of their key; rows of a key keep their order.
    /// `numbers[row]` is below `keys`.
    pub(crate) fn group(numbers: &[u32], keys: usize) -> (Self, Vec<u32>) {
        let mut starts = Buffer::<u32>::zeroed(keys + 1);
        for &number in numbers {
            starts[number as usize + 1] += 1;
        }
        for i in 0..keys {
            starts[i + 1] += starts[i];
        }
        let mut order = vec![0; numbers.len()];
        let mut ends = Buffer::copied_from(&starts);
        for (row, &number) in numbers.iter().enumerate() {
            let end = &mut ends[number as usize];
            order[*end as usize] = row as u32;
            *end += 1;
        }
        (Self::new(starts), order)
    }

    /// The first position of key `number`.
    pub(crate) fn start(&self, number: u32) -> u32 {
        self.starts[number as usize]
    }

    /// The rows of key `number`.
    ///
    /// # Safety
    /// There is such a number.
    #[inline(always)]
    pub(super) unsafe fn get(&self, number: u32) -> (u32, u32) {
        let number = number as usize;
        debug_assert!(number + 1 < self.starts.len());
        // SAFETY: there is one entry more than there are numbers.
        unsafe { (*self.starts.get_unchecked(number), *self.starts.get_unchecked(number + 1)) }
    }

    /// Where the run that `position` lies in ends.
    pub(super) fn end_of(&self, position: u32) -> u32 {
        let after = self.starts.partition_point(|&start| start <= position);
        self.starts.get(after).copied().unwrap_or(position + 1)
    }

    pub(super) fn prefetch(&self, numbers: &[u32]) {
        if self.prefetch {
            for &number in numbers {
                prefetch_read(&self.starts, number as usize);
            }
        }
    }
}
