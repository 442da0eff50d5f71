//! Bytes as text and back: hexadecimal, base64.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryBuilder};
use arrow::datatypes::{DataType, Int64Type};
use streamjoin_kernels::{JoinError, Result};

use super::{Arguments, Given, strings};
use crate::compute::overflow_error;
use crate::names::shortened;
use crate::types::{is_binary, value_type};

/// Two digits per byte.
pub(super) fn hex_text(bytes: &[u8], upper: bool) -> String {
    let digits = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    let digit = |nibble: u8| char::from(digits[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Numbers are shown as 64 bits, anything else as bytes.
pub(super) fn hex_types(given: &[Given<'_>]) -> std::result::Result<Vec<DataType>, String> {
    let of = |given: &Given<'_>| match value_type(given.data_type) {
        DataType::Null => DataType::Utf8,
        number if number.is_numeric() => DataType::Int64,
        bytes if is_binary(bytes) => DataType::Binary,
        _ => DataType::Utf8,
    };
    Ok(given.iter().map(of).collect())
}

pub(super) fn hex(a: &Arguments<'_>) -> Result<ArrayRef> {
    if *a.values[0].array().data_type() == DataType::Int64 {
        let number = a.primitive::<Int64Type>(0);
        return strings(a, |row| Some(format!("{:X}", number(row)?).into()));
    }
    let bytes = a.bytes(0);
    strings(a, |row| Some(hex_text(bytes(row)?, true).into()))
}

/// Binary values within the limit of a batch.
pub(super) fn binaries(
    a: &Arguments<'_>,
    bytes: impl Fn(usize) -> Result<Option<Vec<u8>>>,
) -> Result<ArrayRef> {
    let mut builder = BinaryBuilder::new();
    let mut total = 0;
    for row in 0..a.rows {
        let bytes = bytes(row)?;
        total += bytes.as_ref().map_or(0, Vec::len);
        if total > i32::MAX as usize {
            return Err(overflow_error(
                "the binary values of one batch exceed 2 GiB; use smaller batches",
            ));
        }
        builder.append_option(bytes);
    }
    Ok(Arc::new(builder.finish()))
}

/// Null for text that is not hexadecimal; an odd first digit stands for a byte.
pub(super) fn unhex(a: &Arguments<'_>) -> Result<ArrayRef> {
    let text = a.text(0);
    binaries(a, |row| Ok(text(row).and_then(|text| of_hex(text.as_bytes()))))
}

fn of_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let value = |digit: &u8| char::from(*digit).to_digit(16).map(|value| value as u8);
    let (first, pairs) = digits.split_at(digits.len() % 2);
    let first = first.iter().map(value);
    let pairs = pairs.chunks_exact(2).map(|pair| Some(value(&pair[0])? << 4 | value(&pair[1])?));
    first.chain(pairs).collect()
}

/// The letters of base64 in a line of Java's MIME encoder, which Spark uses.
const LINE: usize = 76;

/// With a line break after every 76 letters, as in Spark.
pub(super) fn base64(a: &Arguments<'_>) -> Result<ArrayRef> {
    use base64::Engine as _;
    let bytes = a.bytes(0);
    strings(a, |row| {
        let text = base64::engine::general_purpose::STANDARD.encode(bytes(row)?);
        if text.len() <= LINE {
            return Some(text.into());
        }
        let mut lines = String::with_capacity(text.len() + text.len() / LINE * 2);
        for (at, letter) in text.chars().enumerate() {
            if at > 0 && at % LINE == 0 {
                lines.push_str("\r\n");
            }
            lines.push(letter);
        }
        Some(lines.into())
    })
}

pub(super) fn unbase64(a: &Arguments<'_>) -> Result<ArrayRef> {
    let text = a.text(0);
    binaries(a, |row| {
        let Some(text) = text(row) else { return Ok(None) };
        match of_base64(text.as_bytes()) {
            // In Spark this is an error in every mode.
            None => {
                let shown = shortened(text, 60);
                Err(JoinError::predicate(format!(
                    "'{shown}' (row {row} of the batch) is not base64: its last group of letters is incomplete, or letters follow its padding; correct it"
                )))
            }
            bytes => Ok(bytes),
        }
    })
}

/// As Java's MIME decoder reads it: what is no letter of the alphabet is skipped, and
/// the last group may lack its padding, but not have half of it.
fn of_base64(text: &[u8]) -> Option<Vec<u8>> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut group, mut letters) = (0_u32, 0);
    let mut rest = text.iter().copied();
    while let Some(letter) = rest.next() {
        if letter == b'=' {
            // One sign after three letters, two in a row after two.
            let padded = letters == 3 || letters == 2 && rest.next() == Some(b'=');
            if !padded {
                return None;
            }
            break;
        }
        let Some(value) = value(letter) else { continue };
        group = group << 6 | u32::from(value);
        letters += 1;
        if letters == 4 {
            bytes.extend(&group.to_be_bytes()[1..]);
            (group, letters) = (0, 0);
        }
    }
    match letters {
        0 => {}
        2 => bytes.push((group >> 4) as u8),
        3 => bytes.extend([(group >> 10) as u8, (group >> 2) as u8]),
        _ => return None,
    }
    // Nothing but what is skipped may follow.
    rest.all(|letter| value(letter).is_none()).then_some(bytes)
}
