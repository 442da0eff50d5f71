//! A 64-bit digest of each value of a column, in a canonical form.
//!
//! Integers count as `i64`, times as microseconds, decimals without trailing
//! zeros, floats as `f64` with one NaN and one zero, strings and binaries by
//! their bytes, dictionaries and run-length codes by value, nulls by a tag of
//! their own. Seeds are fixed and no platform hash is used: a checksum that was
//! recorded once holds for ever.

mod nested;

use arrow::array::{Array, ArrowPrimitiveType, AsArray, PrimitiveArray, types::*};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, IntervalUnit, TimeUnit, i256};

/// Hash of a row before its first column.
pub(super) const ROW_SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// Digest of a null, whatever its type.
const NULL: u64 = 0xd6e8_feb8_6659_fd93;

/// What a value is; equal bits of different kinds are different values.
#[derive(Clone, Copy)]
enum Kind {
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
    const fn seed(self) -> u64 {
        (self as u64).wrapping_mul(0xa076_1d64_78bd_642f)
    }
}

/// Murmur3's 64-bit finaliser: a bijection without weak patterns.
#[inline(always)]
fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

/// Adds the next value's digest to a row; order counts.
#[inline(always)]
pub(super) fn combine(row: u64, value: u64) -> u64 {
    (row ^ value).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(29)
}

/// The hash of a row after its last column.
#[inline(always)]
pub(super) fn finish(row: u64) -> u64 {
    mix(row)
}

#[inline(always)]
fn word(kind: Kind, value: u64) -> u64 {
    mix(value ^ kind.seed())
}

#[inline(always)]
fn float(value: f64) -> u64 {
    let canonical = if value.is_nan() { f64::NAN } else { value + 0.0 };
    word(Kind::Float, canonical.to_bits())
}

/// Digest of a byte string: 8 bytes a step, the length last.
fn bytes(kind: Kind, value: &[u8]) -> u64 {
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
fn decimal(mut unscaled: i128, mut scale: i64) -> u64 {
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

fn decimal256(mut unscaled: i256, mut scale: i64) -> u64 {
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

/// Writes the digest of each value of `array` to `out`.
pub(crate) fn values(array: &dyn Array, out: &mut Vec<u64>) {
    out.clear();
    out.reserve(array.len());
    let integer = |value: i64| word(Kind::Integer, value as u64);
    match array.data_type() {
        DataType::Null => out.resize(array.len(), NULL),
        DataType::Boolean => {
            let array = array.as_boolean();
            let one = word(Kind::Boolean, 1);
            let zero = word(Kind::Boolean, 0);
            out.extend(array.values().iter().map(|value| if value { one } else { zero }));
            mark_nulls(array.nulls(), out);
        }
        DataType::Int8 => primitive::<Int8Type>(array, out, |v| integer(v.into())),
        DataType::Int16 => primitive::<Int16Type>(array, out, |v| integer(v.into())),
        DataType::Int32 => primitive::<Int32Type>(array, out, |v| integer(v.into())),
        DataType::Int64 => primitive::<Int64Type>(array, out, integer),
        DataType::UInt8 => primitive::<UInt8Type>(array, out, |v| integer(v.into())),
        DataType::UInt16 => primitive::<UInt16Type>(array, out, |v| integer(v.into())),
        DataType::UInt32 => primitive::<UInt32Type>(array, out, |v| integer(v.into())),
        DataType::UInt64 => primitive::<UInt64Type>(array, out, |v| {
            word(if v > i64::MAX as u64 { Kind::HugeInteger } else { Kind::Integer }, v)
        }),
        DataType::Float16 => primitive::<Float16Type>(array, out, |v| float(v.to_f64())),
        DataType::Float32 => primitive::<Float32Type>(array, out, |v| float(v.into())),
        DataType::Float64 => primitive::<Float64Type>(array, out, float),
        DataType::Decimal32(_, scale) => {
            primitive::<Decimal32Type>(array, out, |v| decimal(v.into(), (*scale).into()));
        }
        DataType::Decimal64(_, scale) => {
            primitive::<Decimal64Type>(array, out, |v| decimal(v.into(), (*scale).into()));
        }
        DataType::Decimal128(_, scale) => {
            primitive::<Decimal128Type>(array, out, |v| decimal(v, (*scale).into()));
        }
        DataType::Decimal256(_, scale) => {
            primitive::<Decimal256Type>(array, out, |v| decimal256(v, (*scale).into()));
        }
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            byte_values(Kind::Text, array.len(), |i| array.value(i).as_bytes(), array.nulls(), out);
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            byte_values(Kind::Text, array.len(), |i| array.value(i).as_bytes(), array.nulls(), out);
        }
        DataType::Utf8View => {
            let array = array.as_string_view();
            byte_values(Kind::Text, array.len(), |i| array.value(i).as_bytes(), array.nulls(), out);
        }
        DataType::Binary => {
            let array = array.as_binary::<i32>();
            byte_values(Kind::Binary, array.len(), |i| array.value(i), array.nulls(), out);
        }
        DataType::LargeBinary => {
            let array = array.as_binary::<i64>();
            byte_values(Kind::Binary, array.len(), |i| array.value(i), array.nulls(), out);
        }
        DataType::BinaryView => {
            let array = array.as_binary_view();
            byte_values(Kind::Binary, array.len(), |i| array.value(i), array.nulls(), out);
        }
        DataType::FixedSizeBinary(_) => {
            let array = array.as_fixed_size_binary();
            byte_values(Kind::Binary, array.len(), |i| array.value(i), array.nulls(), out);
        }
        DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_)
        | DataType::Interval(_) => times(array, out),
        DataType::Dictionary(..)
        | DataType::RunEndEncoded(..)
        | DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..)
        | DataType::Map(..)
        | DataType::Struct(_)
        | DataType::Union(..) => nested::values(array, out),
    }
}

