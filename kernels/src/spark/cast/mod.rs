//! Spark's `CAST`, array by array.
//!
//! Every conversion is written once, giving null where a value does not fit;
//! [`CastMode`] decides at the end whether such a null stays or is an error.

mod number_text;
mod numeric;
mod temporal;
mod text;
mod time_text;

use arrow::array::{Array, ArrayRef, AsArray, new_null_array};
use arrow::compute::{self, CastOptions};
use arrow::datatypes::DataType;
use arrow::util::display::array_value_to_string;

use super::coercion::{is_binary, is_string};
use crate::error::{JoinError, Result};

#[cfg(test)]
mod tests;

/// What a cast does with a value that its target type cannot hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CastMode {
    /// Spark's ANSI mode, its default: malformed text and overflow are errors.
    #[default]
    Ansi,
    /// `TRY_CAST`: reads text as ANSI mode does, but gives null for what fails.
    Try,
    /// ANSI mode off: null for malformed text, and text such as `1.5` is cut
    /// to an integer. Overflow gives null too, where Spark wraps around.
    NullOnError,
}

/// Arrow's own casts, told to give null for what fails.
const SAFE: CastOptions<'_> =
    CastOptions { safe: true, format_options: arrow::util::display::FormatOptions::new() };

/// What a type is for casts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Null,
    Boolean,
    Number,
    Date,
    Timestamp,
    String,
    Binary,
    /// Times of day, durations: only as text.
    Printable,
    Other,
}

fn kind(data_type: &DataType) -> Kind {
    use DataType::*;
    match data_type {
        Null => Kind::Null,
        Boolean => Kind::Boolean,
        Date32 | Date64 => Kind::Date,
        Timestamp(..) => Kind::Timestamp,
        Time32(_) | Time64(_) | Duration(_) => Kind::Printable,
        other if other.is_numeric() => Kind::Number,
        other if is_string(other) => Kind::String,
        other if is_binary(other) => Kind::Binary,
        _ => Kind::Other,
    }
}

/// Whether Spark casts `from` to `to` at all; dictionaries count as their
/// values and are no target.
pub fn can_cast(from: &DataType, to: &DataType) -> bool {
    if let DataType::Dictionary(_, value) = from {
        return can_cast(value, to);
    }
    use Kind::*;
    match (kind(from), kind(to)) {
        _ if from == to => true,
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
/// that does not have the form its target needs and [`JoinError::Overflow`]
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

/// Arrow's cast, through plain binary for pairs of views that it lacks.
fn arrow_cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if compute::can_cast_types(array.data_type(), to) {
        return Ok(compute::cast_with_options(array, to, &SAFE)?);
    }
    let via =
        if kind(array.data_type()) == Kind::String { DataType::Utf8 } else { DataType::Binary };
    let plain = compute::cast_with_options(array, &via, &SAFE)?;
    Ok(compute::cast_with_options(&plain, to, &SAFE)?)
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
        JoinError::Overflow(format!(
            "the value {value} of type {from} (row {row} of the batch) does not fit {to}; cast to a wider type, use try_cast, or switch ANSI mode off to get null"
        ))
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
