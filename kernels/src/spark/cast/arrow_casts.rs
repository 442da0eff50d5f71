//! Arrow's own casts, and the kinds of types that they and Spark's differ in.

use arrow::array::{Array, ArrayRef};
use arrow::compute::{self, CastOptions};
use arrow::datatypes::DataType;

use crate::error::Result;
use crate::spark::types::{is_binary, is_string};

/// Options of Arrow's own casts: null for what fails.
pub(super) const SAFE: CastOptions<'_> =
    CastOptions { safe: true, format_options: arrow::util::display::FormatOptions::new() };

/// What a type is for casts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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

pub(super) fn kind(data_type: &DataType) -> Kind {
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

/// Arrow's cast, through plain binary for pairs of views that it lacks.
pub(super) fn arrow_cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if compute::can_cast_types(array.data_type(), to) {
        return Ok(compute::cast_with_options(array, to, &SAFE)?);
    }
    let via =
        if kind(array.data_type()) == Kind::String { DataType::Utf8 } else { DataType::Binary };
    let plain = compute::cast_with_options(array, &via, &SAFE)?;
    Ok(compute::cast_with_options(&plain, to, &SAFE)?)
}
