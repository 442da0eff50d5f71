//! Decoded columns in their own types.
//!
//! Arrow would cut off the fraction of a whole number, take a number for a timestamp's
//! ticks and lose a dictionary's nulls, so numbers, times and dictionaries are decoded as
//! text or values, at any depth, and become what they are here.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, FieldRef};

use crate::format::text::{Bare, NUMBER, parse_column, parse_whole_numbers};
use crate::nested::{Converted, Unfit, and_then, convert};

/// The type in which a column is decoded.
pub(super) fn decoded(data_type: &DataType) -> DataType {
    let field = |field: &FieldRef| -> FieldRef {
        Arc::new(field.as_ref().clone().with_data_type(decoded(field.data_type())))
    };
    match data_type {
        by_text if is_decoded_as_text(by_text) => DataType::Utf8,
        DataType::Dictionary(_, values) => decoded(values),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::List(item) | DataType::ListView(item) => DataType::List(field(item)),
        DataType::LargeList(item) | DataType::LargeListView(item) => {
            DataType::LargeList(field(item))
        }
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(field(item), *size),
        DataType::Map(entries, sorted) => DataType::Map(field(entries), *sorted),
        other => other.clone(),
    }
}

fn is_decoded_as_text(data_type: &DataType) -> bool {
    data_type.is_integer() || data_type.is_decimal() || is_time(data_type)
}

/// A type in which a number has another meaning than a text.
pub(super) fn is_time(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(..) | DataType::Date32 | DataType::Date64)
}

/// A decoded column as `to`.
pub(super) fn restore(column: &ArrayRef, to: &DataType) -> Converted {
    convert(column, to, &|column, to| match to {
        DataType::Dictionary(_, values) => {
            and_then(restore(column, values)?, |values| cast(&values, to))
        }
        DataType::ListView(item) => {
            and_then(restore(column, &DataType::List(item.clone()))?, |lists| cast(&lists, to))
        }
        DataType::LargeListView(item) => {
            and_then(restore(column, &DataType::LargeList(item.clone()))?, |lists| cast(&lists, to))
        }
        _ if is_decoded_as_text(to) => restore_text(column.as_string(), to),
        _ => Ok(Ok(column.clone())),
    })
}

fn restore_text(text: &StringArray, to: &DataType) -> Converted {
    let parsed = match to {
        _ if to.is_integer() => parse_whole_numbers(text, to)?,
        _ => parse_column(text, to, Bare::Text)?,
    };
    Ok(parsed.map_err(|row| {
        let (value, data_type) = (text.value(row).to_owned(), to.clone());
        Unfit { row, value, data_type }
    }))
}

/// Whether a time in a decoded column may have been a number. Those that were are to be
/// marked, for which the lines are read again.
pub(super) fn has_numbers_among_times(column: &ArrayRef, to: &DataType) -> bool {
    match to {
        _ if is_time(to) => {
            let text = column.as_string::<i32>();
            text.iter().flatten().any(|text| {
                let first = text.as_bytes().first();
                first.is_some_and(|b| b.is_ascii_digit() || *b == b'-')
                    && text.bytes().all(|b| b != b':' && b != b'/')
                    && text.parse::<f64>().is_ok()
            })
        }
        DataType::Dictionary(_, values) => has_numbers_among_times(column, values),
        DataType::Struct(fields) => {
            let columns = column.as_struct().columns().iter();
            columns.zip(fields).any(|(child, f)| has_numbers_among_times(child, f.data_type()))
        }
        DataType::List(item) => {
            has_numbers_among_times(column.as_list::<i32>().values(), item.data_type())
        }
        DataType::LargeList(item) => {
            has_numbers_among_times(column.as_list::<i64>().values(), item.data_type())
        }
        DataType::FixedSizeList(item, _) => {
            has_numbers_among_times(column.as_fixed_size_list().values(), item.data_type())
        }
        DataType::Map(entries, _) => {
            let own: ArrayRef = Arc::new(column.as_map().entries().clone());
            has_numbers_among_times(&own, entries.data_type())
        }
        _ => false,
    }
}

/// A JSON number that stands where a time is expected, as a text that says so.
pub(super) fn marked(number: &str) -> String {
    // Nothing in it needs to be escaped but the mark.
    format!("\"\\u{:04x}{number}\"", u32::from(NUMBER))
}
