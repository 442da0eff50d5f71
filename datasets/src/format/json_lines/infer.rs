//! Columns from the first lines of a JSON lines file.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema};
use serde_json::Value;
use serde_json::value::RawValue;

use super::lines::{Lines, ReadLine};
use super::rewrite::Members;
use crate::error::{DatasetError, Result};
use crate::format::text::{AHEAD_BYTES, AHEAD_ROWS, is_timestamp, value_type, widen};
use crate::type_text::timestamp_utc;

/// Columns in the order in which they first appear. A string column whose
/// every value is a date with a time of day is a timestamp (UTC); a column of
/// nulls only is one of nulls; what is nested in some lines and not in others is text, as
/// in Spark. The lines are read again afterwards.
pub(super) fn schema(path: &Path, lines: &mut Lines) -> Result<Schema> {
    let mut columns: Vec<FieldRef> = Vec::new();
    let mut seen = VecDeque::new();
    let mut bytes = 0;
    let mut failed = None;
    while seen.len() < AHEAD_ROWS && bytes < AHEAD_BYTES {
        let mut text = Vec::new();
        let next = lines
            .next(path, &mut text)
            .and_then(|line| line.map(|line| Ok((line, object(path, line, &text)?))).transpose());
        match next {
            Ok(Some((line, members))) => {
                bytes += text.len();
                columns = merged(&columns, &members);
                seen.push_back(ReadLine { text, line, arrived: lines.arrived() });
            }
            Ok(None) => break,
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    lines.put_back(seen, failed)?;
    Ok(Schema::new(columns))
}

/// The columns of one line.
fn object(path: &Path, line: u64, text: &[u8]) -> Result<Vec<FieldRef>> {
    let failed = |e: serde_json::Error| DatasetError::line(path, line, not_json(text, &e));
    // Read as a whole first: that limits how deep it may be nested.
    let whole: Value = serde_json::from_slice(text).map_err(failed)?;
    if whole.is_null() {
        return Ok(Vec::new());
    }
    match guess(serde_json::from_slice(text).map_err(failed)?, true) {
        DataType::Struct(fields) => Ok(fields.iter().cloned().collect()),
        _ => {
            let message = "not a JSON object; write one object per line, such as {\"a\": 1}";
            Err(DatasetError::line(path, line, message))
        }
    }
}

/// The type that a value looks like. In the fields of a line, `at_top`, a text may look
/// like a timestamp.
fn guess(value: &RawValue, at_top: bool) -> DataType {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'{') => {
            let members = serde_json::from_str(text).map_or(Vec::new(), |Members(all)| all);
            let fields = members.into_iter().map(|(name, value)| {
                let may_be_time = at_top && value.get().starts_with('"');
                let data_type = match may_be_time && is_time(value) {
                    true => timestamp_utc(),
                    false => guess(value, false),
                };
                Arc::new(Field::new(name, data_type, true))
            });
            DataType::Struct(merged(&[], &fields.collect::<Vec<_>>()).into())
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
            let items = items.into_iter().map(|item| guess(item, false));
            let item = items.reduce(|a, b| widen_nested(&a, &b)).unwrap_or(DataType::Null);
            DataType::List(Arc::new(Field::new_list_field(item, true)))
        }
        Some(b'"') => DataType::Utf8,
        Some(b't' | b'f') => DataType::Boolean,
        Some(b'n') | None => DataType::Null,
        Some(_) => value_type(text),
    }
}

fn is_time(value: &RawValue) -> bool {
    serde_json::from_str::<String>(value.get()).is_ok_and(|text| is_timestamp(&text))
}

/// All columns of both, in order of first appearance.
fn merged(before: &[FieldRef], next: &[FieldRef]) -> Vec<FieldRef> {
    let mut fields = before.to_vec();
    for new in next {
        match fields.iter_mut().find(|old| old.name() == new.name()) {
            None => fields.push(new.clone()),
            Some(old) if old.data_type() == new.data_type() => {}
            Some(old) => {
                let data_type = widen_nested(old.data_type(), new.data_type());
                *old = Arc::new(Field::new(old.name(), data_type, true));
            }
        }
    }
    fields
}

/// The narrowest type that holds both.
fn widen_nested(a: &DataType, b: &DataType) -> DataType {
    match (a, b) {
        (DataType::Struct(a), DataType::Struct(b)) => DataType::Struct(merged(a, b).into()),
        (DataType::List(a), DataType::List(b)) => {
            let item = widen_nested(a.data_type(), b.data_type());
            DataType::List(Arc::new(Field::new_list_field(item, true)))
        }
        (a, b) => widen(a, b),
    }
}

/// What is wrong with one line of JSON, and at which column.
fn not_json(text: &[u8], error: &serde_json::Error) -> String {
    let message = error.to_string();
    // The parser saw one line and counts from it.
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let at = text.get(error.column().saturating_sub(1)..).unwrap_or_default();
    let hint = if error.is_eof() {
        "; write each object on a line of its own, as jq -c does"
    } else if [&b"NaN"[..], b"nan", b"Inf", b"inf"].iter().any(|word| at.starts_with(word)) {
        "; write what is not a number as null, or as the string \"NaN\" or \"Infinity\""
    } else {
        ""
    };
    format!("not JSON: {message} at column {}{hint}", error.column())
}
