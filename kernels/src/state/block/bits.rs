//! Bitmaps of the rows of a block.

/// Whether a bit is set; bits beyond the end are not.
#[inline]
pub(super) fn get(words: &[u64], at: usize) -> bool {
    words.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 != 0)
}

/// Sets a bit, or clears it; grows as needed.
#[inline]
pub(super) fn put(words: &mut Vec<u64>, at: usize, value: bool) {
    if at / 64 >= words.len() {
        words.resize(at / 64 + 1, 0);
    }
    let (word, bit) = (&mut words[at / 64], 1 << (at % 64));
    if value { *word |= bit } else { *word &= !bit }
}
