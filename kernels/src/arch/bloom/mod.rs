//! Tests of hashes against a register-blocked Bloom filter.

#[cfg(test)]
mod tests;

use super::{Isa, dispatch};

/// Hashes whose words are prefetched together, and whose answers fill a word. As
/// many as a word has bits; other sizes were not measured.
pub(crate) const BLOCK: usize = 64;

/// Mixes a hash once more, so that the filter depends neither on the bits that
/// the index behind it takes its buckets from nor on those that a partition has
/// in common.
pub(crate) const BLOOM_MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Where the numbers of the bits of a key lie in its mixed hash.
pub(crate) const BIT_SHIFTS: [u32; 4] = [8, 14, 20, 26];

/// The filter's bits for a hash: the number of their word, of `words` words, of
/// which there are fewer than 2^32, and the bits in it.
#[inline(always)]
pub(crate) fn bloom_bits(hash: u64, words: usize) -> (usize, u64) {
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(BLOOM_MIX);
    let word = ((mixed >> 32) * words as u64) >> 32;
    let bits = BIT_SHIFTS.iter().fold(0, |bits, &shift| bits | 1 << ((mixed >> shift) & 63));
    (word as usize, bits)
}

/// Sets bit `i % 64` of `passing[i / 64]` where the filter may hold `hashes[i]`,
/// clears it where it does not, and returns how many pass. With `prefetch`
/// words are prefetched.
///
/// # Panics
/// If the filter is empty or has 2^32 words or more, `passing` is not one word
/// per 64 hashes, the last ones included, or the machine lacks `isa`.
pub(crate) fn bloom_passing(
    isa: Isa,
    filter: &[u64],
    prefetch: bool,
    hashes: &[u64],
    passing: &mut [u64],
) -> usize {
    assert!((1..1 << 32).contains(&filter.len()), "words of the filter");
    assert_eq!(passing.len(), hashes.len().div_ceil(BLOCK), "one bit per hash");
    // SAFETY: a number below 2^32 times that of the words, over 2^32, is below
    // it; the lengths were compared.
    dispatch!(isa, bloom::bloom_passing(filter, prefetch, hashes, passing));
    passing.iter().map(|word| word.count_ones() as usize).sum()
}
