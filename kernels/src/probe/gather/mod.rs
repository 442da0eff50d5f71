//! Rows of a column in a given order: a branch-free copy for fixed widths,
//! Arrow's `take` for the rest.

#[cfg(test)]
mod tests;

use arrow::array::{Array, ArrayData, ArrayRef, UInt32Array, make_array};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow::compute::take;
use arrow::datatypes::{ArrowNativeType, DataType, IntervalUnit};

use super::width::by_width;
use crate::error::Result;
use crate::key::Strings;

/// The rows of `array` named by `rows`.
///
/// # Errors
/// Arrow's, such as an offset overflow.
///
/// # Panics
/// If a row is out of bounds.
pub(crate) fn gather(array: &ArrayRef, rows: &[u32]) -> Result<ArrayRef> {
    let data_type = array.data_type();
    let Some(width) = fixed_width(data_type) else {
        let indices = UInt32Array::new(rows.to_vec().into(), None);
        return Ok(take(array, &indices, None)?);
    };
    let data = array.to_data();
    let nulls = data.nulls().filter(|nulls| nulls.null_count() > 0).map(|nulls| {
        let valid = |i: usize| nulls.is_valid(rows[i] as usize);
        NullBuffer::new(BooleanBuffer::collect_bool(rows.len(), valid))
    });
    let values = by_width!(width, gathered(&data, rows));
    fixed_array(data_type, rows.len(), values, nulls)
}

/// An array of a fixed-width type from its parts.
pub(crate) fn fixed_array(
    data_type: &DataType,
    rows: usize,
    values: Buffer,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0).map(|nulls| nulls.buffer().clone());
    let data = ArrayData::try_new(data_type.clone(), rows, nulls, 0, vec![values], vec![])?;
    Ok(make_array(data))
}

/// The width of types that are one buffer of 1, 2, 4, 8 or 16 bytes per value,
/// aligned as the integer of that width is.
pub(crate) fn fixed_width(data_type: &DataType) -> Option<usize> {
    if matches!(data_type, DataType::Interval(IntervalUnit::MonthDayNano)) {
        return None;
    }
    data_type.primitive_width().filter(|width| matches!(width, 1 | 2 | 4 | 8 | 16))
}

/// The values of a fixed-width array, its offset applied.
pub(crate) fn values<T: ArrowNativeType>(data: &ArrayData) -> &[T] {
    data.buffer::<T>(0).get(..data.len()).expect("an array holds its length of values")
}

/// Copies the value of `rows[i]` for each `i`.
fn gathered<T: ArrowNativeType>(data: &ArrayData, rows: &[u32]) -> Buffer {
    let values = values::<T>(data);
    check_bounds(rows, values.len());
    let gathered: Vec<T> = rows
        .iter()
        .map(|&row| {
            debug_assert!((row as usize) < values.len());
            // SAFETY: `check_bounds` saw that every row is below `values.len()`.
            unsafe { *values.get_unchecked(row as usize) }
        })
        .collect();
    Buffer::from_vec(gathered)
}

/// One vectorised pass instead of a check per row.
pub(super) fn check_bounds(rows: &[u32], len: usize) {
    let largest = rows.iter().fold(0, |largest, &row| largest.max(row));
    assert!(rows.is_empty() || (largest as usize) < len, "row {largest} of {len}");
}

/// Bytes of the values of an array, without what else its buffers hold.
pub(crate) fn slice_bytes(array: &ArrayRef) -> usize {
    array.to_data().get_slice_memory_size().unwrap_or_else(|_| array.get_buffer_memory_size())
}

/// The most bytes that a row of `array` takes in an output, offsets included.
pub(crate) fn row_bytes(array: &ArrayRef) -> usize {
    fn longest<T: ArrowNativeType>(offsets: &[T]) -> usize {
        offsets.windows(2).map(|pair| pair[1].as_usize() - pair[0].as_usize()).max().unwrap_or(0)
    }
    match Strings::of(array) {
        Some(Strings::Small(offsets, _)) => longest(offsets) + 4,
        Some(Strings::Large(offsets, _)) => longest(offsets) + 8,
        None => array.data_type().primitive_width().unwrap_or_else(|| {
            // Views share their bytes; for nested types the mean is used.
            array.get_buffer_memory_size() / array.len().max(1)
        }),
    }
}
