//! Column types from the first rows of a CSV file.

use std::collections::VecDeque;
use std::path::Path;

use arrow::datatypes::{DataType, Field, Schema};

use super::lines::Lines;
use crate::error::Result;
use crate::format::text::{AHEAD_BYTES, AHEAD_ROWS, value_type, widen};

/// Guesses bigint, decimal, double, boolean, date, timestamp (UTC) or string for each
/// column, and null for one of empty fields only. The rows are read again afterwards.
pub(super) fn schema(path: &Path, lines: &mut Lines) -> Result<Schema> {
    let mut guesses = vec![DataType::Null; lines.names.len()];
    let mut seen = VecDeque::new();
    let mut bytes = 0;
    let mut failed = None;
    while seen.len() < AHEAD_ROWS && bytes < AHEAD_BYTES {
        let line = match lines.next(path) {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => {
                failed = Some(error);
                break;
            }
        };
        bytes += lines.record.size();
        seen.push_back((lines.record.compact(), lines.arrived));
        for (column, guess) in guesses.iter_mut().enumerate() {
            // `""` is a text, but also how some programs write a null.
            if let Some(text) = lines.text(path, line, column)?.filter(|text| !text.is_empty()) {
                *guess = widen(guess, &value_type(text));
            }
        }
    }
    lines.put_back(seen, failed)?;
    let fields = lines.names.iter().zip(guesses).map(|(name, guess)| Field::new(name, guess, true));
    Ok(Schema::new(fields.collect::<Vec<_>>()))
}
