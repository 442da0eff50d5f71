//! Fields of structs, elements of lists and values of maps.
//!
//! Whatever is nested may come in a dictionary or run-end encoded; it is taken
//! out of that first.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::NullBuffer;
use arrow::compute;
use arrow::datatypes::{DataType, FieldRef};
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::{JoinError, Result};

use super::{compare, unexpected};
use crate::lists::Lists;
use crate::nested::{container, list_item, plain};
use crate::operators::CompareOp;
use crate::value::Value;

/// The field of this name of a struct, or of the structs in a list: then a list
/// of that field. `to` is the type of the result.
pub(crate) fn field(array: &ArrayRef, name: &str, to: &DataType) -> Result<ArrayRef> {
    let array = &container_of(array)?;
    if let Some(structs) = array.as_struct_opt() {
        let Some(column) = structs.column_by_name(name) else {
            return Err(JoinError::Schema(format!("field `{name}` is missing")));
        };
        return masked(&plain_of(column)?, structs.nulls());
    }
    match list_item(to) {
        Some(item) => with_values(array, item, |values| field(values, name, item.data_type())),
        None => Err(unexpected("a field", array.data_type())),
    }
}

/// The element at an index of each row's list, counted from 0: null for a null
/// index, and an error (null unless in ANSI mode) where there is none.
pub(crate) fn element(
    list: &Value,
    index: &Value,
    rows: usize,
    mode: CastMode,
) -> Result<ArrayRef> {
    let array = container_of(list.array())?;
    let Some(lists) = Lists::of(&array) else {
        return Err(unexpected("an index", array.data_type()));
    };
    let indices = index.array().as_primitive_opt::<arrow::datatypes::Int64Type>();
    let Some(indices) = indices else {
        return Err(unexpected("an index", index.array().data_type()));
    };
    let mut taken: Vec<Option<u64>> = Vec::with_capacity(rows);
    for row in 0..rows {
        let (of, at) = (list.row(row), index.row(row));
        if array.is_null(of) || indices.is_null(at) {
            taken.push(None);
            continue;
        }
        let range = lists.range(of);
        let at = indices.value(at);
        match usize::try_from(at).ok().filter(|at| *at < range.len()) {
            Some(at) => taken.push(Some((range.start + at) as u64)),
            None if mode == CastMode::Ansi => {
                return Err(JoinError::predicate(format!(
                    "index {at} is outside an array of {} elements (from 0); test size(array) first, use try_element_at(array, position from 1), or switch ANSI mode off",
                    range.len()
                )));
            }
            None => taken.push(None),
        }
    }
    take(&lists.elements, taken)
}

/// The value of a key of each row's map: null where the map has no such key.
pub(crate) fn map_value(map: &Value, key: &Value, rows: usize) -> Result<ArrayRef> {
    let array = container_of(map.array())?;
    let Some(maps) = array.as_map_opt() else {
        return Err(unexpected("a key", array.data_type()));
    };
    let offsets = maps.value_offsets();
    let rows_of_entries = |row: usize| -> Option<Range<usize>> {
        maps.is_valid(row).then(|| offsets[row] as usize..offsets[row + 1] as usize)
    };
    // One key per entry, to compare all at once.
    let entries: Vec<(usize, Range<usize>)> =
        (0..rows).filter_map(|row| Some((row, rows_of_entries(map.row(row))?))).collect();
    let positions: UInt64Array =
        entries.iter().flat_map(|(_, range)| range.clone()).map(|entry| entry as u64).collect();
    let keys = Value::Array(compute::take(&plain_of(maps.keys())?, &positions, None)?);
    let wanted = if key.is_scalar() {
        key.clone()
    } else {
        let rows = entries.iter().flat_map(|(row, range)| range.clone().map(|_| *row as u64));
        let rows: UInt64Array = rows.collect();
        Value::Array(compute::take(key.array(), &rows, None)?)
    };
    let found = compare(CompareOp::Eq, &keys, &wanted)?.booleans(positions.len())?;
    let mut taken: Vec<Option<u64>> = vec![None; rows];
    let mut at = 0;
    for (row, range) in entries {
        let hit = (at..at + range.len()).find(|at| found.is_valid(*at) && found.value(*at));
        taken[row] = hit.map(|hit| positions.value(hit));
        at += range.len();
    }
    take(maps.values(), taken)
}

