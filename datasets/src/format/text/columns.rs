//! Text turned into columns, and the types that text can hold.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, BinaryBuilder, LargeBinaryBuilder, StringArray, new_null_array,
};
use arrow::compute::{CastOptions, can_cast_types, cast_with_options};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;

use super::time::{self, Bare};
use crate::hex::from_hex;

/// A text column as `to`; `Err(row)` is the first row whose text is not a value
/// of that type. Binary is written in hexadecimal; `bare` says what numbers are among
/// timestamps.
pub(crate) fn parse_column(
    text: &StringArray,
    to: &DataType,
    bare: Bare,
) -> Result<Result<ArrayRef, usize>, ArrowError> {
    let parsed: ArrayRef = match to {
        DataType::Utf8 => return Ok(Ok(Arc::new(text.clone()))),
        DataType::Null => new_null_array(to, text.len()),
        DataType::Dictionary(_, values) => match parse_column(text, values, bare)? {
            Ok(values) => cast_with_options(&values, to, &strict())?,
            bad => return Ok(bad),
        },
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            let bytes = match hex_column(text) {
                Ok(bytes) => bytes,
                Err(row) => return Ok(Err(row)),
            };
            if to == &DataType::LargeBinary {
                let mut large = LargeBinaryBuilder::new();
                bytes.iter().for_each(|value| large.append_option(value));
                Arc::new(large.finish())
            } else {
                cast_with_options(&bytes, to, &strict())?
            }
        }
        DataType::FixedSizeBinary(width) => {
            let bytes = match hex_column(text) {
                Ok(bytes) => bytes,
                Err(row) => return Ok(Err(row)),
            };
            let width = *width as usize;
            if let Some(row) = bytes.iter().position(|v| v.is_some_and(|v| v.len() != width)) {
                return Ok(Err(row));
            }
            cast_with_options(&bytes, to, &strict())?
        }
        DataType::Timestamp(unit, zone) => time::parse(text, to, (*unit, zone.as_deref()), bare)?,
        // Beyond arrow's cast: it would round a longer fraction silently, as Spark
        // does.
        _ => cast_with_options(text, to, &CastOptions { safe: true, ..Default::default() })?,
    };
    let lost = (0..text.len()).find(|&row| parsed.is_null(row) && !text.is_null(row));
    Ok(lost.map_or(Ok(parsed), Err))
}

/// Whole numbers as JSON writes them as an integer column, `1e3` and `2.0`
/// included; `Err(row)` is the first row whose text is not one.
pub(in crate::format) fn parse_whole_numbers(
    text: &StringArray,
    to: &DataType,
) -> Result<Result<ArrayRef, usize>, ArrowError> {
    let row = match parse_column(text, to, Bare::Text)? {
        Ok(column) => return Ok(Ok(column)),
        Err(row) => row,
    };
    if whole(text.value(row)).is_none() {
        return Ok(Err(row));
    }
    let plain =
        text.iter().map(|value| value.map(|value| whole(value).unwrap_or(Cow::Borrowed(value))));
    parse_column(&StringArray::from_iter(plain), to, Bare::Text)
}

/// The digits of a whole number that is written with a fraction or an exponent.
fn whole(text: &str) -> Option<Cow<'_, str>> {
    let value: f64 = text.parse().ok()?;
    let exact = value.fract() == 0.0 && value.abs() <= EXACT && text.contains(['.', 'e', 'E']);
    exact.then(|| Cow::Owned(format!("{value:.0}")))
}

/// Up to here every whole number is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether [`parse_column`] can parse this type.
pub(in crate::format) fn can_parse(to: &DataType) -> bool {
    match to {
        DataType::Null
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => true,
        // Arrow reads no text as a number of whole hundreds.
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale)
            if *scale < 0 =>
        {
            false
        }
        DataType::Dictionary(_, values) => !values.is_nested() && can_parse(values),
        _ => !to.is_nested() && can_cast_types(&DataType::Utf8, to),
    }
}

/// Whether the empty text is a value of this type.
pub(in crate::format) fn holds_empty_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => holds_empty_text(values),
        other => other.is_string() || other.is_binary(),
    }
}

fn strict() -> CastOptions<'static> {
    CastOptions { safe: false, ..Default::default() }
}

fn hex_column(text: &StringArray) -> Result<BinaryArray, usize> {
    let mut bytes = BinaryBuilder::new();
    for (row, value) in text.iter().enumerate() {
        match value {
            None => bytes.append_null(),
            Some(value) => bytes.append_value(from_hex(value).ok_or(row)?),
        }
    }
    Ok(bytes.finish())
}
