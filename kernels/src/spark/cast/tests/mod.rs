//! Tests of casts, by kind; helpers here.

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::DataType::*;
use arrow::datatypes::TimeUnit::*;
use arrow::datatypes::*;

use super::CastMode::*;
use super::*;

mod any;
mod numbers;
mod text;
mod times;

fn strings(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn us() -> DataType {
    Timestamp(Microsecond, Some("UTC".into()))
}

/// The one value of `text` cast to `to`, written as Spark writes it.
fn one(text: &str, to: &DataType, mode: CastMode) -> Option<String> {
    shown(&strings(&[text]), to, mode)
}

fn shown(array: &ArrayRef, to: &DataType, mode: CastMode) -> Option<String> {
    let cast_to = cast(array, to, mode).unwrap();
    assert_eq!(cast_to.data_type(), to);
    let text = cast(&cast_to, &Utf8, Ansi).unwrap();
    let text = text.as_string::<i32>();
    text.is_valid(0).then(|| text.value(0).to_owned())
}

/// Malformed for ANSI mode, null for the other two.
fn malformed(text: &str, to: &DataType) {
    let error = cast(&strings(&["0", text]), to, Ansi);
    match error {
        Err(JoinError::MalformedValue { value, row, .. }) => {
            // The neighbour is right for numbers, itself malformed for times.
            assert!(value == shorten(text.into()) && row == 1 || value == "0" && row == 0);
        }
        other => panic!("'{text}' as {to}: {other:?}"),
    }
    assert_eq!(one(text, to, Try), None, "'{text}' as {to}");
    assert_eq!(one(text, to, NullOnError), None, "'{text}' as {to}");
}

fn reads(text: &str, to: &DataType, expected: &str) {
    for mode in [Ansi, Try, NullOnError] {
        let found = one(text, to, mode);
        assert_eq!(found.as_deref(), Some(expected), "'{text}' as {to}, {mode:?}");
    }
}