/// The array with only the parts that `to`, a part of its type, has.
pub(crate) fn narrowed(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(array.clone());
    }
    let array = &container_of(array)?;
    match to {
        DataType::Struct(fields) => {
            let Some(structs) = array.as_struct_opt() else {
                return Err(unexpected("a struct", array.data_type()));
            };
            let columns = fields.iter().map(|field| {
                let Some(column) = structs.column_by_name(field.name()) else {
                    return Err(JoinError::Schema(format!("field `{}` is missing", field.name())));
                };
                narrowed(column, field.data_type())
            });
            let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
            let nulls = structs.nulls().cloned();
            let length = structs.len();
            let structs = StructArray::try_new_with_length(fields.clone(), columns, nulls, length)?;
            Ok(Arc::new(structs))
        }
        DataType::Map(entries, ordered) => {
            let Some(maps) = array.as_map_opt() else {
                return Err(unexpected("a map", array.data_type()));
            };
            let whole: ArrayRef = Arc::new(maps.entries().clone());
            let whole = narrowed(&whole, entries.data_type())?;
            let maps = MapArray::try_new(
                entries.clone(),
                maps.offsets().clone(),
                whole.as_struct().clone(),
                maps.nulls().cloned(),
                *ordered,
            )?;
            Ok(Arc::new(maps))
        }
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => {
            with_values(array, item, |values| narrowed(values, item.data_type()))
        }
        other => Err(unexpected("a part of a column", other)),
    }
}

/// A list of the same layout and lengths with other values.
fn with_values(
    array: &ArrayRef,
    item: &FieldRef,
    change: impl FnOnce(&ArrayRef) -> Result<ArrayRef>,
) -> Result<ArrayRef> {
    let nulls = array.nulls().cloned();
    // Of the fields that are left out, the type may still speak.
    let of = |values: &ArrayRef| -> FieldRef {
        Arc::new(item.as_ref().clone().with_data_type(values.data_type().clone()))
    };
    Ok(match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let values = change(list.values())?;
            Arc::new(ListArray::try_new(of(&values), list.offsets().clone(), values, nulls)?)
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            let values = change(list.values())?;
            Arc::new(LargeListArray::try_new(of(&values), list.offsets().clone(), values, nulls)?)
        }
        DataType::ListView(_) => {
            let list = array.as_list_view::<i32>();
            let (offsets, sizes) = (list.offsets().clone(), list.sizes().clone());
            let values = change(list.values())?;
            Arc::new(ListViewArray::try_new(of(&values), offsets, sizes, values, nulls)?)
        }
        DataType::LargeListView(_) => {
            let list = array.as_list_view::<i64>();
            let (offsets, sizes) = (list.offsets().clone(), list.sizes().clone());
            let values = change(list.values())?;
            Arc::new(LargeListViewArray::try_new(of(&values), offsets, sizes, values, nulls)?)
        }
        DataType::FixedSizeList(_, size) => {
            let list = array.as_fixed_size_list();
            let values = change(list.values())?;
            let rows = list.len();
            Arc::new(FixedSizeListArray::try_new_with_length(
                of(&values),
                *size,
                values,
                nulls,
                rows,
            )?)
        }
        other => return Err(unexpected("a field", other)),
    })
}

fn take(values: &ArrayRef, rows: Vec<Option<u64>>) -> Result<ArrayRef> {
    Ok(compute::take(&plain_of(values)?, &UInt64Array::from(rows), None)?)
}

/// The array with null where `nulls` has one too.
fn masked(array: &ArrayRef, nulls: Option<&NullBuffer>) -> Result<ArrayRef> {
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else {
        return Ok(array.clone());
    };
    match array.data_type() {
        DataType::Null => Ok(array.clone()),
        DataType::Union(..) => {
            let rows = (0..array.len()).map(|row| nulls.is_valid(row).then_some(row as u64));
            Ok(compute::take(array, &rows.collect::<UInt64Array>(), None)?)
        }
        _ => {
            let is_null = BooleanArray::new(!nulls.inner(), None);
            Ok(compute::nullif(array, &is_null)?)
        }
    }
}

/// What is nested, taken out of a dictionary or runs.
fn container_of(array: &ArrayRef) -> Result<ArrayRef> {
    as_type(array, container(array.data_type()))
}

fn plain_of(array: &ArrayRef) -> Result<ArrayRef> {
    as_type(array, plain(array.data_type()))
}

/// The values of a dictionary or of runs, which are of type `to`, row by row.
fn as_type(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(array.clone());
    }
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let values = compute::take(dictionary.values(), dictionary.keys(), None)?;
        return as_type(&values, to);
    }
    let runs = compute::cast(array, to)?;
    Ok(runs)
}
