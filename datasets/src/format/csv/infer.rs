//! Column types from the first rows of a CSV file.

use std::collections::VecDeque;
use std::path::Path;

use arrow::compute::kernels::cast_utils::{Parser, string_to_datetime};
use arrow::datatypes::{DataType, Date32Type, Field, Schema, TimeUnit};
use chrono::Utc;

use super::Lines;
use crate::error::Result;
use crate::type_text::timestamp_utc;

/// Rows that are looked at.
const ROWS: usize = 1000;

/// Bytes of rows that are looked at, if there are fewer rows.
const BYTES: usize = 32 << 20;

/// Infers bigint, double, boolean, date, timestamp (UTC) or string for each
/// column; a column of empty fields only is a string. The rows are given once
/// more afterwards.
pub(super) fn schema(path: &Path, lines: &mut Lines) -> Result<Schema> {
    let mut guesses: Vec<Option<DataType>> = vec![None; lines.names.len()];
    let mut seen = VecDeque::new();
    let mut bytes = 0;
    let mut failed = None;
    while seen.len() < ROWS && bytes < BYTES {
        let line = match lines.next(path) {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => {
                failed = Some(error);
                break;
            }
        };
        bytes += lines.record.size();
        seen.push_back((lines.record.compact(), lines.arrived));
        for (column, guess) in guesses.iter_mut().enumerate() {
            // A quoted nothing is a text, but also how some write a null.
            if let Some(text) = lines.text(path, line, column)?.filter(|text| !text.is_empty()) {
                let seen = value_type(text);
                *guess = Some(match guess.take() {
                    None => seen,
                    Some(before) => widen(&before, &seen),
                });
            }
        }
    }
    lines.hold(seen, failed)?;
    let fields = lines
        .names
        .iter()
        .zip(guesses)
        .map(|(name, guess)| Field::new(name, guess.unwrap_or(DataType::Utf8), true));
    Ok(Schema::new(fields.collect::<Vec<_>>()))
}

/// The type that a text looks like.
pub(crate) fn value_type(text: &str) -> DataType {
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
pub(crate) fn is_timestamp(text: &str) -> bool {
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
