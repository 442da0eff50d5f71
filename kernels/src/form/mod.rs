//! The forms in which columns are kept: rows of many batches meet in one output,
//! so what differs from batch to batch (dictionaries, runs) is resolved.

mod convert;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Field, FieldRef};

pub use self::convert::convert;
pub(crate) use self::convert::of_indices;
use crate::error::Result;

/// The type of a column by value: without dictionaries and runs, at any depth.
/// Fixed-size binaries of no bytes become binaries, fixed-size lists of no items
/// lists, since Arrow's kernels lose the number of their rows.
///
/// ```
/// use streamjoin_kernels::arrow::datatypes::DataType::{Dictionary, Int8, Utf8};
/// use streamjoin_kernels::form::value_type;
///
/// assert_eq!(value_type(&Dictionary(Box::new(Int8), Box::new(Utf8))), Utf8);
/// ```
#[must_use]
pub fn value_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => value_type(values),
        DataType::RunEndEncoded(_, values) => value_type(values.data_type()),
        DataType::FixedSizeBinary(0) => DataType::Binary,
        DataType::FixedSizeList(item, 0) => DataType::List(of_field(item, value_type)),
        other => with_children(other, value_type),
    }
}

/// The type in which a table keeps a column, and in which a join with a table
/// gives it: a dictionary of texts or binaries stays one, whose indices have at
/// least 32 bits, because it has the values of all batches of the table; all else
/// is kept as [`value_type`] says.
#[must_use]
pub fn table_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(index, values) if is_text(values) => {
            let index = match **index {
                DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16 => {
                    DataType::Int32
                }
                _ => index.as_ref().clone(),
            };
            DataType::Dictionary(Box::new(index), values.clone())
        }
        other => value_type(other),
    }
}

/// The type in which a join with a table passes a column of the stream on: as it
/// is, unless its rows cannot be picked with Arrow's kernels; then by value.
#[must_use]
pub fn stream_type(data_type: &DataType) -> DataType {
    if has(data_type, &|t| {
        matches!(t, DataType::FixedSizeBinary(0) | DataType::FixedSizeList(_, 0))
    }) {
        return value_type(data_type);
    }
    data_type.clone()
}

/// A column by value, in its [`value_type`].
///
/// # Errors
/// Arrow's.
pub fn by_value(column: &ArrayRef) -> Result<ArrayRef> {
    convert(column, &value_type(column.data_type()))
}

/// Whether a type is a union or has one inside: a union has no nulls of its own,
/// so no row of it can say that nothing was found.
pub(crate) fn has_union(data_type: &DataType) -> bool {
    has(data_type, &|t| matches!(t, DataType::Union(..)))
}

/// Whether values are texts or binaries.
pub(crate) fn is_text(data_type: &DataType) -> bool {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    matches!(data_type, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView)
}

/// Whether `what` is true of a type or of one inside it.
fn has(data_type: &DataType, what: &dyn Fn(&DataType) -> bool) -> bool {
    if what(data_type) {
        return true;
    }
    use DataType::*;
    match data_type {
        Dictionary(_, values) => has(values, what),
        RunEndEncoded(_, values) => has(values.data_type(), what),
        List(item) | LargeList(item) | ListView(item) | LargeListView(item) => {
            has(item.data_type(), what)
        }
        FixedSizeList(item, _) | Map(item, _) => has(item.data_type(), what),
        Struct(fields) => fields.iter().any(|field| has(field.data_type(), what)),
        Union(fields, _) => fields.iter().any(|(_, field)| has(field.data_type(), what)),
        _ => false,
    }
}

/// A nested type whose children's types are changed; other types as they are.
pub(crate) fn with_children(data_type: &DataType, to: impl Fn(&DataType) -> DataType) -> DataType {
    use DataType::*;
    let field = |field: &FieldRef| of_field(field, &to);
    match data_type {
        List(item) => List(field(item)),
        LargeList(item) => LargeList(field(item)),
        ListView(item) => ListView(field(item)),
        LargeListView(item) => LargeListView(field(item)),
        FixedSizeList(item, size) => FixedSizeList(field(item), *size),
        Map(entries, sorted) => Map(field(entries), *sorted),
        Struct(fields) => Struct(fields.iter().map(field).collect()),
        Union(fields, mode) => {
            Union(fields.iter().map(|(id, of)| (id, field(of))).collect(), *mode)
        }
        other => other.clone(),
    }
}

fn of_field(field: &FieldRef, to: impl Fn(&DataType) -> DataType) -> FieldRef {
    let data_type = to(field.data_type());
    if data_type == *field.data_type() {
        return Arc::clone(field);
    }
    Arc::new(Field::clone(field).with_data_type(data_type))
}
