//! Key columns of every type over one small domain: equal numbers are equal
//! keys, whatever the type makes of them.

use std::sync::Arc;

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::compute::cast;
use streamjoin_kernels::arrow::datatypes::*;

/// Makes a column; the row number lets equal values differ in their bits.
pub(crate) type MakeColumn = fn(&[Option<u8>]) -> ArrayRef;

/// A key type on the stream's and on the dimension's side.
#[derive(Clone, Copy)]
pub(crate) struct KeyType {
    pub(crate) name: &'static str,
    pub(crate) stream: MakeColumn,
    pub(crate) dimension: MakeColumn,
}

fn column<A: Array + FromIterator<Option<T>> + 'static, T>(
    keys: &[Option<u8>],
    value: impl Fn(usize, u8) -> T,
) -> ArrayRef {
    Arc::new(keys.iter().enumerate().map(|(i, key)| key.map(|key| value(i, key))).collect::<A>())
}

fn text(key: u8) -> String {
    ["", "a", "a ", "A", "ab\0", "日本", "e\u{301}", "é", "a-long-key-that-is-no-view-inline"]
        [usize::from(key) % 9]
        .to_owned()
        + &"x".repeat(usize::from(key) / 9)
}

/// Extremes first: the whole range of the type in one column.
fn i64_of(key: u8) -> i64 {
    [i64::MIN, i64::MAX, 0, -1, 1 << 40, (1 << 40) | 0xbeef]
        .get(usize::from(key))
        .copied()
        .unwrap_or(i64::from(key) << 16)
}

fn f64_of(row: usize, key: u8) -> f64 {
    match key {
        0 => [0.0, -0.0][row % 2],
        1 => [f64::NAN, -f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001)][row % 3],
        2 => f64::INFINITY,
        3 => f64::MIN_POSITIVE,
        key => f64::from(key) / 3.0,
    }
}

fn f32_of(row: usize, key: u8) -> f32 {
    match key {
        0 => [0.0, -0.0][row % 2],
        1 => [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001)][row % 3],
        key => f32::from(key) * 0.1,
    }
}

fn i64s(keys: &[Option<u8>]) -> ArrayRef {
    column::<Int64Array, _>(keys, |_, key| i64_of(key))
}
fn i32s(keys: &[Option<u8>]) -> ArrayRef {
    column::<Int32Array, _>(keys, |_, key| i32::from(key) - 3)
}
fn small_i64s(keys: &[Option<u8>]) -> ArrayRef {
    column::<Int64Array, _>(keys, |_, key| i64::from(key) - 3)
}
fn i8s(keys: &[Option<u8>]) -> ArrayRef {
    column::<Int8Array, _>(keys, |_, key| key as i8 - 3)
}
fn f64s(keys: &[Option<u8>]) -> ArrayRef {
    column::<Float64Array, _>(keys, f64_of)
}
fn small_f64s(keys: &[Option<u8>]) -> ArrayRef {
    column::<Float64Array, _>(keys, |row, key| match key {
        3 => [0.0, -0.0][row % 2],
        key => f64::from(key) - 3.0,
    })
}
fn f32s(keys: &[Option<u8>]) -> ArrayRef {
    column::<Float32Array, _>(keys, f32_of)
}
fn f32s_as_f64s(keys: &[Option<u8>]) -> ArrayRef {
    column::<Float64Array, _>(keys, |row, key| f64::from(f32_of(row, key)))
}
fn booleans(keys: &[Option<u8>]) -> ArrayRef {
    // A domain of two cannot hold more keys: every other one is null-free noise.
    Arc::new(keys.iter().map(|key| key.map(|key| key != 0)).collect::<BooleanArray>())
}
fn decimals(keys: &[Option<u8>]) -> ArrayRef {
    let values = keys.iter().map(|key| key.map(|key| i128::from(key) * 250 - 300));
    Arc::new(values.collect::<Decimal128Array>().with_precision_and_scale(10, 2).unwrap())
}
fn decimals_of_scale_4(keys: &[Option<u8>]) -> ArrayRef {
    let values = keys.iter().map(|key| key.map(|key| (i128::from(key) * 250 - 300) * 100));
    Arc::new(values.collect::<Decimal128Array>().with_precision_and_scale(18, 4).unwrap())
}
fn dates(keys: &[Option<u8>]) -> ArrayRef {
    column::<Date32Array, _>(keys, |_, key| i32::from(key) - 2)
}
fn midnights(keys: &[Option<u8>]) -> ArrayRef {
    let day = 86_400_000_000;
    let values = column::<Int64Array, _>(keys, |_, key| (i64::from(key) - 2) * day);
    cast(&values, &DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))).unwrap()
}
fn seconds(keys: &[Option<u8>]) -> ArrayRef {
    column::<TimestampSecondArray, _>(keys, |_, key| (i64::from(key) - 2) * 86_400)
}
fn nanoseconds(keys: &[Option<u8>]) -> ArrayRef {
    column::<TimestampNanosecondArray, _>(keys, |_, key| (i64::from(key) - 2) * 86_400_000_000_000)
}
fn strings(keys: &[Option<u8>]) -> ArrayRef {
    column::<StringArray, _>(keys, |_, key| text(key))
}
fn large_strings(keys: &[Option<u8>]) -> ArrayRef {
    column::<LargeStringArray, _>(keys, |_, key| text(key))
}
fn string_views(keys: &[Option<u8>]) -> ArrayRef {
    column::<StringViewArray, _>(keys, |_, key| text(key))
}
fn binaries(keys: &[Option<u8>]) -> ArrayRef {
    cast(&strings(keys), &DataType::Binary).unwrap()
}
fn binary_views(keys: &[Option<u8>]) -> ArrayRef {
    cast(&strings(keys), &DataType::BinaryView).unwrap()
}
fn fixed_size_binaries(keys: &[Option<u8>]) -> ArrayRef {
    let values = keys.iter().map(|key| key.map(|key| [key, 0, key]));
    Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, 3).unwrap())
}
fn fixed_size_as_binaries(keys: &[Option<u8>]) -> ArrayRef {
    cast(&fixed_size_binaries(keys), &DataType::Binary).unwrap()
}

