//! The type in which a column is kept in state.

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;

use crate::error::Result;
use crate::form;

/// The type in which a column is kept, and comes out: rows of many batches meet
/// in one output, whose dictionaries differ, so these are kept by value, inside
/// lists and structures too.
#[must_use]
pub fn kept_type(data_type: &DataType) -> DataType {
    form::value_type(data_type)
}

/// A column in the type in which it is kept.
///
/// # Errors
/// Arrow's.
pub(crate) fn by_value(column: &ArrayRef, kept: &DataType) -> Result<ArrayRef> {
    form::convert(column, kept)
}
