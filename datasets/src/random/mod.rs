//! Numbers from a seed and a counter: any row can be made without those before it.

mod zipf;

pub use zipf::Zipf;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A bijection of 64 bits without visible pattern (the splitmix64 finaliser).
#[inline]
#[must_use]
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A stream of random numbers, addressed by row.
#[derive(Debug, Clone, Copy)]
pub struct Random(u64);

impl Random {
    /// `purpose` keeps streams of one seed apart.
    #[must_use]
    pub fn new(seed: u64, purpose: u64) -> Random {
        Random(mix(seed.wrapping_mul(GOLDEN) ^ mix(purpose.wrapping_add(GOLDEN))))
    }

    /// The number of a row: any of 64 bits.
    #[inline]
    #[must_use]
    pub fn at(self, row: u64) -> u64 {
        mix(self.0.wrapping_add(row.wrapping_mul(GOLDEN)))
    }
}

/// A uniform number below `n` from a random one.
#[inline]
#[must_use]
pub fn below(random: u64, n: u64) -> u64 {
    ((u128::from(random) * u128::from(n)) >> 64) as u64
}

/// A number from 0 to 1, 1 excluded, from a random one.
#[inline]
#[must_use]
pub fn share(random: u64) -> f64 {
    (random >> 11) as f64 / 2_f64.powi(53)
}

/// From a row of the dimension (its ordinal) to its key: sparse and unique, the
/// whole of i64; or the ordinal itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyOf {
    salt: u64,
    dense: bool,
}

impl KeyOf {
    pub(crate) fn new(seed: u64, dense: bool) -> KeyOf {
        KeyOf { salt: Random::new(seed, 0x6b65_7973).at(0), dense }
    }

    #[inline]
    pub(crate) fn key(self, ordinal: u64) -> i64 {
        if self.dense { ordinal as i64 } else { mix(ordinal ^ self.salt) as i64 }
    }
}

/// A payload of up to 20 bits, so that sums do not overflow.
#[inline]
pub(crate) fn payload(random: u64) -> i64 {
    (random >> 44) as i64
}
