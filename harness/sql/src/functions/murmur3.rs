//! MurmurHash3 (x86, 32 bits) as Spark computes it.

/// The hash of some bytes. Unlike the original, Spark mixes each byte after the last
/// whole word as a (signed) word of its own.
pub(super) fn hash(bytes: &[u8], seed: u32) -> u32 {
    let (words, rest) = bytes.as_chunks::<4>();
    let hash = words.iter().fold(seed, |hash, word| mix(hash, u32::from_le_bytes(*word)));
    let hash = rest.iter().fold(hash, |hash, byte| mix(hash, *byte as i8 as u32));
    finish(hash ^ bytes.len() as u32)
}

fn mix(hash: u32, word: u32) -> u32 {
    let word = word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    (hash ^ word).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
}

fn finish(hash: u32) -> u32 {
    let hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    let hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}
