//! The types that texts look like.

use std::sync::Arc;

use arrow::compute::kernels::cast_utils::{Parser, string_to_datetime};
use arrow::datatypes::{DataType, Date32Type, Field, FieldRef, Schema, TimeUnit};
use chrono::{DateTime, Utc};

use crate::type_text::timestamp_utc;

/// Most digits of a decimal.
const DECIMAL_DIGITS: usize = 38;
/// Digits of the largest bigint, and one more, as Spark has it.
const BIGINT_DIGITS: u8 = 20;

/// The type that a text looks like. While types are guessed, a timestamp beyond those that
/// nanoseconds can count is one in seconds: see [`widen`] and [`settled`].
pub(in crate::format) fn value_type(text: &str) -> DataType {
    if text.parse::<i64>().is_ok() {
        return DataType::Int64;
    }
    if let Some(digits) = whole_digits(text) {
        // A double would make different ids equal.
        return match u8::try_from(digits).ok().filter(|_| digits <= DECIMAL_DIGITS) {
            Some(digits) => DataType::Decimal128(digits, 0),
            None => DataType::Utf8,
        };
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
    if let Some(time) = timestamp(text) {
        let unit = match text.rsplit_once('.') {
            _ if time.timestamp_nanos_opt().is_none() => TimeUnit::Second,
            Some((_, rest)) if rest.bytes().take_while(u8::is_ascii_digit).count() > 6 => {
                TimeUnit::Nanosecond
            }
            _ => TimeUnit::Microsecond,
        };
        return DataType::Timestamp(unit, Some("UTC".into()));
    }
    DataType::Utf8
}

/// Digits of a whole number without its leading zeros, if the text is one.
fn whole_digits(text: &str) -> Option<usize> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    is_whole.then(|| digits.trim_start_matches('0').len().max(1))
}

/// A date and a time of day, with or without a zone.
pub(in crate::format) fn is_timestamp(text: &str) -> bool {
    timestamp(text).is_some()
}

fn timestamp(text: &str) -> Option<DateTime<Utc>> {
    let may_be = text.len() >= 16 && text.contains(':');
    may_be.then(|| string_to_datetime(&Utc, text).ok()).flatten()
}

/// Digits make a number: `nan`, `inf` and `infinity` may as well be names.
fn is_number(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

/// The narrowest type that holds both. Whole numbers and doubles are doubles, as in
/// Spark; nanoseconds and times beyond their range are microseconds.
pub(crate) fn widen(a: &DataType, b: &DataType) -> DataType {
    use DataType::{Date32, Decimal128, Float64, Int64, Null, Timestamp, Utf8};
    use TimeUnit::{Microsecond, Second};
    match (a, b) {
        (a, b) if a == b => a.clone(),
        (Null, other) | (other, Null) => other.clone(),
        (Int64 | Decimal128(..), Float64) | (Float64, Int64 | Decimal128(..)) => Float64,
        (Int64, Decimal128(digits, 0)) | (Decimal128(digits, 0), Int64) => {
            Decimal128((*digits).max(BIGINT_DIGITS), 0)
        }
        (Decimal128(a, 0), Decimal128(b, 0)) => Decimal128(*a.max(b), 0),
        (Timestamp(Second, _), time @ Timestamp(..))
        | (time @ Timestamp(..), Timestamp(Second, _)) => match time {
            Timestamp(_, zone) => Timestamp(Second, zone.clone()),
            other => other.clone(),
        },
        (Timestamp(Microsecond, _), time @ Timestamp(..))
        | (time @ Timestamp(..), Timestamp(Microsecond, _)) => time.clone(),
        (time @ Timestamp(..), Date32) | (Date32, time @ Timestamp(..)) => time.clone(),
        _ => Utf8,
    }
}

/// A guess as the type of a column: microseconds where nanoseconds do not reach, and text
/// where no row has a value.
pub(crate) fn settled(guess: &DataType) -> DataType {
    let field = |field: &FieldRef| -> FieldRef {
        Arc::new(field.as_ref().clone().with_data_type(settled(field.data_type())))
    };
    match guess {
        DataType::Null => DataType::Utf8,
        DataType::Timestamp(TimeUnit::Second, _) => timestamp_utc(),
        DataType::List(item) => DataType::List(field(item)),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        other => other.clone(),
    }
}

/// [`settled`], for each column.
pub(crate) fn settled_schema(guessed: &Schema) -> Schema {
    let fields = guessed.fields().iter();
    let fields =
        fields.map(|field| field.as_ref().clone().with_data_type(settled(field.data_type())));
    Schema::new_with_metadata(fields.collect::<Vec<Field>>(), guessed.metadata().clone())
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
            ("9223372036854775808", DataType::Decimal128(19, 0)),
            ("-00018446744073709551616", DataType::Decimal128(20, 0)),
            ("99999999999999999999999999999999999999", DataType::Decimal128(38, 0)),
            ("100000000000000000000000000000000000000", DataType::Utf8),
            ("9999-12-31 23:59:59", DataType::Timestamp(TimeUnit::Second, Some("UTC".into()))),
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

    /// The types that Spark 4.3 infers of the same numbers in CSV and JSON lines; but for
    /// the last, which it reads as doubles.
    #[test]
    fn whole_numbers_widen_as_in_spark() {
        for (texts, expected) in [
            (&["9223372036854775807", "9223372036854775808"][..], DataType::Decimal128(20, 0)),
            (&["1", "18446744073709551615"], DataType::Decimal128(20, 0)),
            (&["-9223372036854775809"], DataType::Decimal128(19, 0)),
            (&["1.5", "9223372036854775808"], DataType::Float64),
            (&["9223372036854775808", "1e3"], DataType::Float64),
            (&["1", "99999999999999999999999999999999999999"], DataType::Decimal128(38, 0)),
            (&["1", "999999999999999999999999999999999999999"], DataType::Utf8),
        ] {
            let types = texts.iter().map(|text| value_type(text));
            let found = types.reduce(|a, b| widen(&a, &b)).unwrap();
            assert_eq!(found, expected, "{texts:?}");
        }
    }

    #[test]
    fn nanoseconds_only_where_they_reach() {
        let (short, exact, far) =
            ("2024-02-29 12:00:00", "2024-02-29 12:00:00.123456789", "9999-12-31 23:59:59");
        let nanos = DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into()));
        for (texts, expected) in [
            (&[short, exact][..], nanos.clone()),
            (&[exact, short], nanos),
            (&[exact, far], timestamp_utc()),
            (&[far, exact, short], timestamp_utc()),
            (&[short, far], timestamp_utc()),
            (&["2024-02-29", far], timestamp_utc()),
        ] {
            let types = texts.iter().map(|text| value_type(text));
            let found = types.reduce(|a, b| widen(&a, &b)).unwrap();
            assert_eq!(settled(&found), expected, "{texts:?}");
        }
    }
}
