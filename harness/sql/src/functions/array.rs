//! Functions of arrays and maps.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, ListArray, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute;
use arrow::datatypes::{DataType, Field, Int32Type};
use streamjoin_kernels::spark::{CastMode, comparison_type};
use streamjoin_kernels::{JoinError, Result};

use super::{Arguments, Given, strings};
use crate::compute::compare;
use crate::lists::{self, Lists};
use crate::operators::CompareOp;
use crate::types::{sql_name, value_type};
use crate::value::Value;

/// The type of an array of values of one type.
pub(super) fn list_of(types: &[&DataType]) -> DataType {
    let element = types.first().map_or(DataType::Null, |first| (*first).clone());
    DataType::List(Arc::new(Field::new_list_field(element, true)))
}

/// An array of all arguments.
pub(super) fn array(a: &Arguments<'_>) -> Result<ArrayRef> {
    let columns: Vec<&dyn Array> = a.values.iter().map(|v| v.array().as_ref()).collect();
    let places: Vec<(usize, usize)> = (0..a.rows)
        .flat_map(|row| a.values.iter().enumerate().map(move |(at, value)| (at, value.row(row))))
        .collect();
    let elements = match columns.is_empty() {
        true => arrow::array::new_empty_array(&DataType::Null),
        false => compute::interleave(&columns, &places)?,
    };
    let DataType::List(element) = a.result else {
        return Err(JoinError::InvalidPlan(format!("an array of type {}", a.result)));
    };
    let lengths = std::iter::repeat_n(columns.len(), a.rows);
    let offsets = OffsetBuffer::from_lengths(lengths);
    Ok(Arc::new(ListArray::try_new(element.clone(), offsets, elements, None)?))
}

/// What the refusals call an argument that is no array or map.
fn not_a(what: &str, given: &DataType) -> String {
    format!("the first argument must be {what}, not {}", sql_name(given))
}

