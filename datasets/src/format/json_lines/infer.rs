//! Columns from the first lines of a JSON lines file.

use std::collections::VecDeque;
use std::path::Path;

use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use arrow::json::reader::infer_json_schema_from_iterator;
use serde_json::Value;

use super::lines::{Lines, ReadLine};
use crate::error::{DatasetError, Result};
use crate::format::text::{AHEAD_BYTES, AHEAD_ROWS, is_timestamp};
use crate::type_text::timestamp_utc;

/// Columns in the order in which they first appear. A string column whose
/// every value is a date with a time of day is a timestamp (UTC); a column of
/// nulls only is a string. The lines are read again afterwards.
pub(super) fn schema(path: &Path, lines: &mut Lines) -> Result<Schema> {
    let mut values: Vec<Value> = Vec::new();
    let mut seen = VecDeque::new();
    let mut bytes = 0;
    let mut failed = None;
    while values.len() < AHEAD_ROWS && bytes < AHEAD_BYTES {
        let mut text = Vec::new();
        let next = lines
            .next(path, &mut text)
            .and_then(|line| line.map(|line| Ok((line, object(path, line, &text)?))).transpose());
        match next {
            Ok(Some((line, value))) => {
                bytes += text.len();
                seen.push_back(ReadLine { text, line, arrived: lines.arrived() });
                values.push(value);
            }
            Ok(None) => break,
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    lines.put_back(seen, failed)?;
    let schema =
        infer_json_schema_from_iterator(values.iter().map(Ok::<_, ArrowError>)).map_err(|e| {
            DatasetError::line(path, 1, format!("the first lines do not fit together: {e}"))
        })?;
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .map(|field| {
            let name = field.name();
            let data_type = match field.data_type() {
                DataType::Null => DataType::Utf8,
                DataType::Utf8 if all_timestamps(&values, name) => timestamp_utc(),
                other => other.clone(),
            };
            Field::new(name, data_type, true)
        })
        .collect();
    Ok(Schema::new(fields))
}

fn object(path: &Path, line: u64, text: &[u8]) -> Result<Value> {
    let value: Value = serde_json::from_slice(text)
        .map_err(|e| DatasetError::line(path, line, not_json(text, &e)))?;
    if value.is_object() {
        return Ok(value);
    }
    let message = "not a JSON object; write one object per line, such as {\"a\": 1}";
    Err(DatasetError::line(path, line, message))
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

fn all_timestamps(values: &[Value], name: &str) -> bool {
    let mut seen = values.iter().filter_map(|v| v.get(name)).filter(|v| !v.is_null()).peekable();
    seen.peek().is_some() && seen.all(|v| v.as_str().is_some_and(is_timestamp))
}