fn times(array: &dyn Array, out: &mut Vec<u64>) {
    let date = |days: i64| word(Kind::Date, days as u64);
    match array.data_type() {
        DataType::Date32 => primitive::<Date32Type>(array, out, |v| date(v.into())),
        DataType::Date64 => {
            primitive::<Date64Type>(array, out, |v| date(v.div_euclid(86_400_000)));
        }
        DataType::Timestamp(unit, _) => {
            let kind = Kind::Timestamp;
            match unit {
                TimeUnit::Second => micros::<TimestampSecondType>(array, out, kind, *unit),
                TimeUnit::Millisecond => {
                    micros::<TimestampMillisecondType>(array, out, kind, *unit);
                }
                TimeUnit::Microsecond => {
                    micros::<TimestampMicrosecondType>(array, out, kind, *unit);
                }
                TimeUnit::Nanosecond => micros::<TimestampNanosecondType>(array, out, kind, *unit),
            }
        }
        DataType::Duration(unit) => {
            let kind = Kind::Duration;
            match unit {
                TimeUnit::Second => micros::<DurationSecondType>(array, out, kind, *unit),
                TimeUnit::Millisecond => micros::<DurationMillisecondType>(array, out, kind, *unit),
                TimeUnit::Microsecond => micros::<DurationMicrosecondType>(array, out, kind, *unit),
                TimeUnit::Nanosecond => micros::<DurationNanosecondType>(array, out, kind, *unit),
            }
        }
        DataType::Time32(TimeUnit::Second) => primitive::<Time32SecondType>(array, out, |v| {
            word(Kind::TimeOfDay, to_micros(v.into(), TimeUnit::Second))
        }),
        DataType::Time32(_) => primitive::<Time32MillisecondType>(array, out, |v| {
            word(Kind::TimeOfDay, to_micros(v.into(), TimeUnit::Millisecond))
        }),
        DataType::Time64(TimeUnit::Nanosecond) => {
            micros::<Time64NanosecondType>(array, out, Kind::TimeOfDay, TimeUnit::Nanosecond);
        }
        DataType::Time64(_) => {
            micros::<Time64MicrosecondType>(array, out, Kind::TimeOfDay, TimeUnit::Microsecond);
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            primitive::<IntervalYearMonthType>(array, out, |v| interval(v.into(), 0, 0));
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            primitive::<IntervalDayTimeType>(array, out, |v| {
                interval(0, v.days.into(), i64::from(v.milliseconds) * 1_000_000)
            });
        }
        _ => primitive::<IntervalMonthDayNanoType>(array, out, |v| {
            interval(v.months.into(), v.days.into(), v.nanoseconds)
        }),
    }
}

fn interval(months: i64, days: i64, nanoseconds: i64) -> u64 {
    let parts = [months as u64, days as u64, nanoseconds.div_euclid(1000) as u64];
    mix(parts.iter().fold(Kind::Interval.seed(), |hash, part| combine(hash, mix(*part))))
}

/// Microseconds; a time too far away for them wraps, which a digest may.
#[inline(always)]
fn to_micros(value: i64, unit: TimeUnit) -> u64 {
    (match unit {
        TimeUnit::Second => value.wrapping_mul(1_000_000),
        TimeUnit::Millisecond => value.wrapping_mul(1000),
        TimeUnit::Microsecond => value,
        TimeUnit::Nanosecond => value.div_euclid(1000),
    }) as u64
}

fn micros<T: ArrowPrimitiveType<Native = i64>>(
    array: &dyn Array,
    out: &mut Vec<u64>,
    kind: Kind,
    unit: TimeUnit,
) {
    primitive::<T>(array, out, |value| word(kind, to_micros(value, unit)));
}

#[inline(always)]
fn primitive<T: ArrowPrimitiveType>(
    array: &dyn Array,
    out: &mut Vec<u64>,
    digest: impl Fn(T::Native) -> u64,
) {
    let array: &PrimitiveArray<T> = array.as_primitive();
    out.extend(array.values().iter().map(|value| digest(*value)));
    mark_nulls(array.nulls(), out);
}

fn byte_values<'a>(
    kind: Kind,
    len: usize,
    value: impl Fn(usize) -> &'a [u8],
    nulls: Option<&NullBuffer>,
    out: &mut Vec<u64>,
) {
    out.extend((0..len).map(|i| bytes(kind, value(i))));
    mark_nulls(nulls, out);
}

/// Puts the null's digest where `nulls` says so, whatever lies beneath.
fn mark_nulls(nulls: Option<&NullBuffer>, out: &mut [u64]) {
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else { return };
    for (digest, valid) in out.iter_mut().zip(nulls.iter()) {
        *digest = if valid { *digest } else { NULL };
    }
}
