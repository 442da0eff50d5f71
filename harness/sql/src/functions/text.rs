//! Functions of strings; positions and lengths count characters; positions start at 1.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int32Array};
use arrow::datatypes::{DataType, Int32Type};
use streamjoin_kernels::{JoinError, Result};

use super::encoding::binaries;
use super::{Arguments, Given, strings};
use crate::compute::overflow_error;
use crate::types::{is_binary, is_string, sql_name, value_type};

/// A string padded to more characters must be a mistake and would exhaust memory.
const MAX_TEXT: usize = 1 << 24;

fn ints(arguments: &Arguments<'_>, int: impl Fn(usize) -> Option<usize>) -> Result<ArrayRef> {
    let ints: Int32Array = (0..arguments.rows).map(|row| i32::try_from(int(row)?).ok()).collect();
    Ok(Arc::new(ints))
}

fn booleans(arguments: &Arguments<'_>, test: impl Fn(usize) -> Option<bool>) -> Result<ArrayRef> {
    let booleans: BooleanArray = (0..arguments.rows).map(test).collect();
    Ok(Arc::new(booleans))
}

pub(super) fn upper(a: &Arguments<'_>) -> Result<ArrayRef> {
    let text = a.text(0);
    strings(a, |row| Some(text(row)?.to_uppercase().into()))
}

pub(super) fn lower(a: &Arguments<'_>) -> Result<ArrayRef> {
    let text = a.text(0);
    strings(a, |row| Some(text(row)?.to_lowercase().into()))
}

/// Trims blanks (not other white space), or the characters of the second
/// argument, at the selected ends.
fn trim_ends(a: &Arguments<'_>, start: bool, end: bool) -> Result<ArrayRef> {
    let (text, what) = (a.text(0), a.text(1));
    let given = a.has(1);
    strings(a, |row| {
        let mut text = text(row)?;
        let what = if given { what(row)? } else { " " };
        if start {
            text = text.trim_start_matches(|c| what.contains(c));
        }
        if end {
            text = text.trim_end_matches(|c| what.contains(c));
        }
        Some(text.into())
    })
}

pub(super) fn trim(a: &Arguments<'_>) -> Result<ArrayRef> {
    trim_ends(a, true, true)
}

pub(super) fn ltrim(a: &Arguments<'_>) -> Result<ArrayRef> {
    trim_ends(a, true, false)
}

pub(super) fn rtrim(a: &Arguments<'_>) -> Result<ArrayRef> {
    trim_ends(a, false, true)
}

pub(super) fn length(a: &Arguments<'_>) -> Result<ArrayRef> {
    let text = a.text(0);
    ints(a, |row| Some(text(row)?.chars().count()))
}

pub(super) fn octet_length(a: &Arguments<'_>) -> Result<ArrayRef> {
    let value = &a.values[0];
    let bytes = value.array().as_binary::<i32>();
    ints(a, |row| {
        let row = value.row(row);
        bytes.is_valid(row).then(|| bytes.value(row).len())
    })
}

pub(super) fn concat(a: &Arguments<'_>) -> Result<ArrayRef> {
    let parts: Vec<_> = (0..a.values.len()).map(|i| a.text(i)).collect();
    strings(a, |row| {
        let mut whole = String::new();
        for part in &parts {
            whole.push_str(part(row)?);
        }
        Some(whole.into())
    })
}

/// The characters from `start` (from 0, may be negative) to `end`.
fn slice(text: &str, start: i64, end: i64) -> &str {
    let at = |position: i64| {
        let position = usize::try_from(position).unwrap_or(0);
        text.char_indices().nth(position).map_or(text.len(), |(i, _)| i)
    };
    if end <= start || end <= 0 {
        return "";
    }
    &text[at(start)..at(end)]
}

/// Position 0 means the first character; negative positions count from the end.
pub(super) fn substring(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, position, count) =
        (a.text(0), a.primitive::<Int32Type>(1), a.primitive::<Int32Type>(2));
    let given = a.has(2);
    strings(a, |row| {
        let (text, position) = (text(row)?, i64::from(position(row)?));
        let count = if given { count(row)? } else { i32::MAX };
        let start = match position {
            1.. => position - 1,
            0 => 0,
            _ => text.chars().count() as i64 + position,
        };
        Some(slice(text, start, start + i64::from(count)).into())
    })
}

pub(super) fn left(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, count) = (a.text(0), a.primitive::<Int32Type>(1));
    strings(a, |row| Some(slice(text(row)?, 0, count(row)?.into()).into()))
}

pub(super) fn right(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, count) = (a.text(0), a.primitive::<Int32Type>(1));
    strings(a, |row| {
        let (text, count) = (text(row)?, i64::from(count(row)?).max(0));
        let length = text.chars().count() as i64;
        Some(slice(text, (length - count).max(0), length).into())
    })
}

pub(super) fn replace(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, from, to) = (a.text(0), a.text(1), a.text(2));
    let given = a.has(2);
    strings(a, |row| {
        let (text, from) = (text(row)?, from(row)?);
        let to = if given { to(row)? } else { "" };
        if from.is_empty() {
            return Some(text.into());
        }
        Some(text.replace(from, to).into())
    })
}

pub(super) fn reverse(a: &Arguments<'_>) -> Result<ArrayRef> {
    let text = a.text(0);
    strings(a, |row| Some(text(row)?.chars().rev().collect::<String>().into()))
}

