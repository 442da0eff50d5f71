/// What `bloom` does at every level, vector by vector.
macro_rules! bloom_kernels {
    ($features:tt) => {
        /// The mixed hashes and the numbers of their words, of `len` words.
        #[inline]
        #[target_feature(enable = $features)]
        fn place(hash: Words, len: Words) -> (Words, Words) {
            let folded = xor(hash, shift_right::<32>(hash));
            let mixed = mul_low(folded, splat(BLOOM_MIX as i64));
            (mixed, shift_right::<32>(mul_halves(shift_right::<32>(mixed), len)))
        }

        /// A bit for each hash, set if it passes.
        ///
        /// # Safety
        /// The words are those of the filter that [`place`] gave the mixed hashes.
        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn passing(filter: &[u64], mixed: Words, word: Words) -> u64 {
            let mut bits = zero();
            for shift in BIT_SHIFTS {
                let number = and(shift_right_by(mixed, count(shift as i32)), splat(63));
                bits = or(bits, shift_left_each(splat(1), number));
            }
            // SAFETY: a word's number is below that of the words.
            let word = unsafe { words_at(filter, word) };
            equal(and(word, bits), bits)
        }
    };
}
pub(crate) use bloom_kernels;
