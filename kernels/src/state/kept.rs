//! The type in which a column is kept in state.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;

use crate::error::Result;

/// The type in which a column is kept, and comes out: rows of many batches meet
/// in one output, whose dictionaries differ, so these are kept by value.
#[must_use]
pub fn kept_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => kept_type(values),
        DataType::RunEndEncoded(_, values) => kept_type(values.data_type()),
        other => other,
    }
}

/// A column in the type in which it is kept.
///
/// # Errors
/// Arrow's.
pub(crate) fn by_value(column: &ArrayRef, kept: &DataType) -> Result<ArrayRef> {
    if column.data_type() == kept {
        return Ok(Arc::clone(column));
    }
    Ok(arrow::compute::cast(column, kept)?)
}
