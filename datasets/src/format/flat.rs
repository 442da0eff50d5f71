//! What the text formats share: how files are opened, columns they can hold,
//! and text turned into a column.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, BinaryBuilder, LargeBinaryBuilder, StringArray, new_null_array,
};
use arrow::compute::{CastOptions, can_cast_types, cast_with_options};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::error::ArrowError;

use super::FileFormat;
use crate::error::{DatasetError, Result};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A text file from its first line on, and the bytes before that.
pub(crate) fn open_text(path: &Path) -> Result<(BufReader<File>, u64)> {
    let file = File::open(path).map_err(|e| DatasetError::io(path, "open", e))?;
    let mut file = BufReader::with_capacity(256 << 10, file);
    let head = file.fill_buf().map_err(|e| DatasetError::io(path, "read", e))?;
    let mark = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    file.consume(mark);
    Ok((file, mark as u64))
}

/// Refuses two columns of one name, of which a reader would lose one.
pub(crate) fn refuse_duplicate_names(format: FileFormat, schema: &SchemaRef) -> Result<()> {
    let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            return Err(DatasetError::CannotHold {
                format,
                what: format!("two columns named `{name}`"),
                remedy: "rename one with `select`, or write arrow".to_owned(),
            });
        }
    }
    Ok(())
}

/// A text column as `to`; `Err(row)` is the first row whose text is not a value
/// of that type. Binary is written in hexadecimal.
pub(crate) fn parse_column(
    text: &StringArray,
    to: &DataType,
) -> Result<Result<ArrayRef, usize>, ArrowError> {
    let parsed: ArrayRef = match to {
        DataType::Utf8 => return Ok(Ok(Arc::new(text.clone()))),
        DataType::Null => new_null_array(to, text.len()),
        DataType::Dictionary(_, values) => match parse_column(text, values)? {
            Ok(values) => cast_with_options(&values, to, &strict())?,
            bad => return Ok(bad),
        },
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            let bytes = match hex_column(text) {
                Ok(bytes) => bytes,
                Err(row) => return Ok(Err(row)),
            };
            if to == &DataType::LargeBinary {
                let mut large = LargeBinaryBuilder::new();
                bytes.iter().for_each(|value| large.append_option(value));
                Arc::new(large.finish())
            } else {
                cast_with_options(&bytes, to, &strict())?
            }
        }
        DataType::FixedSizeBinary(width) => {
            let bytes = match hex_column(text) {
                Ok(bytes) => bytes,
                Err(row) => return Ok(Err(row)),
            };
            let width = *width as usize;
            if let Some(row) = bytes.iter().position(|v| v.is_some_and(|v| v.len() != width)) {
                return Ok(Err(row));
            }
            cast_with_options(&bytes, to, &strict())?
        }
        // Beyond arrow's cast: it would round a longer fraction in silence, which
        // is what Spark does too.
        _ => cast_with_options(text, to, &CastOptions { safe: true, ..Default::default() })?,
    };
    let lost = (0..text.len()).find(|&row| parsed.is_null(row) && !text.is_null(row));
    Ok(lost.map_or(Ok(parsed), Err))
}

/// Whether [`parse_column`] can give this type.
pub(crate) fn can_parse(to: &DataType) -> bool {
    match to {
        DataType::Null
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => true,
        DataType::Dictionary(_, values) => !values.is_nested() && can_parse(values),
        _ => !to.is_nested() && can_cast_types(&DataType::Utf8, to),
    }
}

fn strict() -> CastOptions<'static> {
    CastOptions { safe: false, ..Default::default() }
}

fn hex_column(text: &StringArray) -> Result<BinaryArray, usize> {
    let mut bytes = BinaryBuilder::new();
    for (row, value) in text.iter().enumerate() {
        match value {
            None => bytes.append_null(),
            Some(value) => bytes.append_value(hex(value).ok_or(row)?),
        }
    }
    Ok(bytes.finish())
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}
