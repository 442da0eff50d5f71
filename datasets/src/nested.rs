//! Columns in another type, at any depth.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait,
    StructArray, new_null_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, FieldRef, Fields};
use arrow::error::ArrowError;

use crate::column_name::matching;

/// A value that is not one of its type: the row of the column in which it stands, the
/// value as text, and its type.
#[derive(Debug)]
pub(crate) struct Unfit {
    pub(crate) row: usize,
    pub(crate) value: String,
    pub(crate) data_type: DataType,
}

/// A column in its type, or the first value that does not fit.
pub(crate) type Converted = Result<Result<ArrayRef, Unfit>, ArrowError>;

/// Converts columns that are not nested.
pub(crate) type Leaf<'l> = &'l dyn Fn(&ArrayRef, &DataType) -> Converted;

/// A column as `to`: what is not nested by `leaf`, the fields of structs by name, and null
/// where they are missing. Lists must be of the same kind, else they are left to `leaf`.
pub(crate) fn convert(column: &ArrayRef, to: &DataType, leaf: Leaf<'_>) -> Converted {
    use DataType::{FixedSizeList, LargeList, List, Map, Struct};
    match (column.data_type(), to) {
        (Struct(_), Struct(fields)) => convert_struct(column.as_struct(), fields, leaf),
        (List(_), List(item)) => convert_list(column.as_list::<i32>(), item, leaf),
        (LargeList(_), LargeList(item)) => convert_list(column.as_list::<i64>(), item, leaf),
        (FixedSizeList(_, n), FixedSizeList(item, size)) if n == size => {
            let list = column.as_fixed_size_list();
            let width = usize::try_from(*size).unwrap_or(0);
            let values = list.values().slice(0, list.len() * width);
            let values = convert(&values, item.data_type(), leaf)?
                .map_err(|unfit| Unfit { row: unfit.row / width.max(1), ..unfit });
            and_then(values, |values| {
                let nulls = list.nulls().cloned();
                Ok(Arc::new(FixedSizeListArray::try_new(item.clone(), *size, values, nulls)?))
            })
        }
        (Map(..), Map(entries, sorted)) => {
            let map = column.as_map();
            let own: ArrayRef = Arc::new(map.entries().clone());
            let (own, offsets) = used(&own, map.offsets());
            let own = convert(&own, entries.data_type(), leaf)?;
            and_then(own.map_err(|unfit| in_list(unfit, &offsets)), |own| {
                let (own, nulls) = (own.as_struct().clone(), map.nulls().cloned());
                let offsets = offsets.clone();
                Ok(Arc::new(MapArray::try_new(entries.clone(), offsets, own, nulls, *sorted)?))
            })
        }
        _ => leaf(column, to),
    }
}

fn convert_struct(column: &StructArray, fields: &Fields, leaf: Leaf<'_>) -> Converted {
    let places = matching(column.fields(), fields);
    let mut children = Vec::with_capacity(fields.len());
    let mut first: Option<Unfit> = None;
    for (field, place) in fields.iter().zip(places) {
        let Some(at) = place else {
            children.push(new_null_array(field.data_type(), column.len()));
            continue;
        };
        match convert(column.column(at), field.data_type(), leaf)? {
            Ok(child) => children.push(child),
            Err(unfit) if first.as_ref().is_none_or(|first| unfit.row < first.row) => {
                first = Some(unfit);
            }
            Err(_) => {}
        }
    }
    if let Some(unfit) = first {
        return Ok(Err(unfit));
    }
    let nulls = column.nulls().cloned();
    let converted = StructArray::try_new_with_length(fields.clone(), children, nulls, column.len());
    Ok(Ok(Arc::new(converted?)))
}

fn convert_list<O: OffsetSizeTrait>(
    list: &GenericListArray<O>,
    item: &FieldRef,
    leaf: Leaf<'_>,
) -> Converted {
    let (values, offsets) = used(list.values(), list.offsets());
    let values = convert(&values, item.data_type(), leaf)?;
    and_then(values.map_err(|unfit| in_list(unfit, &offsets)), |values| {
        let (offsets, nulls) = (offsets.clone(), list.nulls().cloned());
        Ok(Arc::new(GenericListArray::try_new(item.clone(), offsets, values, nulls)?))
    })
}

/// The values that the lists of an array use, and offsets into those.
fn used<O: OffsetSizeTrait>(
    values: &ArrayRef,
    offsets: &OffsetBuffer<O>,
) -> (ArrayRef, OffsetBuffer<O>) {
    let (first, last) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
    (values.slice(first, last - first), OffsetBuffer::from_lengths(offsets.lengths()))
}

/// The row of the list in which a value stands.
fn in_list<O: OffsetSizeTrait>(unfit: Unfit, offsets: &OffsetBuffer<O>) -> Unfit {
    let row = offsets.partition_point(|offset| offset.as_usize() <= unfit.row);
    Unfit { row: row.saturating_sub(1), ..unfit }
}

/// Goes on with a column that fits.
pub(crate) fn and_then(
    converted: Result<ArrayRef, Unfit>,
    then: impl FnOnce(ArrayRef) -> Result<ArrayRef, ArrowError>,
) -> Converted {
    match converted {
        Ok(array) => then(array).map(Ok),
        Err(unfit) => Ok(Err(unfit)),
    }
}
