//! A shuffle that needs no memory: a small Feistel network on `0..n`.

use crate::random::mix;

/// A permutation of `0..n`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Permutation {
    n: u64,
    half_bits: u32,
    salt: u64,
}

impl Permutation {
    /// `n` is at most 2^62.
    pub(super) fn new(n: u64, salt: u64) -> Permutation {
        let bits = u64::BITS - n.saturating_sub(1).leading_zeros();
        Permutation { n, half_bits: bits.div_ceil(2).max(1), salt }
    }

    /// The place of `i`, which is below `n`.
    pub(super) fn at(self, i: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let mut x = i;
        loop {
            let (mut left, mut right) = (x >> self.half_bits, x & mask);
            for round in 0..3 {
                let turned = mix(right ^ self.salt.rotate_left(round * 17)) & mask;
                (left, right) = (right, left ^ turned);
            }
            x = left << self.half_bits | right;
            // The network's domain is up to four times as large: walk until inside.
            if x < self.n {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_once() {
        for n in [1, 2, 3, 4, 5, 16, 17, 1000, 4097] {
            let permutation = Permutation::new(n, 42);
            let mut seen: Vec<u64> = (0..n).map(|i| permutation.at(i)).collect();
            assert!(n < 16 || seen.windows(2).any(|w| w[0] > w[1]), "not shuffled");
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..n));
        }
    }
}
