//! Plain Rust twins of every kernel.

use super::mix;

pub(super) fn hash_words(words: &[u64], seed: u64, hashes: &mut [u64]) {
    for (hash, &word) in hashes.iter_mut().zip(words) {
        *hash = mix(word ^ seed);
    }
}
