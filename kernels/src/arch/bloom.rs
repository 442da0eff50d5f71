//! Tests of hashes against a register-blocked Bloom filter.

use super::{Isa, dispatch};

/// Hashes whose words are prefetched together, and whose answers fill a word. As
/// many as a word has bits; other sizes were not measured.
pub(in crate::arch) const BLOCK: usize = 64;

/// Mixes a hash once more, so that the filter depends neither on the bits that
/// the index behind it takes its buckets from nor on those that a partition has
/// in common.
pub(in crate::arch) const BLOOM_MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Where the numbers of the bits of a key lie in its mixed hash.
pub(in crate::arch) const BIT_SHIFTS: [u32; 4] = [8, 14, 20, 26];

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::mix;

    #[test]
    fn every_isa_lets_the_same_hashes_pass() {
        for words in [1usize, 7, 1000] {
            let mut filter = vec![0u64; words];
            let built: Vec<u64> = (0..words as u64 * 5).map(mix).collect();
            for &hash in &built {
                let (word, bits) = bloom_bits(hash, words);
                filter[word] |= bits;
            }
            let others = (0..500).map(|i| mix(i + (1 << 40)));
            let hashes: Vec<u64> = built.iter().copied().take(300).chain(others).collect();
            for len in [0, 1, 4, 8, 63, 64, 65, 200, hashes.len()] {
                let expected: Vec<bool> = hashes[..len]
                    .iter()
                    .map(|&hash| {
                        let (word, bits) = bloom_bits(hash, words);
                        filter[word] & bits == bits
                    })
                    .collect();
                assert!(expected.iter().take(built.len().min(300)).all(|&passes| passes));
                for isa in Isa::available() {
                    for prefetch in [false, true] {
                        let mut passing = vec![u64::MAX; len.div_ceil(64)];
                        let count =
                            bloom_passing(isa, &filter, prefetch, &hashes[..len], &mut passing);
                        assert_eq!(count, expected.iter().filter(|&&passes| passes).count());
                        for bit in 0..passing.len() * 64 {
                            let passes = passing[bit / 64] >> (bit % 64) & 1 == 1;
                            let wanted = expected.get(bit).copied().unwrap_or(false);
                            assert_eq!(passes, wanted, "{isa} {words} {len} {bit}");
                        }
                    }
                }
            }
        }
    }
}
