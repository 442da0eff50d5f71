//! Different rows must have different keys: the packing of columns.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::DataType;

use super::*;
use crate::null_equality::NullEquality::{self, NullMatchesNothing, NullSafe};

fn encode(columns: &[(ArrayRef, NullEquality)]) -> EncodedKeys {
    let types: Vec<_> =
        columns.iter().map(|(array, equality)| (array.data_type().clone(), *equality)).collect();
    let arrays: Vec<ArrayRef> = columns.iter().map(|(array, _)| Arc::clone(array)).collect();
    KeyEncoder::new(&types).unwrap().encode(&arrays, arrays[0].len()).unwrap()
}

fn bytes(keys: &Keys, row: usize) -> Vec<u8> {
    match keys {
        Keys::Words(words) => words[row].to_le_bytes().to_vec(),
        Keys::Wide(words) => words[row].to_le_bytes().to_vec(),
        Keys::Bytes(keys) => keys.get(row).to_vec(),
    }
}

/// All rows differ, so all keys must.
fn all_differ(columns: &[(ArrayRef, NullEquality)], shape: KeyShape) {
    let encoded = encode(columns);
    assert_eq!(encoded.keys.shape(), shape);
    let mut seen = HashMap::new();
    for row in 0..encoded.keys.len() {
        if let Some(other) = seen.insert(bytes(&encoded.keys, row), row) {
            panic!("rows {other} and {row} share a key");
        }
    }
}

#[test]
fn null_is_not_zero_in_a_null_safe_key_of_any_shape() {
    let small: ArrayRef = Arc::new(Int32Array::from(vec![Some(0), None, Some(-1), Some(1)]));
    all_differ(&[(small, NullSafe)], KeyShape::Word);
    let long: ArrayRef = Arc::new(Int64Array::from(vec![Some(0), None, Some(-1), Some(256)]));
    all_differ(&[(long, NullSafe)], KeyShape::Wide);
    let text: ArrayRef =
        Arc::new(StringArray::from(vec![Some(""), None, Some("\0"), Some("\u{1}")]));
    all_differ(&[(text, NullSafe)], KeyShape::Bytes);
}

#[test]
fn columns_do_not_run_into_each_other() {
    let left: ArrayRef = Arc::new(StringArray::from(vec!["a", "ab", "", "abc", "a"]));
    let right: ArrayRef = Arc::new(StringArray::from(vec!["bc", "c", "abc", "", "b"]));
    all_differ(&[(left, NullMatchesNothing), (right, NullMatchesNothing)], KeyShape::Bytes);
    let left: ArrayRef = Arc::new(Int32Array::from(vec![1, 0, -1, 0, -1]));
    let right: ArrayRef = Arc::new(Int32Array::from(vec![0, 1, 0, -1, -1]));
    all_differ(
        &[(Arc::clone(&left), NullMatchesNothing), (Arc::clone(&right), NullMatchesNothing)],
        KeyShape::Word,
    );
    all_differ(&[(left, NullSafe), (right, NullSafe)], KeyShape::Wide);
}

#[test]
fn null_flags_of_two_columns_are_apart() {
    let left: ArrayRef = Arc::new(Int16Array::from(vec![None, Some(0), None, Some(0)]));
    let right: ArrayRef = Arc::new(Int16Array::from(vec![Some(0), None, None, Some(0)]));
    all_differ(&[(left, NullSafe), (right, NullSafe)], KeyShape::Word);
}

#[test]
fn what_is_under_a_null_does_not_count() {
    let hidden = |value| -> ArrayRef {
        let nulls = vec![false].into();
        Arc::new(Int32Array::new(vec![value].into(), Some(nulls)))
    };
    let one = encode(&[(hidden(7), NullSafe)]);
    let other = encode(&[(hidden(8), NullSafe)]);
    assert_eq!(bytes(&one.keys, 0), bytes(&other.keys, 0));
    assert!(one.matchable.is_none());
    let never = encode(&[(hidden(7), NullMatchesNothing)]);
    assert_eq!(never.matchable.map(|rows| rows.value(0)), Some(false));
}

#[test]
fn floats_that_are_equal_have_one_key() {
    let nan = f64::from_bits(0xfff8_0000_dead_beef);
    let values: ArrayRef = Arc::new(Float64Array::from(vec![0.0, -0.0, f64::NAN, nan, 1.0]));
    let keys = encode(&[(values, NullMatchesNothing)]).keys;
    assert_eq!(bytes(&keys, 0), bytes(&keys, 1));
    assert_eq!(bytes(&keys, 2), bytes(&keys, 3));
    assert_ne!(bytes(&keys, 0), bytes(&keys, 4));
}

#[test]
fn plans_and_batches_that_do_not_fit_are_errors() {
    let list =
        DataType::List(Arc::new(arrow::datatypes::Field::new_list_field(DataType::Int8, true)));
    assert!(KeyEncoder::new(&[(list, NullSafe)]).is_err());
    let encoder = KeyEncoder::new(&[(DataType::Int32, NullSafe)]).unwrap();
    let text: ArrayRef = Arc::new(StringArray::from(vec!["1"]));
    assert!(encoder.encode(&[text], 1).is_err());
    assert!(encoder.encode(&[], 1).is_err());
    let number: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    assert!(encoder.encode(&[number], 2).is_err());
}
