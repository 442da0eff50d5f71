//! Columns from one form to another with the same values.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayData, ArrayRef, AsArray, BooleanArray, RunArray, StructArray, UInt32Array,
    make_array, new_empty_array,
};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow::compute::{CastOptions, cast_with_options, take};
use arrow::datatypes::{DataType, Fields, Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow::error::ArrowError;

use crate::error::Result;

/// A column in another form of its type, with the same values: dictionaries with
/// wider indices, dictionaries and runs by value, at any depth, and what has no bytes as something that Arrow's kernels count (a
/// fixed-size binary as a binary, a fixed-size list as a list, a structure
/// without fields as a boolean, and that one back).
///
/// # Errors
/// Arrow's; another error for types of other values.
pub fn convert(column: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let from = column.data_type();
    if from == to {
        return Ok(Arc::clone(column));
    }
    match (from, to) {
        (DataType::Dictionary(_, values), DataType::Dictionary(index, to)) if values == to => {
            let dictionary = column.as_any_dictionary();
            of_indices(dictionary.keys(), index, dictionary.values())
        }
        (DataType::Dictionary(..), _) => {
            let dictionary = column.as_any_dictionary();
            let values = convert(dictionary.values(), to)?;
            Ok(take(&values, dictionary.keys(), None)?)
        }
        (DataType::RunEndEncoded(ends, _), _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(column, to),
            DataType::Int32 => runs::<Int32Type>(column, to),
            _ => runs::<Int64Type>(column, to),
        },
        (DataType::FixedSizeBinary(0), DataType::Binary) => {
            let builder = without_items(column, to).add_buffer(Buffer::default());
            Ok(make_array(builder.build()?))
        }
        (DataType::FixedSizeList(_, 0), DataType::List(item)) => {
            let items = new_empty_array(item.data_type());
            let builder = without_items(column, to).add_child_data(items.to_data());
            Ok(make_array(builder.build()?))
        }
        (DataType::Struct(fields), DataType::Boolean) if fields.is_empty() => {
            let values = BooleanBuffer::new_set(column.len());
            Ok(Arc::new(BooleanArray::new(values, column.nulls().cloned())))
        }
        (DataType::Boolean, DataType::Struct(fields)) if fields.is_empty() => {
            Ok(Arc::new(StructArray::new_empty_fields(column.len(), column.nulls().cloned())))
        }
        (DataType::Struct(_), DataType::Struct(fields)) => structure(column, fields),
        _ => children(column, to),
    }
}

/// Lists or binaries without items, as many as the column has rows.
fn without_items(column: &ArrayRef, to: &DataType) -> arrow::array::ArrayDataBuilder {
    let offsets = Buffer::from_vec(vec![0i32; column.len() + 1]);
    let builder = ArrayData::builder(to.clone()).len(column.len());
    builder.nulls(column.nulls().cloned()).add_buffer(offsets)
}

fn runs<R: RunEndIndexType>(column: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let run = column.as_any().downcast_ref::<RunArray<R>>();
    let run = run.ok_or_else(|| another(column.data_type(), to))?;
    let values = convert(run.values(), to)?;
    let at = (0..run.len()).map(|row| run.get_physical_index(row) as u32);
    Ok(take(&values, &UInt32Array::from_iter_values(at), None)?)
}

fn structure(column: &ArrayRef, fields: &Fields) -> Result<ArrayRef> {
    let of = column.as_struct();
    let columns = of.columns().iter().zip(fields);
    let columns = columns.map(|(column, field)| convert(column, field.data_type()));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let nulls: Option<NullBuffer> = of.nulls().cloned();
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, of.len())?))
}

/// The same list, map or union of converted children.
fn children(column: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let data = column.to_data();
    let types: Vec<&DataType> = match (data.data_type(), to) {
        (DataType::List(_), DataType::List(item))
        | (DataType::LargeList(_), DataType::LargeList(item))
        | (DataType::ListView(_), DataType::ListView(item))
        | (DataType::LargeListView(_), DataType::LargeListView(item))
        | (DataType::FixedSizeList(..), DataType::FixedSizeList(item, _))
        | (DataType::Map(..), DataType::Map(item, _)) => vec![item.data_type()],
        (DataType::Union(..), DataType::Union(fields, _)) => {
            fields.iter().map(|(_, field)| field.data_type()).collect()
        }
        (from, to) => return Err(another(from, to).into()),
    };
    let children = data
        .child_data()
        .iter()
        .zip(types)
        .map(|(child, to)| Ok(convert(&make_array(child.clone()), to)?.to_data()));
    let children = children.collect::<Result<Vec<_>>>()?;
    let data = data.into_builder().data_type(to.clone()).child_data(children).build()?;
    Ok(make_array(data))
}

/// A dictionary of these indices, made indices of type `index`.
///
/// # Errors
/// Arrow's, where the type has too few numbers.
pub(crate) fn of_indices(
    keys: &dyn Array,
    index: &DataType,
    values: &dyn Array,
) -> Result<ArrayRef> {
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let keys = cast_with_options(keys, index, &strict)?;
    let of = Box::new(values.data_type().clone());
    let data = keys.to_data().into_builder();
    let data = data.data_type(DataType::Dictionary(Box::new(index.clone()), of));
    Ok(make_array(data.add_child_data(values.to_data()).build()?))
}

fn another(from: &DataType, to: &DataType) -> ArrowError {
    ArrowError::CastError(format!("{to} is not another form of {from}"))
}
