use crate::arch::bloom::{BLOCK, bloom_bits};
use crate::arch::prefetch_read;

/// # Safety
/// The filter has between 1 and 2^32 - 1 words.
pub(crate) unsafe fn bloom_passing(
    filter: &[u64],
    prefetch: bool,
    hashes: &[u64],
    passing: &mut [u64],
) {
    for (hashes, passing) in hashes.chunks(BLOCK).zip(passing) {
        if prefetch {
            for &hash in hashes {
                prefetch_read(filter, bloom_bits(hash, filter.len()).0);
            }
        }
        *passing = 0;
        for (i, &hash) in hashes.iter().enumerate() {
            let (word, bits) = bloom_bits(hash, filter.len());
            debug_assert!(word < filter.len());
            // SAFETY: a number below 2^32 times that of the words, over 2^32, is
            // below it.
            let word = unsafe { *filter.get_unchecked(word) };
            *passing |= u64::from(word & bits == bits) << i;
        }
    }
}
