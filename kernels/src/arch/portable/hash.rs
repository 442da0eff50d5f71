use crate::arch::{mix, mix_wide};

pub(crate) fn hash_words(words: &[u64], seed: u64, hashes: &mut [u64]) {
    for (hash, &word) in hashes.iter_mut().zip(words) {
        *hash = mix(word ^ seed);
    }
}

pub(crate) fn hash_wide(words: &[i128], seed: u64, hashes: &mut [u64]) {
    for (hash, &word) in hashes.iter_mut().zip(words) {
        *hash = mix_wide(word, seed);
    }
}
