//! Strings to values and back.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, PrimitiveArray, StringBuilder,
};
use arrow::compute;
use arrow::datatypes::*;

use super::arrow_casts::{SAFE, arrow_cast};
use super::mode::CastMode;
use super::number_text;
use super::numeric;
use super::temporal;
use super::time_text;
use crate::error::{JoinError, Result};

/// The strings of any string array; the row must be in range.
fn reader<'a>(array: &'a ArrayRef) -> Result<Box<dyn Fn(usize) -> Option<&'a str> + 'a>> {
    macro_rules! read {
        ($strings:expr) => {{
            let strings = $strings;
            Ok(Box::new(move |row| strings.is_valid(row).then(|| strings.value(row))))
        }};
    }
    match array.data_type() {
        DataType::Utf8 => read!(array.as_string::<i32>()),
        DataType::LargeUtf8 => read!(array.as_string::<i64>()),
        DataType::Utf8View => read!(array.as_string_view()),
        other => Err(JoinError::InvalidPlan(format!("{other} is not a string"))),
    }
}

pub(super) fn to_number(array: &ArrayRef, to: &DataType, mode: CastMode) -> Result<ArrayRef> {
    let read = reader(array)?;
    let rows = array.len();
    let fraction = mode == CastMode::NullOnError;
    macro_rules! integers {
        ($($type:ident),+) => {
            match to {
                $(t if *t == $type::DATA_TYPE => collect::<$type>(rows, |row| {
                    number_text::integer(read(row)?, fraction)?.try_into().ok()
                }),)+
                DataType::Float32 => collect::<Float32Type>(rows, |row| number_text::float(read(row)?)),
                DataType::Float16 => {
                    let wide = collect::<Float32Type>(rows, |row| number_text::float(read(row)?))?;
                    arrow_cast(&wide, to)
                }
                DataType::Float64 => collect::<Float64Type>(rows, |row| number_text::float(read(row)?)),
                _ => numeric::decimals(to, rows, |row| read(row).map(str::to_owned)),
            }
        };
    }
    integers!(
        Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type
    )
}

fn collect<T: ArrowPrimitiveType>(
    rows: usize,
    value: impl Fn(usize) -> Option<T::Native>,
) -> Result<ArrayRef> {
    let array: PrimitiveArray<T> = (0..rows).map(value).collect();
    Ok(Arc::new(array))
}

pub(super) fn to_boolean(array: &ArrayRef) -> Result<ArrayRef> {
    let read = reader(array)?;
    let values = (0..array.len()).map(|row| number_text::boolean(read(row)?));
    Ok(Arc::new(values.collect::<BooleanArray>()))
}

pub(super) fn to_time(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let read = reader(array)?;
    match to {
        DataType::Timestamp(unit, _) => temporal::times(to, array.len(), |row| {
            temporal::ticks(time_text::timestamp(read(row)?)?, *unit)
        }),
        _ => temporal::dates(to, array.len(), |row| time_text::date(read(row)?)),
    }
}

/// Numbers, dates and timestamps in Spark's spelling.
pub(super) fn from_value(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let rows = array.len();
    let plain = match array.data_type() {
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>();
            strings(rows, |row| {
                let value = values.is_valid(row).then(|| values.value(row))?;
                Some(number_text::float_text(value, value))
            })
        }
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>();
            strings(rows, |row| {
                let value = values.is_valid(row).then(|| values.value(row))?;
                Some(number_text::float_text(value, f64::from(value)))
            })
        }
        DataType::Date32 | DataType::Date64 => {
            let days = temporal::days(array)?;
            strings(rows, |row| days(row).map(time_text::date_text))
        }
        DataType::Timestamp(..) => {
            let instants = temporal::instants(array)?;
            strings(rows, |row| instants(row).map(time_text::timestamp_text))
        }
        _ => compute::cast_with_options(array, &DataType::Utf8, &SAFE)?,
    };
    if plain.data_type() == to { Ok(plain) } else { arrow_cast(&plain, to) }
}

fn strings(rows: usize, text: impl Fn(usize) -> Option<String>) -> ArrayRef {
    let mut builder = StringBuilder::with_capacity(rows, rows * 8);
    for row in 0..rows {
        builder.append_option(text(row));
    }
    Arc::new(builder.finish())
}
