//! The types that texts look like.

use arrow::compute::kernels::cast_utils::{Parser, string_to_datetime};
use arrow::datatypes::{DataType, Date32Type, TimeUnit};
use chrono::Utc;

use crate::type_text::timestamp_utc;

/// The type that a text looks like.
pub(in crate::format) fn value_type(text: &str) -> DataType {
    if text.parse::<i64>().is_ok() {
        return DataType::Int64;
    }
    if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
        return DataType::Boolean;
    }
    if is_number(text) {
        return DataType::Float64;
    }
    if text.len() == 10 && Date32Type::parse(text).is_some() {
        return DataType::Date32;
    }
    if is_timestamp(text) {
        return match text.rsplit_once('.') {
            Some((_, rest)) if rest.bytes().take_while(u8::is_ascii_digit).count() > 6 => {
                DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into()))
            }
            _ => timestamp_utc(),
        };
    }
    DataType::Utf8
}

/// A date and a time of day, with or without a zone.
pub(in crate::format) fn is_timestamp(text: &str) -> bool {
    text.len() >= 16 && text.contains(':') && string_to_datetime(&Utc, text).is_ok()
}

/// Digits make a number: `nan`, `inf` and `infinity` may as well be names.
fn is_number(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

/// The narrowest type that holds both.
pub(crate) fn widen(a: &DataType, b: &DataType) -> DataType {
    use DataType::{Date32, Float64, Int64, Null, Timestamp, Utf8};
    match (a, b) {
        (a, b) if a == b => a.clone(),
        (Null, other) | (other, Null) => other.clone(),
        (Int64, Float64) | (Float64, Int64) => Float64,
        (Timestamp(TimeUnit::Nanosecond, zone), Timestamp(..))
        | (Timestamp(..), Timestamp(TimeUnit::Nanosecond, zone)) => {
            Timestamp(TimeUnit::Nanosecond, zone.clone())
        }
        (time @ Timestamp(..), Date32) | (Date32, time @ Timestamp(..)) => time.clone(),
        _ => Utf8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_tell_their_types() {
        let timestamp = timestamp_utc();
        for (text, expected) in [
            ("0", DataType::Int64),
            ("-9223372036854775808", DataType::Int64),
            ("9223372036854775808", DataType::Float64),
            ("1e3", DataType::Float64),
            (".5", DataType::Float64),
            ("nan", DataType::Utf8),
            ("TRUE", DataType::Boolean),
            ("2024-02-29", DataType::Date32),
            ("2023-02-29", DataType::Utf8),
            ("2024-02-29 12:00:00", timestamp.clone()),
            ("2024-02-29T12:00:00.123456Z", timestamp.clone()),
            ("2024-02-29T12:00:00+02:00", timestamp),
            ("12:00", DataType::Utf8),
            ("N14228", DataType::Utf8),
        ] {
            assert_eq!(value_type(text), expected, "{text}");
        }
    }
}
