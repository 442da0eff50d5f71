/// The kernels of `hash`.
macro_rules! hash_kernels {
    ($features:tt) => {
        use super::words::*;
        use crate::arch::hash::{MIX_1, MIX_2};
        use crate::arch::portable;

        #[target_feature(enable = $features)]
        fn mix(mut h: Words) -> Words {
            h = xor(h, shift_right::<33>(h));
            h = mul_low(h, splat(MIX_1 as i64));
            h = xor(h, shift_right::<33>(h));
            h = mul_low(h, splat(MIX_2 as i64));
            xor(h, shift_right::<33>(h))
        }

        #[target_feature(enable = $features)]
        pub(crate) fn hash_words(words: &[u64], seed: u64, hashes: &mut [u64]) {
            let whole = words.len().min(hashes.len()) / LANES * LANES;
            let seed_lanes = splat(seed as i64);
            for start in (0..whole).step_by(LANES) {
                // SAFETY: a vector from `start` on is within `whole`, no more than
                // either length; load and store need no alignment.
                unsafe {
                    let h = mix(xor(load(words.as_ptr().add(start).cast()), seed_lanes));
                    store(hashes.as_mut_ptr().add(start).cast(), h);
                }
            }
            portable::hash::hash_words(&words[whole..], seed, &mut hashes[whole..]);
        }

        #[target_feature(enable = $features)]
        pub(crate) fn hash_wide(words: &[i128], seed: u64, hashes: &mut [u64]) {
            let whole = words.len().min(hashes.len()) / LANES * LANES;
            let seed_lanes = splat(seed as i64);
            for start in (0..whole).step_by(LANES) {
                // SAFETY: as many keys of 16 bytes as a vector has words are two
                // vectors; otherwise as above.
                unsafe {
                    let at = words.as_ptr().add(start).cast::<Words>();
                    let (low, high) = halves(load(at), load(at.add(1)));
                    let h = mix(xor(mix(xor(low, seed_lanes)), high));
                    store(hashes.as_mut_ptr().add(start).cast(), in_order(h));
                }
            }
            portable::hash::hash_wide(&words[whole..], seed, &mut hashes[whole..]);
        }
    };
}
pub(crate) use hash_kernels;
