use super::*;
use crate::key::{ByteKeys, Keys};

/// Largest share of `hashes` that falls into one of 2^bits buckets by the
/// bits that `index` takes, relative to the mean.
fn worst_bucket(hashes: &[u64], bits: u32, index: impl Fn(u64) -> u64) -> f64 {
    let mut counts = vec![0u32; 1 << bits];
    for &hash in hashes {
        counts[index(hash) as usize] += 1;
    }
    f64::from(*counts.iter().max().unwrap()) * f64::from(1u32 << bits) / hashes.len() as f64
}

#[test]
fn structured_keys_do_not_cluster_in_partition_or_bucket_bits() {
    let n = 1u64 << 16;
    type Pattern = (&'static str, fn(u64) -> u64);
    let patterns: [Pattern; 5] = [
        ("sequential", |i| i),
        ("reversed", |i| u64::MAX - i),
        ("id << 16 | constant", |i| i << 16 | 0xbeef),
        ("float bits", |i| (i as f64).to_bits()),
        ("high bits only", |i| i << 48),
    ];
    let hasher = KeyHasher::with_seed(Isa::detect(), 7);
    let mut hashes = Vec::new();
    for (name, pattern) in patterns {
        let words: Vec<u64> = (0..n).map(pattern).collect();
        let wide = words.iter().map(|&w| i128::from(w) << 40).collect();
        for keys in [Keys::Words(words.into()), Keys::Wide(wide)] {
            hasher.hash(&keys, &mut hashes);
            assert!(worst_bucket(&hashes, 8, |h| h >> 56) < 1.5, "{name}: partition bits");
            assert!(worst_bucket(&hashes, 8, |h| h & 0xff) < 1.5, "{name}: bucket bits");
        }
    }
}

#[test]
fn equal_bytes_hash_alike_wherever_they_lie() {
    let hasher = KeyHasher::with_seed(Isa::Portable, 1);
    let keys = ByteKeys::new(vec![0, 2, 2, 4, 5].into(), b"ababa".to_vec().into()).unwrap();
    let mut hashes = Vec::new();
    hasher.hash(&Keys::Bytes(keys), &mut hashes);
    assert_eq!(hashes[0], hashes[2]);
    assert_ne!(hashes[0], hashes[3]);
    assert_ne!(hashes[0], hashes[1]);
    let mut apart = Vec::new();
    hasher.hash_slices(&[b"ab", b"", b"ab", b"a"], &mut apart);
    assert_eq!(apart, hashes);
}