/// The collection as it is, by value if it is a dictionary.
pub(super) fn size_types(given: &[Given<'_>]) -> std::result::Result<Vec<DataType>, String> {
    let of = value_type(given[0].data_type);
    match of {
        DataType::Null | DataType::Map(..) => Ok(vec![of.clone()]),
        list if lists::element(list).is_some() => Ok(vec![of.clone()]),
        other => Err(not_a("an array or a map", other)),
    }
}

/// As [`size_types`], without maps.
pub(super) fn array_size_types(given: &[Given<'_>]) -> std::result::Result<Vec<DataType>, String> {
    match value_type(given[0].data_type) {
        map @ DataType::Map(..) => Err(not_a("an array", map)),
        _ => size_types(given),
    }
}

/// The number of elements; of null it is null, or -1 without ANSI mode, as in Spark.
pub(super) fn size(a: &Arguments<'_>) -> Result<ArrayRef> {
    let of_null = if a.mode == CastMode::Ansi { None } else { Some(-1) };
    counts(a, of_null)
}

pub(super) fn array_size(a: &Arguments<'_>) -> Result<ArrayRef> {
    counts(a, None)
}

fn counts(a: &Arguments<'_>, of_null: Option<i32>) -> Result<ArrayRef> {
    let value = &a.values[0];
    let lists = Lists::of(value.array());
    let count = |row| match &lists {
        Some(lists) if value.array().is_valid(value.row(row)) => {
            i32::try_from(lists.range(value.row(row)).len()).ok()
        }
        _ => of_null,
    };
    Ok(Arc::new((0..a.rows).map(count).collect::<Int32Array>()))
}

/// The type of the elements or of the values of a map.
pub(super) fn element_type(types: &[&DataType]) -> DataType {
    match types.first() {
        Some(DataType::Map(entries, _)) => value_field(entries).unwrap_or(DataType::Null),
        Some(list) => lists::element(list).map_or(DataType::Null, |f| f.data_type().clone()),
        None => DataType::Null,
    }
}

fn key_field(entries: &Field) -> Option<DataType> {
    entry_field(entries, 0)
}

fn value_field(entries: &Field) -> Option<DataType> {
    entry_field(entries, 1)
}

fn entry_field(entries: &Field, at: usize) -> Option<DataType> {
    match entries.data_type() {
        DataType::Struct(fields) => fields.get(at).map(|field| field.data_type().clone()),
        _ => None,
    }
}

/// An index for an array, a key for a map.
pub(super) fn element_at_types(given: &[Given<'_>]) -> std::result::Result<Vec<DataType>, String> {
    let (of, by) = (value_type(given[0].data_type), value_type(given[1].data_type));
    if let DataType::Map(entries, _) = of {
        let key = key_field(entries).unwrap_or(DataType::Null);
        let common = common_key(&key, by).ok_or_else(|| {
            format!(
                "the keys of the map are {}, but the second argument is {}; cast it",
                sql_name(&key),
                sql_name(by)
            )
        })?;
        return Ok(vec![of.clone(), common]);
    }
    if lists::element(of).is_none() {
        return Err(not_a("an array or a map", of));
    }
    index_type(by)?;
    Ok(vec![of.clone(), DataType::Int32])
}

/// The type in which a key is looked up: as Spark, no number is compared with a string.
fn common_key(key: &DataType, by: &DataType) -> Option<DataType> {
    let key = value_type(key);
    let alike = *by == DataType::Null
        || crate::types::is_string(key) == crate::types::is_string(by)
            && crate::types::is_time(key) == crate::types::is_time(by);
    if alike { comparison_type(key, by).ok() } else { None }
}

fn index_type(by: &DataType) -> std::result::Result<(), String> {
    match by {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::UInt8 | DataType::UInt16 => {
            Ok(())
        }
        other => Err(format!(
            "the index of an array must be INT, not {}; write CAST(... AS INT)",
            sql_name(other)
        )),
    }
}

/// An array and an index from 0.
pub(super) fn get_types(given: &[Given<'_>]) -> std::result::Result<Vec<DataType>, String> {
    let (of, by) = (value_type(given[0].data_type), value_type(given[1].data_type));
    if lists::element(of).is_none() {
        return Err(not_a("an array", of));
    }
    if *by != DataType::Null {
        index_type(by)?;
    }
    Ok(vec![of.clone(), DataType::Int32])
}

/// Refuses the index 0, which no array has.
pub(super) fn check_index(given: &[Given<'_>]) -> std::result::Result<(), String> {
    let array = lists::element(given[0].data_type).is_some();
    if array && given[1].int() == Some(0) {
        return Err(ZERO.to_owned());
    }
    Ok(())
}

const ZERO: &str = "the index of an array begins with 1, or with -1 from its end; 0 is none";

/// The element with an index from 1 (from the end if it is negative), or the value of a
/// key; an index beyond the end is an error in ANSI mode.
pub(super) fn element_at(a: &Arguments<'_>) -> Result<ArrayRef> {
    match a.values[0].array().data_type() {
        DataType::Map(..) => value_of_key(a),
        _ => by_index(a, a.mode == CastMode::Ansi),
    }
}

/// As [`element_at`], with null for an index beyond the end.
pub(super) fn try_element_at(a: &Arguments<'_>) -> Result<ArrayRef> {
    match a.values[0].array().data_type() {
        DataType::Map(..) => value_of_key(a),
        _ => by_index(a, false),
    }
}

fn by_index(a: &Arguments<'_>, strict: bool) -> Result<ArrayRef> {
    let index = a.primitive::<Int32Type>(1);
    elements(a, |row, length| {
        let Some(index) = index(row) else { return Ok(None) };
        let at = match index {
            0 => {
                return Err(JoinError::predicate(format!(
                    "element_at: {ZERO} (row {row} of the batch)"
                )));
            }
            1.. => Some(index as usize - 1),
            _ => length.checked_sub(index.unsigned_abs() as usize),
        };
        match at.filter(|at| *at < length) {
            None if strict => Err(JoinError::predicate(format!(
                "element_at: there is no element {index} in an array of {length} (row {row} of the batch); use try_element_at to get null"
            ))),
            at => Ok(at),
        }
    })
}

/// The element with an index from 0; null if there is none.
pub(super) fn get(a: &Arguments<'_>) -> Result<ArrayRef> {
    let index = a.primitive::<Int32Type>(1);
    elements(a, |row, length| {
        let index = index(row).and_then(|index| usize::try_from(index).ok());
        Ok(index.filter(|index| *index < length))
    })
}

/// One element of each row's array, chosen by its length; null for null.
fn elements(
    a: &Arguments<'_>,
    choose: impl Fn(usize, usize) -> Result<Option<usize>>,
) -> Result<ArrayRef> {
    let value = &a.values[0];
    let Some(lists) = Lists::of(value.array()) else {
        return Ok(arrow::array::new_null_array(a.result, a.rows));
    };
    let mut places = Vec::with_capacity(a.rows);
    for row in 0..a.rows {
        let at = value.row(row);
        places.push(if value.array().is_valid(at) {
            let range = lists.range(at);
            choose(row, range.len())?.map(|index| (range.start + index) as u32)
        } else {
            None
        });
    }
    Ok(compute::take(&lists.elements, &UInt32Array::from(places), None)?)
}

/// The values whose keys equal the second argument; null if there is none.
fn value_of_key(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (maps, keys) = (&a.values[0], a.values[1].clone().into_array(a.rows)?);
    let maps = maps.clone().into_array(a.rows)?;
    let map = maps.as_map();
    let Some(lists) = Lists::of(&maps) else {
        return Ok(arrow::array::new_null_array(a.result, a.rows));
    };
    // Each entry is compared with the key that its row asks for.
    let mut entries: Vec<u32> = Vec::new();
    let mut asked: Vec<u32> = Vec::new();
    for row in (0..a.rows).filter(|row| maps.is_valid(*row)) {
        for entry in lists.range(row) {
            entries.push(entry as u32);
            asked.push(row as u32);
        }
    }
    let entries = UInt32Array::from(entries);
    let asked = UInt32Array::from(asked);
    let known = compute::take(map.keys(), &entries, None)?;
    let known = streamjoin_kernels::spark::cast(&known, keys.data_type(), CastMode::Try)?;
    let wanted = compute::take(&keys, &asked, None)?;
    let equal = compare(CompareOp::Eq, &Value::Array(known), &Value::Array(wanted))?;
    let equal = equal.booleans(entries.len())?;
    let mut places: Vec<Option<u32>> = vec![None; a.rows];
    for at in 0..entries.len() {
        if equal.is_valid(at) && equal.value(at) {
            // Of equal keys the first one counts.
            places[asked.value(at) as usize].get_or_insert(entries.value(at));
        }
    }
    Ok(compute::take(map.values(), &UInt32Array::from(places), None)?)
}

/// A separator, then strings and arrays of strings.
pub(super) fn concat_ws_types(given: &[Given<'_>]) -> std::result::Result<Vec<DataType>, String> {
    let of = |(at, given): (usize, &Given<'_>)| {
        let from = value_type(given.data_type);
        match lists::element(from) {
            Some(element) if at > 0 && !value_type(element.data_type()).is_nested() => {
                Ok(from.clone())
            }
            None if !from.is_nested() => Ok(DataType::Utf8),
            _ => Err(format!(
                "argument {} must be {}, not {}",
                at + 1,
                if at == 0 { "a string" } else { "a string or an array of strings" },
                sql_name(from)
            )),
        }
    };
    given.iter().enumerate().map(of).collect()
}

/// Strings and elements of arrays with a separator between them; nulls are left out.
pub(super) fn concat_ws(a: &Arguments<'_>) -> Result<ArrayRef> {
    enum Part<'t> {
        Text(Box<dyn Fn(usize) -> Option<&'t str> + 't>),
        Texts(&'t Value, Lists, ArrayRef),
    }
    let separator = a.text(0);
    let mut parts = Vec::with_capacity(a.values.len());
    for (at, value) in a.values.iter().enumerate().skip(1) {
        parts.push(match Lists::of(value.array()) {
            None => Part::Text(Box::new(a.text(at))),
            Some(lists) => {
                let texts =
                    streamjoin_kernels::spark::cast(&lists.elements, &DataType::Utf8, a.mode)?;
                Part::Texts(value, lists, texts)
            }
        });
    }
    strings(a, |row| {
        let separator = separator(row)?;
        let mut whole = String::new();
        let mut first = true;
        let mut push = |text: &str| {
            if !std::mem::take(&mut first) {
                whole.push_str(separator);
            }
            whole.push_str(text);
        };
        for part in &parts {
            match part {
                Part::Text(text) => text(row).into_iter().for_each(&mut push),
                Part::Texts(value, lists, texts) => {
                    let texts = texts.as_string::<i32>();
                    let at = value.row(row);
                    if value.array().is_valid(at) {
                        let texts = lists
                            .range(at)
                            .filter(|at| texts.is_valid(*at))
                            .map(|at| texts.value(at));
                        texts.for_each(&mut push);
                    }
                }
            }
        }
        Some(whole.into())
    })
}
