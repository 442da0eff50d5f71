//! Spark's `CAST`, array by array.
//!
//! Every conversion is written once and yields null where a value does not fit;
//! [`CastMode`] then decides whether such a null remains or is an error.

mod arrow_casts;
mod mode;
mod number_text;
mod numeric;
mod temporal;
mod text;
mod time_text;

use arrow::array::{Array, ArrayRef, AsArray, new_null_array};
use arrow::compute;
use arrow::datatypes::DataType;
use arrow::util::display::array_value_to_string;

use self::arrow_casts::{Kind, SAFE, arrow_cast, kind};
pub use self::mode::CastMode;

use crate::error::{JoinError, Result};
use crate::form::by_value;

#[cfg(test)]
mod tests;

/// Whether Spark casts `from` to `to` at all; dictionaries and run-end encoded
/// columns count as their values and cannot be targets.
pub fn can_cast(from: &DataType, to: &DataType) -> bool {
    match from {
        _ if from == to => return true,
        DataType::Dictionary(_, value) => return can_cast(value, to),
        DataType::RunEndEncoded(_, values) => return can_cast(values.data_type(), to),
        _ => {}
    }
    use Kind::*;
    match (kind(from), kind(to)) {
        (_, Other) => false,
        (Null, _) => true,
        (Boolean, Boolean | Number | String) => true,
        (Number, Boolean | Number | Timestamp | String) => true,
        (Date, Date | Timestamp | String) => true,
        (Timestamp, Number | Date | Timestamp | String) => true,
        (String, Boolean | Number | Date | Timestamp | String) => true,
        (String | Binary, Binary) => !matches!(to, DataType::FixedSizeBinary(_)),
        (Binary, String) => true,
        (Printable, String) => true,
        (Printable, Printable) => compute::can_cast_types(from, to),
        _ => false,
    }
}

/// Casts `array` to `to` with Spark's meaning.
///
/// A null stays null. Dictionaries are cast by value, and only the values that
/// rows use can fail. Times without a zone are taken as UTC. Timestamps become
/// numbers as seconds since 1970 and back. Fractions are cut for integers and
/// rounded half up for decimals.
///
/// # Errors
/// In [`CastMode::Ansi`], [`JoinError::MalformedValue`] for text (or bytes)
/// that does not have the form its target needs and [`JoinError::OutOfRange`]
/// for numbers and times out of range, both with the row; in every mode
/// [`JoinError::InvalidPlan`] for a pair that [`can_cast`] denies.
pub fn cast(array: &ArrayRef, to: &DataType, mode: CastMode) -> Result<ArrayRef> {
    let from = array.data_type();
    if from == to {
        return Ok(array.clone());
    }
    if let DataType::Dictionary(_, _) = from {
        return cast_dictionary(array, to, mode);
    }
    if let DataType::RunEndEncoded(..) = from {
        return cast(&by_value(array)?, to, mode);
    }
    let seconds_of_date = kind(from) == Kind::Date && matches!(to, DataType::Decimal128(38, 9));
    if !can_cast(from, to) && !seconds_of_date {
        return Err(JoinError::InvalidPlan(format!(
            "a value of type {from} cannot be cast to {to}"
        )));
    }
    let result = convert(array, to, mode)?;
    if mode == CastMode::Ansi && result.null_count() > array.logical_null_count() {
        return Err(failure(array, &result, to));
    }
    Ok(result)
}

fn convert(array: &ArrayRef, to: &DataType, mode: CastMode) -> Result<ArrayRef> {
    use Kind::*;
    let from = array.data_type();
    match (kind(from), kind(to)) {
        (Null, _) => Ok(new_null_array(to, array.len())),
        (Number, Number) => numeric::number_to_number(array, to),
        (String, Number) => text::to_number(array, to, mode),
        (String, Boolean) => text::to_boolean(array),
        (String, Date | Timestamp) => text::to_time(array, to),
        (Number | Date | Timestamp, String) => text::from_value(array, to),
        (Number, Boolean) if from.is_decimal() => numeric::decimal_to_boolean(array),
        (Boolean, Number) if to.is_decimal() => {
            let ints = compute::cast_with_options(array, &DataType::Int8, &SAFE)?;
            numeric::number_to_number(&ints, to)
        }
        (Date | Timestamp, Date | Timestamp) => temporal::time_to_time(array, to),
        (Date | Timestamp, Number) => temporal::time_to_number(array, to),
        (Number, Timestamp) => temporal::number_to_time(array, to),
        _ => arrow_cast(array, to),
    }
}

/// Casts the distinct values, then spreads them over the rows.
fn cast_dictionary(array: &ArrayRef, to: &DataType, mode: CastMode) -> Result<ArrayRef> {
    let dictionary = array.as_any_dictionary();
    // A value that no row uses must not fail the batch.
    let quiet = match mode {
        CastMode::Ansi => CastMode::Try,
        other => other,
    };
    let values = cast(dictionary.values(), to, quiet)?;
    let result = compute::take(&values, dictionary.keys(), None)?;
    if mode == CastMode::Ansi && result.null_count() > array.logical_null_count() {
        let plain = compute::take(dictionary.values(), dictionary.keys(), None)?;
        return Err(failure(&plain, &result, to));
    }
    Ok(result)
}

/// The error for the first value that became null.
fn failure(array: &ArrayRef, result: &ArrayRef, to: &DataType) -> JoinError {
    let lost = |row: &usize| array.is_valid(*row) && result.is_null(*row);
    let row = (0..array.len()).find(lost).unwrap_or(0);
    let value = array_value_to_string(array, row).unwrap_or_else(|e| e.to_string());
    let value = shorten(value);
    let from = array.data_type();
    if matches!(kind(from), Kind::String | Kind::Binary) {
        JoinError::MalformedValue { value, from: from.clone(), to: to.clone(), row }
    } else {
        JoinError::OutOfRange { value, from: from.clone(), to: to.clone(), row }
    }
}

/// Keeps messages readable whatever the data holds.
fn shorten(value: String) -> String {
    const LIMIT: usize = 60;
    match value.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value,
    }
}
