//! Hashes of fixed-width keys.

use super::{Isa, dispatch};

/// Hashes each 8-byte key with the murmur3 finaliser over `key ^ seed`.
///
/// # Panics
/// If the slices differ in length, or the machine lacks `isa`.
pub fn hash_words(isa: Isa, words: &[u64], seed: u64, hashes: &mut [u64]) {
    assert_eq!(words.len(), hashes.len(), "one hash per key");
    dispatch!(isa, hash::hash_words(words, seed, hashes));
}

/// Hashes each 16-byte key: the finaliser over its lower half, then over that
/// and its upper half.
///
/// # Panics
/// If the slices differ in length, or the machine lacks `isa`.
pub fn hash_wide(isa: Isa, words: &[i128], seed: u64, hashes: &mut [u64]) {
    assert_eq!(words.len(), hashes.len(), "one hash per key");
    dispatch!(isa, hash::hash_wide(words, seed, hashes));
}

/// The murmur3 64-bit finaliser: a bijection without weak patterns (Appleby,
/// MurmurHash3, 2011).
#[inline(always)]
#[must_use]
pub fn mix(mut word: u64) -> u64 {
    word ^= word >> 33;
    word = word.wrapping_mul(MIX_1);
    word ^= word >> 33;
    word = word.wrapping_mul(MIX_2);
    word ^ (word >> 33)
}

pub(crate) const MIX_1: u64 = 0xff51_afd7_ed55_8ccd;
pub(crate) const MIX_2: u64 = 0xc4ce_b9fe_1a85_ec53;

/// The hash of one 16-byte key, as [`hash_wide`] computes it.
#[inline(always)]
#[must_use]
pub fn mix_wide(word: i128, seed: u64) -> u64 {
    mix(mix(word as u64 ^ seed) ^ (word >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_isa_hashes_alike_at_every_length_and_offset() {
        let words: Vec<u64> = (0..200u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .chain([0, 1, u64::MAX, i64::MIN as u64, i64::MAX as u64])
            .collect();
        for isa in Isa::available() {
            for start in 0..9 {
                for end in start..words.len() {
                    let slice = &words[start..end];
                    let mut hashes = vec![0; slice.len()];
                    hash_words(isa, slice, 42, &mut hashes);
                    let expected: Vec<u64> = slice.iter().map(|&w| mix(w ^ 42)).collect();
                    assert_eq!(hashes, expected, "{isa} {start}..{end}");
                    let wide: Vec<i128> =
                        slice.iter().map(|&w| i128::from(w as i64) << 40 ^ i128::from(w)).collect();
                    hash_wide(isa, &wide, 42, &mut hashes);
                    let expected: Vec<u64> = wide.iter().map(|&w| mix_wide(w, 42)).collect();
                    assert_eq!(hashes, expected, "{isa} {start}..{end}");
                }
            }
        }
    }
}