/// Strings are padded by characters, binaries (unless with a string) by bytes.
pub(super) fn pad_types(given: &[Given<'_>]) -> std::result::Result<Vec<DataType>, String> {
    let mut whole = given.iter().step_by(2).map(|given| value_type(given.data_type));
    let to = if whole.all(is_binary) { DataType::Binary } else { DataType::Utf8 };
    let length = value_type(given[1].data_type);
    if !(length.is_numeric() || is_string(length) || *length == DataType::Null) {
        return Err(format!("the length must be a number, not {}", sql_name(length)));
    }
    if let Some(nested) = given.iter().find(|given| value_type(given.data_type).is_nested()) {
        return Err(format!("{} cannot be padded", sql_name(nested.data_type)));
    }
    Ok([to.clone(), DataType::Int32, to].into_iter().take(given.len()).collect())
}

/// The type of the first argument.
pub(super) fn as_first(types: &[&DataType]) -> DataType {
    types.first().map_or(DataType::Null, |first| (*first).clone())
}

fn pad(a: &Arguments<'_>, left: bool) -> Result<ArrayRef> {
    let length = a.primitive::<Int32Type>(1);
    if (0..a.rows).any(|row| length(row).is_some_and(|n| n > 0 && n as usize > MAX_TEXT)) {
        return Err(overflow_error(format!("strings are padded to at most {MAX_TEXT} characters")));
    }
    if *a.result == DataType::Binary {
        return pad_bytes(a, left);
    }
    let (text, with) = (a.text(0), a.text(2));
    let given = a.has(2);
    strings(a, |row| {
        let (text, length) = (text(row)?, usize::try_from(length(row)?).unwrap_or(0));
        let with = if given { with(row)? } else { " " };
        let have = text.chars().count();
        if have >= length {
            return Some(slice(text, 0, length as i64).into());
        }
        let padding: String = with.chars().cycle().take(length - have).collect();
        Some(if left { padding + text } else { text.to_owned() + &padding }.into())
    })
}

/// With zeros if nothing is given to pad with.
fn pad_bytes(a: &Arguments<'_>, left: bool) -> Result<ArrayRef> {
    let (bytes, length, with) = (a.bytes(0), a.primitive::<Int32Type>(1), a.bytes(2));
    let given = a.has(2);
    let padded = |row: usize| -> Option<Vec<u8>> {
        let (bytes, length) = (bytes(row)?, usize::try_from(length(row)?).unwrap_or(0));
        let with = if given { with(row)? } else { &[0] };
        let missing = length.saturating_sub(bytes.len());
        let padding: Vec<u8> = with.iter().copied().cycle().take(missing).collect();
        let kept = &bytes[..bytes.len().min(length)];
        Some(if left { [&padding, kept].concat() } else { [kept, &padding].concat() })
    };
    binaries(a, |row| Ok(padded(row)))
}

pub(super) fn lpad(a: &Arguments<'_>) -> Result<ArrayRef> {
    pad(a, true)
}

pub(super) fn rpad(a: &Arguments<'_>) -> Result<ArrayRef> {
    pad(a, false)
}

pub(super) fn starts_with(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, part) = (a.text(0), a.text(1));
    booleans(a, |row| Some(text(row)?.starts_with(part(row)?)))
}

pub(super) fn ends_with(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, part) = (a.text(0), a.text(1));
    booleans(a, |row| Some(text(row)?.ends_with(part(row)?)))
}

pub(super) fn contains(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, part) = (a.text(0), a.text(1));
    booleans(a, |row| Some(text(row)?.contains(part(row)?)))
}

/// The position of `part` in `text`, or 0 if it does not occur.
fn find(text: &str, part: &str) -> usize {
    text.find(part).map_or(0, |at| text[..at].chars().count() + 1)
}

pub(super) fn check_occurrence(given: &[Given<'_>]) -> std::result::Result<(), String> {
    match given.get(3).and_then(Given::int) {
        Some(..1) => Err(OCCURRENCE.to_owned()),
        _ => Ok(()),
    }
}

const OCCURRENCE: &str = "the occurrence counts from 1";

/// The position of an occurrence, searched from a position to the end, or from one that
/// is counted from the end to the beginning; 0 if there is none.
pub(super) fn instr(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, part) = (a.text(0), a.text(1));
    if !a.has(2) {
        return ints(a, |row| Some(find(text(row)?, part(row)?)));
    }
    let (start, occurrence) = (a.primitive::<Int32Type>(2), a.primitive::<Int32Type>(3));
    let given = a.has(3);
    if given && (0..a.rows).any(|row| occurrence(row).is_some_and(|n| n < 1)) {
        return Err(JoinError::predicate(format!("instr: {OCCURRENCE}")));
    }
    ints(a, |row| {
        let occurrence = if given { occurrence(row)? } else { 1 };
        Some(find_from(text(row)?, part(row)?, start(row)?, occurrence))
    })
}

/// As [`instr`], which also finds occurrences that overlap.
fn find_from(text: &str, part: &str, start: i32, occurrence: i32) -> usize {
    if part.is_empty() {
        return 1;
    }
    let positions = text.char_indices().enumerate();
    let found = positions.filter(|(_, (at, _))| text[*at..].starts_with(part));
    let mut found = found.map(|(position, _)| position as i64 + 1);
    let nth = occurrence as usize - 1;
    let found = match start {
        0 => None,
        1.. => found.filter(|position| *position >= i64::from(start)).nth(nth),
        _ => {
            let last = text.chars().count() as i64 + i64::from(start) + 1;
            let before: Vec<i64> = found.by_ref().take_while(|at| *at <= last).collect();
            before.into_iter().rev().nth(nth)
        }
    };
    found.map_or(0, |position| position as usize)
}

pub(super) fn position(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (part, text) = (a.text(0), a.text(1));
    ints(a, |row| Some(find(text(row)?, part(row)?)))
}
