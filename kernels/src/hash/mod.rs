//! Normalised keys to 64-bit hashes.

#[cfg(test)]
mod tests;

use std::hash::{self, BuildHasher};

use ahash::RandomState;

use crate::arch::{self, Isa, mix, mix_wide};
use crate::key::{ByteKeys, KeyView};

/// A seeded hash of normalised keys. Both sides of a join use the same one.
///
/// Words go through the murmur3 finaliser (a bijection: distinct words have
/// distinct hashes), wide words through two rounds of it, byte strings through
/// ahash. A random seed defends against chosen keys; a fixed one makes
/// benchmarks repeatable.
///
/// ```
/// use streamjoin_kernels::{Isa, KeyHasher};
///
/// let hasher = KeyHasher::with_seed(Isa::detect(), 42);
/// let mut hashes = Vec::new();
/// hasher.hash(&[5, 6, 5], &mut hashes);
/// assert_eq!(hashes[0], hashes[2]);
/// assert_ne!(hashes[0], hashes[1]);
/// ```
#[derive(Clone, Debug)]
pub struct KeyHasher {
    isa: Isa,
    seed: u64,
    bytes: RandomState,
    constant: bool,
}

impl KeyHasher {
    /// A hasher that always gives the same hashes for the same seed.
    #[must_use]
    pub fn with_seed(isa: Isa, seed: u64) -> Self {
        let bytes = RandomState::with_seeds(seed, mix(seed), mix(seed ^ 1), mix(seed ^ 2));
        Self { isa, seed, bytes, constant: false }
    }

    /// A hasher with a seed that nobody knows: where keys may be chosen by an attacker.
    #[must_use]
    pub fn random(isa: Isa) -> Self {
        Self::with_seed(isa, hash::RandomState::new().hash_one(0_u64))
    }

    /// The instruction set that it uses.
    #[must_use]
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// A hasher that gives every key the same hash: joins stay right and only
    /// get slow. For testing an index, also one of your own, under collisions.
    #[must_use]
    pub fn constant() -> Self {
        Self { constant: true, ..Self::with_seed(Isa::Portable, 0) }
    }

    /// Whether `other` gives the same hashes, on whatever instruction set.
    pub(crate) fn hashes_as(&self, other: &Self) -> bool {
        self.constant == other.constant && (self.constant || self.seed == other.seed)
    }

    /// The hashes of `keys`, one per row, in a buffer that is used again.
    pub fn hash<'a>(&self, keys: impl Into<KeyView<'a>>, hashes: &mut Vec<u64>) {
        let keys = keys.into();
        // Not cleared first: every value is overwritten.
        hashes.resize(keys.len(), 0);
        if self.constant {
            hashes.fill(0);
            return;
        }
        match keys {
            KeyView::Words(words) => arch::hash_words(self.isa, words, self.seed, hashes),
            KeyView::Wide(words) => arch::hash_wide(self.isa, words, self.seed, hashes),
            KeyView::Bytes(keys) => self.hash_bytes(keys, hashes),
        }
    }

    /// The hash of one key of up to 8 bytes.
    #[inline]
    pub(crate) fn hash_word(&self, word: u64) -> u64 {
        if self.constant { 0 } else { mix(word ^ self.seed) }
    }

    /// The hash of one key of 9 to 16 bytes.
    #[inline]
    pub(crate) fn hash_wide(&self, word: i128) -> u64 {
        if self.constant { 0 } else { mix_wide(word, self.seed) }
    }

    fn hash_bytes(&self, keys: &ByteKeys, hashes: &mut [u64]) {
        for (row, hash) in hashes.iter_mut().enumerate() {
            *hash = self.bytes.hash_one(keys.get(row));
        }
    }

    /// The hashes of byte strings that lie anywhere, as [`hash`](Self::hash) gives them.
    pub(crate) fn hash_slices(&self, keys: &[&[u8]], hashes: &mut Vec<u64>) {
        hashes.clear();
        hashes.extend(keys.iter().map(|key| match self.constant {
            true => 0,
            false => self.bytes.hash_one(key),
        }));
    }
}
