//! Recorded values.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Decimal128Type, Float64Type, Int64Type};
use serde_json::{Value, json};

use crate::conform::value::{column, data_type, days};

fn one(type_name: &str, value: Value) -> ArrayRef {
    column(&data_type(type_name).unwrap(), [value].iter()).unwrap()
}

#[test]
fn values_are_read_exactly() {
    let big = one("bigint", json!(9_007_199_254_740_993_i64));
    assert_eq!(big.as_primitive::<Int64Type>().value(0), 9_007_199_254_740_993);
    let zero = one("double", serde_json::from_str("-0.0").unwrap());
    assert!(zero.as_primitive::<Float64Type>().value(0).is_sign_negative());
    assert!(one("double", json!("NaN")).as_primitive::<Float64Type>().value(0).is_nan());
    let decimal = one("decimal(10,2)", json!("-3.5"));
    assert_eq!(decimal.as_primitive::<Decimal128Type>().value(0), -350);
    assert_eq!(one("binary", json!("00FF")).as_binary::<i32>().value(0), [0, 255]);
    assert!(one("string", Value::Null).is_null(0));
    for (text, expected) in
        [("1970-01-01", 0), ("1969-12-31", -1), ("2020-02-29", 18_321), ("0001-01-01", -719_162)]
    {
        assert_eq!(days(text), Some(expected), "{text}");
    }
}

#[test]
fn values_that_do_not_fit_are_refused() {
    for (type_name, value) in [
        ("int", json!(3_000_000_000_i64)),
        ("int", json!("1")),
        ("decimal(10,2)", json!("1.234")),
        ("binary", json!("0")),
        ("date", json!("2020-13-01")),
        ("boolean", json!(1)),
    ] {
        assert!(column(&data_type(type_name).unwrap(), [value].iter()).is_err(), "{type_name}");
    }
    assert!(data_type("map<int,int>").is_err());
}
