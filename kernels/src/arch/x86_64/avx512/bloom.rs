use super::words::*;
use crate::arch::bloom::{BIT_SHIFTS, BLOCK, BLOOM_MIX};
use crate::arch::generic::bloom::bloom_kernels;
use crate::arch::{portable, prefetch_read};

bloom_kernels!("avx512f,avx512dq");

/// Mixed hashes of a block and the numbers of their words.
struct Placed {
    mixed: [Words; BLOCK / LANES],
    words: [Words; BLOCK / LANES],
}

impl Placed {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn nowhere() -> Self {
        let zero = zero();
        Self { mixed: [zero; BLOCK / LANES], words: [zero; BLOCK / LANES] }
    }

    /// # Safety
    /// There are [`BLOCK`] hashes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn place(&mut self, filter: &[u64], prefetch: bool, hashes: &[u64]) {
        debug_assert_eq!(hashes.len(), BLOCK);
        let len = splat(filter.len() as i64);
        for (i, (mixed, word)) in self.mixed.iter_mut().zip(&mut self.words).enumerate() {
            // SAFETY: eight hashes from `8 * i` on are there, for `i < 8`; the
            // load needs no alignment.
            let hash = unsafe { load(hashes.as_ptr().add(i * LANES).cast()) };
            (*mixed, *word) = place(hash, len);
            if prefetch {
                let mut at = [0u64; LANES];
                // SAFETY: the array is as large as the vector.
                unsafe { store(at.as_mut_ptr().cast(), *word) };
                at.iter().for_each(|&word| prefetch_read(filter, word as usize));
            }
        }
    }

    /// A bit for each hash, set if it passes.
    ///
    /// # Safety
    /// The words were placed in this filter.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn passing(&self, filter: &[u64]) -> u64 {
        let mut passing = 0;
        for (i, (&mixed, &word)) in self.mixed.iter().zip(&self.words).enumerate() {
            // SAFETY: placed in this filter.
            passing |= unsafe { self::passing(filter, mixed, word) } << (i * LANES);
        }
        passing
    }
}

/// # Safety
/// The filter has between 1 and 2^32 - 1 words.
#[target_feature(enable = "avx512f,avx512dq")]
pub(crate) unsafe fn bloom_passing(
    filter: &[u64],
    prefetch: bool,
    hashes: &[u64],
    passing: &mut [u64],
) {
    let blocks = hashes.len() / BLOCK;
    let (mut here, mut next) = (Placed::nowhere(), Placed::nowhere());
    let block = |i: usize| &hashes[i * BLOCK..(i + 1) * BLOCK];
    if blocks > 0 {
        // SAFETY: a block has that many hashes.
        unsafe { here.place(filter, prefetch, block(0)) };
    }
    for (i, passing) in passing.iter_mut().enumerate().take(blocks) {
        // While a block is tested the words of the next one are on their way.
        if i + 1 < blocks {
            // SAFETY: as above.
            unsafe { next.place(filter, prefetch, block(i + 1)) };
        }
        // SAFETY: placed in this filter.
        *passing = unsafe { here.passing(filter) };
        std::mem::swap(&mut here, &mut next);
    }
    // SAFETY: the caller's promise.
    unsafe {
        portable::bloom::bloom_passing(
            filter,
            prefetch,
            &hashes[blocks * BLOCK..],
            &mut passing[blocks..],
        );
    }
}
