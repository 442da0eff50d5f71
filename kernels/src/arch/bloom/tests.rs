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
                    let count = bloom_passing(isa, &filter, prefetch, &hashes[..len], &mut passing);
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
