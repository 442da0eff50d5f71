//! The digest of one value.

use arrow::datatypes::{TimeUnit, i256};

/// Hash of a row before its first column.
pub(in crate::record) const ROW_SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// Digest of a null, whatever its type.
pub(super) const NULL: u64 = 0xd6e8_feb8_6659_fd93;

/// What a value is; equal bits of different kinds are different values.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Integer = 1,
    HugeInteger,
    Float,
    Boolean,
    Decimal,
    Date,
    Timestamp,
    TimeOfDay,
    Duration,
    Interval,
    Text,
    Binary,
    List,
    Struct,
}

impl Kind {
    pub(super) const fn seed(self) -> u64 {
        (self as u64).wrapping_mul(0xa076_1d64_78bd_642f)
    }
}

/// Murmur3's 64-bit finaliser: a bijection without weak patterns.
#[inline(always)]
pub(super) fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

/// Adds the next value's digest to a row; order counts.
#[inline(always)]
pub(in crate::record) fn combine(row: u64, value: u64) -> u64 {
    (row ^ value).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(29)
}

/// The hash of a row after its last column.
#[inline(always)]
pub(in crate::record) fn finish(row: u64) -> u64 {
    mix(row)
}

#[inline(always)]
pub(super) fn word(kind: Kind, value: u64) -> u64 {
    mix(value ^ kind.seed())
}

#[inline(always)]
pub(super) fn float(value: f64) -> u64 {
    let canonical = if value.is_nan() { f64::NAN } else { value + 0.0 };
    word(Kind::Float, canonical.to_bits())
}

/// Digest of a byte string: 8 bytes per step, the length last.
pub(super) fn bytes(kind: Kind, value: &[u8]) -> u64 {
    let mut hash = kind.seed() ^ ROW_SEED;
    let mut words = value.chunks_exact(8);
    for chunk in &mut words {
        let mut buffer = [0; 8];
        buffer.copy_from_slice(chunk);
        hash = combine(hash, u64::from_le_bytes(buffer));
        hash ^= hash >> 32;
    }
    let rest = words.remainder();
    let mut buffer = [0; 8];
    buffer[..rest.len()].copy_from_slice(rest);
    hash = combine(hash, u64::from_le_bytes(buffer));
    mix(hash ^ (value.len() as u64).wrapping_mul(0xe703_7ed1_a0b4_28db))
}

/// Digest of `unscaled * 10^-scale`, the same for 1.10 and 1.1.
pub(super) fn decimal(mut unscaled: i128, mut scale: i64) -> u64 {
    if unscaled == 0 {
        scale = 0;
    } else if let Ok(mut small) = i64::try_from(unscaled) {
        // Most values fit 64 bits, where the division is much cheaper.
        while small % 10 == 0 {
            small /= 10;
            scale -= 1;
        }
        unscaled = i128::from(small);
    } else {
        while unscaled % 10 == 0 {
            unscaled /= 10;
            scale -= 1;
        }
    }
    decimal_words([unscaled as u64, (unscaled >> 64) as u64, 0, 0], scale)
}

pub(super) fn decimal256(mut unscaled: i256, mut scale: i64) -> u64 {
    let ten = i256::from_i128(10);
    loop {
        if let Some(small) = unscaled.to_i128() {
            return decimal(small, scale);
        }
        if unscaled.wrapping_rem(ten) != i256::ZERO {
            let (low, high) = unscaled.to_parts();
            let words = [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64];
            return decimal_words(words, scale);
        }
        unscaled = unscaled.wrapping_div(ten);
        scale -= 1;
    }
}

fn decimal_words(words: [u64; 4], scale: i64) -> u64 {
    let hash = words.iter().fold(Kind::Decimal.seed(), |hash, word| combine(hash, mix(*word)));
    mix(hash ^ scale as u64)
}

pub(super) fn interval(months: i64, days: i64, nanoseconds: i64) -> u64 {
    let parts = [months as u64, days as u64, nanoseconds.div_euclid(1000) as u64];
    let whole =
        mix(parts.iter().fold(Kind::Interval.seed(), |hash, part| combine(hash, mix(*part))));
    finer(whole, nanoseconds)
}

/// A time or a distance: alike in every unit that can hold it. One too far away for
/// microseconds wraps, which a digest may.
#[inline(always)]
pub(super) fn time(kind: Kind, value: i64, unit: TimeUnit) -> u64 {
    match unit {
        TimeUnit::Second => word(kind, value.wrapping_mul(1_000_000) as u64),
        TimeUnit::Millisecond => word(kind, value.wrapping_mul(1000) as u64),
        TimeUnit::Microsecond => word(kind, value as u64),
        TimeUnit::Nanosecond => finer(word(kind, value.div_euclid(1000) as u64), value),
    }
}

/// With what of some nanoseconds is finer than a microsecond, if anything is.
fn finer(micros: u64, nanoseconds: i64) -> u64 {
    match nanoseconds.rem_euclid(1000) {
        0 => micros,
        rest => combine(micros, mix(rest as u64)),
    }
}
