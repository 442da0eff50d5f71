//! The home of intrinsics: instruction sets, prefetch, cache sizes, and the
//! kernels that exist once per instruction set.
//!
//! Every kernel has a portable twin that is always compiled and tested; the
//! level is a value ([`Isa`]) that each table holds, so one binary runs
//! everywhere and tests force each level. Adding an architecture is one folder
//! here and one arm in [`hash_words`] and its like.

mod cache;
mod isa;
mod portable;
mod prefetch;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use cache::CacheSizes;
pub use isa::Isa;
pub use prefetch::{prefetch_address, prefetch_read};

/// Hashes each 8-byte key with the murmur3 finaliser over `key ^ seed`.
///
/// # Panics
/// If the slices differ in length, or the machine lacks `isa`.
pub fn hash_words(isa: Isa, words: &[u64], seed: u64, hashes: &mut [u64]) {
    assert_eq!(words.len(), hashes.len(), "one hash a key");
    assert!(isa.is_available(), "{isa} is not available here: see Isa::require");
    match isa {
        Isa::Portable => portable::hash_words(words, seed, hashes),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the assertion above saw that the CPU has this level.
        Isa::Avx2 => unsafe { x86_64::avx2::hash_words(words, seed, hashes) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512 => unsafe { x86_64::avx512::hash_words(words, seed, hashes) },
        #[cfg(not(target_arch = "x86_64"))]
        Isa::Avx2 | Isa::Avx512 => portable::hash_words(words, seed, hashes),
    }
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
                }
            }
        }
    }
}
