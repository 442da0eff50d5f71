//! Column types as text, in Spark's names; Arrow types without a Spark name
//! keep Arrow's.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};

use crate::error::{DatasetError, Result};
use crate::nearest::nearest;

const NAMES: [(&str, DataType); 17] = [
    ("boolean", DataType::Boolean),
    ("tinyint", DataType::Int8),
    ("smallint", DataType::Int16),
    ("int", DataType::Int32),
    ("bigint", DataType::Int64),
    ("float", DataType::Float32),
    ("double", DataType::Float64),
    ("string", DataType::Utf8),
    ("binary", DataType::Binary),
    ("date", DataType::Date32),
    ("timestamp_ntz", DataType::Timestamp(TimeUnit::Microsecond, None)),
    ("byte", DataType::Int8),
    ("short", DataType::Int16),
    ("integer", DataType::Int32),
    ("long", DataType::Int64),
    ("real", DataType::Float32),
    ("bool", DataType::Boolean),
];

/// `timestamp`: microseconds, UTC.
#[must_use]
pub fn timestamp_utc() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some(Arc::from("UTC")))
}

/// The type that a name such as `bigint`, `decimal(10,2)` or `timestamp` means.
/// `timestamp` is in microseconds and UTC; Arrow's own spelling
/// (`Timestamp(ms, "Europe/Paris")`, `Dictionary(Int32, Utf8)`) works too.
///
/// # Errors
/// A name that is not known.
pub fn parse_type(text: &str) -> Result<DataType> {
    let name = text.trim().to_lowercase();
    if name == "timestamp" {
        return Ok(timestamp_utc());
    }
    if let Some((_, data_type)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Ok(data_type.clone());
    }
    if let Some(decimal) = parse_decimal(&name) {
        return Ok(decimal);
    }
    text.trim().parse::<DataType>().map_err(|_| DatasetError::UnknownType {
        text: text.to_owned(),
        hint: nearest(&name, NAMES.iter().map(|(known, _)| *known).chain(["timestamp", "decimal"])),
    })
}

fn parse_decimal(name: &str) -> Option<DataType> {
    let rest = name.strip_prefix("decimal")?.trim();
    if rest.is_empty() {
        return Some(DataType::Decimal128(10, 0));
    }
    let inner = rest.strip_prefix('(')?.strip_suffix(')')?;
    let (precision, scale) = inner.split_once(',').unwrap_or((inner, "0"));
    let precision: u8 = precision.trim().parse().ok()?;
    let scale: i8 = scale.trim().parse().ok()?;
    let valid = (1..=38).contains(&precision) && (0..=precision as i8).contains(&scale);
    valid.then_some(DataType::Decimal128(precision, scale))
}

/// The name of a type, as [`parse_type`] reads it.
#[must_use]
pub fn type_text(data_type: &DataType) -> String {
    if *data_type == timestamp_utc() {
        return "timestamp".to_owned();
    }
    if let DataType::Decimal128(precision, scale) = data_type {
        return format!("decimal({precision},{scale})");
    }
    match NAMES.iter().find(|(_, known)| known == data_type) {
        Some((name, _)) => (*name).to_owned(),
        None => data_type.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for (name, data_type) in &NAMES {
            assert_eq!(parse_type(name).unwrap(), *data_type);
            assert_eq!(parse_type(&type_text(data_type)).unwrap(), *data_type);
        }
        for odd in [
            timestamp_utc(),
            DataType::Decimal128(38, 38),
            DataType::Timestamp(TimeUnit::Second, Some(Arc::from("+02:00"))),
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            DataType::Utf8View,
        ] {
            assert_eq!(parse_type(&type_text(&odd)).unwrap(), odd);
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest() {
        let error = parse_type("bigint8").unwrap_err().to_string();
        assert!(error.contains("did you mean `bigint`?"), "{error}");
        assert!(parse_type("decimal(39,0)").is_err());
        assert!(parse_type("decimal(3,4)").is_err());
    }
}