/// A dictionary that repeats values, holds a null value, and is out of order.
fn dictionaries(keys: &[Option<u8>]) -> ArrayRef {
    let domain: Vec<Option<String>> =
        (0..16u8).chain(0..16).rev().map(|key| Some(text(key))).chain([None]).collect();
    let codes: Int32Array = keys
        .iter()
        .enumerate()
        .map(|(row, key)| match key {
            // A null is a null code or the code of a null value, in turn.
            None => [None, Some(32)][row % 2],
            Some(key) => Some(15 - i32::from(*key % 16) + [0, 16][row % 2]),
        })
        .collect();
    Arc::new(DictionaryArray::new(codes, Arc::new(domain.into_iter().collect::<StringArray>())))
}

/// Every type that Spark joins on, and the mixes of types of rule 33.
pub(crate) const KEY_TYPES: &[KeyType] = &[
    KeyType { name: "bigint", stream: i64s, dimension: i64s },
    KeyType { name: "int", stream: i32s, dimension: i32s },
    KeyType { name: "tinyint = bigint", stream: i8s, dimension: small_i64s },
    KeyType { name: "int = bigint", stream: i32s, dimension: small_i64s },
    KeyType { name: "int = double", stream: i32s, dimension: small_f64s },
    KeyType { name: "double = bigint", stream: small_f64s, dimension: small_i64s },
    KeyType { name: "double", stream: f64s, dimension: f64s },
    KeyType { name: "float", stream: f32s, dimension: f32s },
    KeyType { name: "float = double", stream: f32s, dimension: f32s_as_f64s },
    KeyType { name: "decimal", stream: decimals, dimension: decimals },
    KeyType { name: "decimals of two scales", stream: decimals, dimension: decimals_of_scale_4 },
    KeyType { name: "date", stream: dates, dimension: dates },
    KeyType { name: "date = timestamp", stream: dates, dimension: midnights },
    KeyType { name: "timestamp s = us UTC", stream: seconds, dimension: midnights },
    KeyType { name: "timestamp ns = s", stream: nanoseconds, dimension: seconds },
    KeyType { name: "utf8", stream: strings, dimension: strings },
    KeyType { name: "large utf8 = utf8 view", stream: large_strings, dimension: string_views },
    KeyType { name: "utf8 view = utf8", stream: string_views, dimension: strings },
    KeyType { name: "dictionary = utf8", stream: dictionaries, dimension: strings },
    KeyType { name: "dictionaries", stream: dictionaries, dimension: dictionaries },
    KeyType { name: "binary", stream: binaries, dimension: binaries },
    KeyType { name: "binary = utf8", stream: binaries, dimension: strings },
    KeyType { name: "binary view = binary", stream: binary_views, dimension: binaries },
    KeyType {
        name: "fixed-size binary",
        stream: fixed_size_binaries,
        dimension: fixed_size_binaries,
    },
    KeyType {
        name: "fixed-size binary = binary",
        stream: fixed_size_binaries,
        dimension: fixed_size_as_binaries,
    },
];

/// Booleans have two values only, so the domain is cut down for them.
pub(crate) const BOOLEAN: KeyType =
    KeyType { name: "boolean", stream: booleans, dimension: booleans };
