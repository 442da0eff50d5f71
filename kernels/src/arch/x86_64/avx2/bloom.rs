use super::words::*;
use crate::arch::bloom::{BIT_SHIFTS, BLOCK, BLOOM_MIX, bloom_bits};
use crate::arch::generic::bloom::bloom_kernels;
use crate::arch::{portable, prefetch_read};

bloom_kernels!("avx2");

/// # Safety
/// The filter has between 1 and 2^32 - 1 words.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn bloom_passing(
    filter: &[u64],
    prefetch: bool,
    hashes: &[u64],
    passing: &mut [u64],
) {
    let blocks = hashes.len() / BLOCK;
    let len = splat(filter.len() as i64);
    for (hashes, passing) in hashes.chunks_exact(BLOCK).zip(passing.iter_mut()) {
        if prefetch {
            for &hash in hashes {
                prefetch_read(filter, bloom_bits(hash, filter.len()).0);
            }
        }
        *passing = 0;
        for start in (0..BLOCK).step_by(LANES) {
            // SAFETY: `start + 4 <= BLOCK`, the number of hashes; the load needs
            // no alignment.
            let hash = unsafe { load(hashes.as_ptr().add(start).cast()) };
            let (mixed, word) = place(hash, len);
            // SAFETY: placed in this filter.
            *passing |= unsafe { self::passing(filter, mixed, word) } << start;
        }
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
