//! The arguments of calls, and columns of text.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringBuilder};
use arrow::datatypes::{ArrowPrimitiveType, DataType};
use streamjoin_kernels::Result;
use streamjoin_kernels::spark::CastMode;

use crate::compute::overflow_error;
use crate::value::Value;

/// The arguments of one call, each of them a column or one value for all rows.
pub(crate) struct Arguments<'a> {
    pub(crate) values: &'a [Value],
    pub(crate) rows: usize,
    pub(crate) mode: CastMode,
    pub(crate) result: &'a DataType,
}

impl<'a> Arguments<'a> {
    /// The strings of an argument; null if it is omitted.
    pub(super) fn text(&self, index: usize) -> impl Fn(usize) -> Option<&'a str> + use<'a> {
        let value = self.values.get(index);
        let strings = value.and_then(|v| v.array().as_string_opt::<i32>());
        move |row| {
            let (value, strings) = (value?, strings?);
            let row = value.row(row);
            strings.is_valid(row).then(|| strings.value(row))
        }
    }

    /// The values of an argument of a primitive type; null if it is omitted.
    pub(super) fn primitive<T: ArrowPrimitiveType>(
        &self,
        index: usize,
    ) -> impl Fn(usize) -> Option<T::Native> + use<'a, T> {
        let value = self.values.get(index);
        let numbers = value.and_then(|v| v.array().as_primitive_opt::<T>());
        move |row| {
            let (value, numbers) = (value?, numbers?);
            let row = value.row(row);
            numbers.is_valid(row).then(|| numbers.value(row))
        }
    }

    /// The bytes of a binary or string argument; null if it is omitted.
    pub(super) fn bytes(&self, index: usize) -> impl Fn(usize) -> Option<&'a [u8]> + use<'a> {
        let value = self.values.get(index);
        let binaries = value.and_then(|v| v.array().as_binary_opt::<i32>());
        let text = self.text(index);
        move |row| {
            let Some(binaries) = binaries else { return text(row).map(str::as_bytes) };
            let row = value?.row(row);
            binaries.is_valid(row).then(|| binaries.value(row))
        }
    }

    pub(super) fn has(&self, index: usize) -> bool {
        index < self.values.len()
    }
}

/// Strings within the limit of a batch.
pub(super) fn strings<'a>(
    arguments: &Arguments<'_>,
    text: impl Fn(usize) -> Option<Cow<'a, str>>,
) -> Result<ArrayRef> {
    let mut builder = StringBuilder::new();
    let mut bytes = 0;
    for row in 0..arguments.rows {
        let text = text(row);
        bytes += text.as_ref().map_or(0, |t| t.len());
        if bytes > i32::MAX as usize {
            return Err(overflow_error(
                "the strings of one batch exceed 2 GiB; use smaller batches",
            ));
        }
        builder.append_option(text);
    }
    Ok(Arc::new(builder.finish()))
}
