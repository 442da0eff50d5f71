//! Spark's `xxhash64`: the same values, so that generated keys are the same.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::datatypes::*;
use streamjoin_kernels::{JoinError, Result};
use twox_hash::XxHash64;

use super::Arguments;
use crate::value::Value;

/// The seed that Spark begins with.
const SEED: u64 = 42;

/// A hash of all arguments: each one's takes that of those before it as its
/// seed, and a null leaves it as it is.
pub(super) fn xxhash64(a: &Arguments<'_>) -> Result<ArrayRef> {
    let mut hashes = vec![SEED; a.rows];
    for value in a.values {
        add(&mut hashes, value)?;
    }
    Ok(Arc::new(hashes.into_iter().map(|hash| hash as i64).collect::<Int64Array>()))
}

fn add(hashes: &mut [u64], value: &Value) -> Result<()> {
    let array = value.array();
    macro_rules! words {
        ($type:ident, $word:expr) => {{
            let numbers = array.as_primitive::<$type>();
            each(hashes, value, |row, seed| {
                XxHash64::oneshot(seed, &$word(numbers.value(row)).to_le_bytes())
            });
        }};
    }
    match array.data_type() {
        DataType::Null => {}
        DataType::Boolean => {
            let truths = array.as_boolean();
            each(hashes, value, |row, seed| {
                XxHash64::oneshot(seed, &i32::from(truths.value(row)).to_le_bytes())
            });
        }
        DataType::Int32 => words!(Int32Type, |v: i32| v),
        DataType::Int64 => words!(Int64Type, |v: i64| v),
        DataType::Date32 => words!(Date32Type, |v: i32| v),
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            words!(TimestampMicrosecondType, |v: i64| v);
        }
        DataType::Float32 => words!(Float32Type, |v: f32| match v {
            v if v.is_nan() => 0x7fc0_0000_u32,
            v => (v + 0.0).to_bits(),
        }),
        DataType::Float64 => words!(Float64Type, |v: f64| match v {
            v if v.is_nan() => 0x7ff8_0000_0000_0000_u64,
            v => (v + 0.0).to_bits(),
        }),
        DataType::Decimal128(..=18, _) => words!(Decimal128Type, |v: i128| v as i64),
        DataType::Decimal128(..) => {
            let numbers = array.as_primitive::<Decimal128Type>();
            each(hashes, value, |row, seed| {
                XxHash64::oneshot(seed, shortest(&numbers.value(row).to_be_bytes()))
            });
        }
        DataType::Utf8 => {
            let texts = array.as_string::<i32>();
            each(hashes, value, |row, seed| XxHash64::oneshot(seed, texts.value(row).as_bytes()));
        }
        DataType::Binary => {
            let bytes = array.as_binary::<i32>();
            each(hashes, value, |row, seed| XxHash64::oneshot(seed, bytes.value(row)));
        }
        other => return Err(JoinError::InvalidPlan(format!("xxhash64 does not take {other}"))),
    }
    Ok(())
}

/// Replaces the hash of each row whose value is not null.
fn each(hashes: &mut [u64], value: &Value, hash: impl Fn(usize, u64) -> u64) {
    let array = value.array();
    for (row, so_far) in hashes.iter_mut().enumerate() {
        let row = value.row(row);
        if array.is_valid(row) {
            *so_far = hash(row, *so_far);
        }
    }
}

/// Two's complement, highest byte first, without bytes that only repeat the sign.
fn shortest(bytes: &[u8; 16]) -> &[u8] {
    let repeats = |pair: &[u8]| match pair {
        [0x00, next] => next & 0x80 == 0,
        [0xff, next] => next & 0x80 != 0,
        _ => false,
    };
    let from = bytes.windows(2).take_while(|pair| repeats(pair)).count();
    &bytes[from..]
}
