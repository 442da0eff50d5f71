//! A column of a table whose values have no fixed width.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array, new_empty_array, new_null_array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::{concat, interleave, take};
use arrow::datatypes::DataType;

use crate::error::Result;
use crate::pairs::NO_ROW;

/// Value bytes that one array with 32-bit offsets can hold.
pub(super) const ARRAY_BYTES: usize = i32::MAX as usize;

/// Strings, binaries, booleans and nested values.
#[derive(Debug)]
pub(super) enum VariableColumn {
    /// In one array.
    Whole(ArrayRef),
    /// More than 32-bit offsets can address: the arrays as they came, where
    /// each starts, and the input row of each row if the order was changed.
    Chunked { arrays: Vec<ArrayRef>, starts: Vec<usize>, order: Option<Vec<u32>> },
}

impl VariableColumn {
    /// Copies `chunks`, in the order of `order` if given, with a null where it
    /// says [`NO_ROW`].
    ///
    /// # Errors
    /// Arrow's.
    pub(super) fn new(
        data_type: &DataType,
        chunks: &[ArrayRef],
        order: Option<&[u32]>,
    ) -> Result<Self> {
        Self::with_limit(data_type, chunks, order, ARRAY_BYTES)
    }

    /// As `new`; arrays of more than `limit` bytes are not concatenated.
    fn with_limit(
        data_type: &DataType,
        chunks: &[ArrayRef],
        order: Option<&[u32]>,
        limit: usize,
    ) -> Result<Self> {
        if chunks.iter().map(Array::get_buffer_memory_size).sum::<usize>() > limit {
            let mut starts = Vec::with_capacity(chunks.len());
            let mut start = 0;
            for chunk in chunks {
                starts.push(start);
                start += chunk.len();
            }
            let arrays = chunks.iter().map(compact).collect::<Result<_>>()?;
            return Ok(Self::Chunked { arrays, starts, order: order.map(<[u32]>::to_vec) });
        }
        let chunks: Vec<&dyn Array> = chunks.iter().map(|chunk| &**chunk).collect();
        let whole = if chunks.is_empty() { new_empty_array(data_type) } else { concat(&chunks)? };
        Ok(Self::Whole(match order {
            Some(order) => take(&whole, &indices(order), None)?,
            None if chunks.len() == 1 => compact(&whole)?,
            None => whole,
        }))
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Whole(array) => array.get_array_memory_size(),
            Self::Chunked { arrays, order, .. } => {
                arrays.iter().map(Array::get_array_memory_size).sum::<usize>()
                    + order.as_ref().map_or(0, |order| order.capacity() * size_of::<u32>())
            }
        }
    }

    /// The values of `rows`, nulls where a row is [`NO_ROW`].
    ///
    /// # Errors
    /// Arrow's, such as an offset overflow.
    ///
    /// # Panics
    /// If a row other than [`NO_ROW`] is out of bounds.
    pub(super) fn gather(&self, rows: &[u32]) -> Result<ArrayRef> {
        match self {
            Self::Whole(array) => Ok(take(array, &indices(rows), None)?),
            Self::Chunked { arrays, starts, order } => {
                // One more array, a single null, for the rows that were not found.
                let null = new_null_array(arrays[0].data_type(), 1);
                let mut sources: Vec<&dyn Array> = arrays.iter().map(|array| &**array).collect();
                sources.push(&*null);
                let indices: Vec<(usize, usize)> = rows
                    .iter()
                    .map(|&row| {
                        let input_row = |row: u32| match order {
                            Some(order) if row != NO_ROW => order[row as usize],
                            _ => row,
                        };
                        let row = input_row(row);
                        if row == NO_ROW {
                            return (arrays.len(), 0);
                        }
                        let row = row as usize;
                        let chunk = starts.partition_point(|&start| start <= row) - 1;
                        (chunk, row - starts[chunk])
                    })
                    .collect();
                Ok(interleave(&sources, &indices)?)
            }
        }
    }
}

/// Rows as `take` wants them, with a null in place of [`NO_ROW`].
pub(super) fn indices(rows: &[u32]) -> UInt32Array {
    let found = rows
        .contains(&NO_ROW)
        .then(|| NullBuffer::new(BooleanBuffer::collect_bool(rows.len(), |i| rows[i] != NO_ROW)));
    UInt32Array::new(rows.to_vec().into(), found)
}

/// An array with the same values that keeps nothing else alive.
pub(super) fn compact(array: &ArrayRef) -> Result<ArrayRef> {
    Ok(match array.data_type() {
        DataType::Utf8View => Arc::new(array.as_string_view().gc()),
        DataType::BinaryView => Arc::new(array.as_binary_view().gc()),
        _ => take(array, &UInt32Array::from_iter_values(0..array.len() as u32), None)?,
    })
}

#[cfg(test)]
mod tests {
    use arrow::array::StringArray;

    use super::*;

    #[test]
    fn arrays_too_large_for_one_give_the_same_rows() {
        let texts = [Some("a"), None, Some("ccc"), Some(""), Some("eeeeeeeeeeeeeeeee"), Some("f")];
        let chunks: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter(&texts[..2])),
            Arc::new(StringArray::from_iter(&texts[2..2])),
            Arc::new(StringArray::from_iter(&texts[2..])),
        ];
        let rows = [3, NO_ROW, 0, 5, 5, NO_ROW, 1];
        for order in [None, Some(&[5, 4, 3, 2, 1, 0][..])] {
            let [whole, chunked] = [usize::MAX, 0].map(|limit| {
                VariableColumn::with_limit(&DataType::Utf8, &chunks, order, limit).unwrap()
            });
            assert!(matches!(chunked, VariableColumn::Chunked { .. }));
            assert_eq!(&whole.gather(&rows).unwrap(), &chunked.gather(&rows).unwrap());
            assert!(chunked.bytes() > 0);
        }
    }
}
