//! The JSON of recorded values, by Spark type.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array,
    Int8Array, Int16Array, Int32Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use serde_json::Value;

use super::case::Row;
use streamjoin_datasets::from_hex;

/// The Arrow type of a Spark type name.
///
/// # Errors
/// A name that is not known.
pub(super) fn data_type(name: &str) -> Result<DataType, String> {
    Ok(match name {
        "tinyint" => DataType::Int8,
        "smallint" => DataType::Int16,
        "int" => DataType::Int32,
        "bigint" => DataType::Int64,
        "float" => DataType::Float32,
        "double" => DataType::Float64,
        "boolean" => DataType::Boolean,
        "string" => DataType::Utf8,
        "binary" => DataType::Binary,
        "date" => DataType::Date32,
        "timestamp" => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        "timestamp_ntz" => DataType::Timestamp(TimeUnit::Microsecond, None),
        _ => decimal(name).ok_or_else(|| format!("unknown type `{name}`"))?,
    })
}

/// `decimal(10,2)`.
fn decimal(name: &str) -> Option<DataType> {
    let inside = name.strip_prefix("decimal(")?.strip_suffix(')')?;
    let (precision, scale) = inside.split_once(',')?;
    Some(DataType::Decimal128(precision.trim().parse().ok()?, scale.trim().parse().ok()?))
}

/// The schema of `(name, type)` pairs; every column may be null.
///
/// # Errors
/// An unknown type.
pub(super) fn schema(columns: &[(String, String)]) -> Result<SchemaRef, String> {
    let fields = columns
        .iter()
        .map(|(name, type_name)| Ok(Field::new(name, data_type(type_name)?, true)))
        .collect::<Result<Vec<_>, String>>()?;
    Ok(Arc::new(Schema::new(fields)))
}

/// Rows as a batch of `schema`.
///
/// # Errors
/// The column and value that do not fit.
pub(super) fn batch(schema: &SchemaRef, rows: &[Row]) -> Result<RecordBatch, String> {
    if let Some(row) = rows.iter().find(|row| row.len() != schema.fields().len()) {
        return Err(format!(
            "a row has {} values but the schema {} columns: {row:?}",
            row.len(),
            schema.fields().len()
        ));
    }
    let columns = schema
        .fields()
        .iter()
        .enumerate()
        .map(|(i, field)| {
            column(field.data_type(), rows.iter().map(|row| &row[i]))
                .map_err(|error| format!("column {}: {error}", field.name()))
        })
        .collect::<Result<Vec<_>, String>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options)
        .map_err(|error| error.to_string())
}

/// Values of one type as an array.
///
/// # Errors
/// The value that does not fit.
pub(super) fn column<'a>(
    data_type: &DataType,
    values: impl Iterator<Item = &'a Value>,
) -> Result<ArrayRef, String> {
    fn each<'a, T>(
        values: impl Iterator<Item = &'a Value>,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Vec<Option<T>>, String> {
        values
            .map(|value| match value {
                Value::Null => Ok(None),
                value => read(value).map(Some).ok_or_else(|| format!("cannot read {value}")),
            })
            .collect()
    }
    fn int<T: TryFrom<i64>>(value: &Value) -> Option<T> {
        T::try_from(value.as_i64()?).ok()
    }
    Ok(match data_type {
        DataType::Int8 => Arc::new(Int8Array::from(each(values, int)?)),
        DataType::Int16 => Arc::new(Int16Array::from(each(values, int)?)),
        DataType::Int32 => Arc::new(Int32Array::from(each(values, int)?)),
        DataType::Int64 => Arc::new(Int64Array::from(each(values, Value::as_i64)?)),
        DataType::Float32 => {
            Arc::new(Float32Array::from(each(values, |v| float(v).map(|v| v as f32))?))
        }
        DataType::Float64 => Arc::new(Float64Array::from(each(values, float)?)),
        DataType::Boolean => Arc::new(BooleanArray::from(each(values, Value::as_bool)?)),
        DataType::Utf8 => Arc::new(StringArray::from(each(values, Value::as_str)?)),
        DataType::Binary => {
            let bytes = each(values, |value| value.as_str().and_then(from_hex))?;
            Arc::new(bytes.iter().map(Option::as_deref).collect::<BinaryArray>())
        }
        DataType::Decimal128(precision, scale) => {
            let digits = each(values, |value| value.as_str().and_then(|v| unscaled(v, *scale)))?;
            Arc::new(
                Decimal128Array::from(digits)
                    .with_precision_and_scale(*precision, *scale)
                    .map_err(|error| error.to_string())?,
            )
        }
        DataType::Date32 => {
            Arc::new(Date32Array::from(each(values, |v| v.as_str().and_then(days))?))
        }
        DataType::Timestamp(_, zone) => Arc::new(
            TimestampMicrosecondArray::from(each(values, Value::as_i64)?)
                .with_timezone_opt(zone.clone()),
        ),
        other => return Err(format!("no recorded values of type {other}")),
    })
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        value => value.as_f64(),
    }
}

/// `"1.10"` at scale 2 is 110; digits beyond the scale are refused.
fn unscaled(text: &str, scale: i8) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let scale = usize::try_from(scale).ok()?;
    if fraction.len() > scale || whole.is_empty() {
        return None;
    }
    let joined = format!("{whole}{fraction:0<scale$}");
    joined
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| joined.parse::<i128>().ok())
        .flatten()
        .map(|v| v * sign)
}

/// Days since 1970-01-01 of `YYYY-MM-DD`.
pub(super) fn days(text: &str) -> Option<i32> {
    let mut parts = text.splitn(3, '-');
    let year: i64 = parts.next()?.parse().ok()?;
    let month: i64 = parts.next()?.parse().ok()?;
    let day: i64 = parts.next()?.parse().ok()?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that start in March put the leap day last; 400 of them are an era.
    let march_year = year - i64::from(month <= 2);
    let era = march_year.div_euclid(400);
    let year_of_era = march_year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    i32::try_from(era * 146_097 + day_of_era - 719_468).ok()
}
