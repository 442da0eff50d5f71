//! The columns that a table retains, compact and owned by it.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanBufferBuilder, UInt32Array, new_empty_array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::{concat, interleave, take};
use arrow::datatypes::{ArrowNativeType, DataType};

use super::gather::{check_bounds, fixed_array, fixed_width, row_bytes, values};
use crate::error::Result;
use crate::memory::{Buffer, Plain};
use crate::pairs::NO_ROW;

/// One retained column. The row [`NO_ROW`] is a null in every output.
#[derive(Debug)]
pub(crate) struct PayloadColumn {
    data_type: DataType,
    rows: usize,
    row_bytes: usize,
    values: Values,
}

#[derive(Debug)]
enum Values {
    /// Fixed width, on huge pages.
    Fixed(FixedValues, Option<BooleanBuffer>),
    /// Any other type in one array.
    Whole(ArrayRef),
    /// More than 32-bit offsets can address: the arrays as they came, where
    /// each starts, and the input row of each row if the order was changed.
    Chunked { arrays: Vec<ArrayRef>, starts: Vec<usize>, order: Option<Vec<u32>> },
}

#[derive(Debug)]
enum FixedValues {
    W1(Buffer<u8>),
    W2(Buffer<u16>),
    W4(Buffer<u32>),
    W8(Buffer<u64>),
    W16(Buffer<i128>),
}

impl FixedValues {
    fn bytes(&self) -> usize {
        match self {
            Self::W1(buffer) => buffer.bytes(),
            Self::W2(buffer) => buffer.bytes(),
            Self::W4(buffer) => buffer.bytes(),
            Self::W8(buffer) => buffer.bytes(),
            Self::W16(buffer) => buffer.bytes(),
        }
    }
}

impl PayloadColumn {
    /// Copies `chunks`, in the order of `order` if given, else as they come.
    ///
    /// # Errors
    /// Arrow's.
    pub(crate) fn new(
        data_type: &DataType,
        chunks: &[ArrayRef],
        order: Option<&[u32]>,
    ) -> Result<Self> {
        Self::with_chunk_limit(data_type, chunks, order, i32::MAX as usize)
    }

    /// As `new`; arrays of more than `limit` value bytes are not concatenated.
    fn with_chunk_limit(
        data_type: &DataType,
        chunks: &[ArrayRef],
        order: Option<&[u32]>,
        limit: usize,
    ) -> Result<Self> {
        let rows = chunks.iter().map(|chunk| chunk.len()).sum();
        let values = match fixed_width(data_type) {
            Some(width) => {
                let nulls = nulls(chunks, rows, order);
                let values = match width {
                    1 => FixedValues::W1(copy_fixed(chunks, rows, order)),
                    2 => FixedValues::W2(copy_fixed(chunks, rows, order)),
                    4 => FixedValues::W4(copy_fixed(chunks, rows, order)),
                    8 => FixedValues::W8(copy_fixed(chunks, rows, order)),
                    _ => FixedValues::W16(copy_fixed(chunks, rows, order)),
                };
                Values::Fixed(values, nulls)
            }
            None if chunks.iter().map(|chunk| chunk.get_buffer_memory_size()).sum::<usize>()
                > limit =>
            {
                let mut starts = Vec::with_capacity(chunks.len());
                let mut start = 0;
                for chunk in chunks {
                    starts.push(start);
                    start += chunk.len();
                }
                let arrays = chunks.iter().map(compact).collect::<Result<_>>()?;
                Values::Chunked { arrays, starts, order: order.map(<[u32]>::to_vec) }
            }
            None => {
                let chunks: Vec<&dyn Array> = chunks.iter().map(|chunk| &**chunk).collect();
                let whole = match &chunks[..] {
                    [] => new_empty_array(data_type),
                    chunks => concat(chunks)?,
                };
                Values::Whole(match order {
                    Some(order) => take(&whole, &UInt32Array::from(order.to_vec()), None)?,
                    None if chunks.len() == 1 => compact(&whole)?,
                    None => whole,
                })
            }
        };
        let row_bytes = chunks.iter().map(row_bytes).max().unwrap_or(0);
        Ok(Self { data_type: data_type.clone(), rows, row_bytes, values })
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        match &self.values {
            Values::Fixed(values, nulls) => {
                values.bytes() + nulls.as_ref().map_or(0, |nulls| nulls.inner().capacity())
            }
            Values::Whole(array) => array.get_array_memory_size(),
            Values::Chunked { arrays, order, .. } => {
                arrays.iter().map(|array| array.get_array_memory_size()).sum::<usize>()
                    + order.as_ref().map_or(0, |order| order.capacity() * size_of::<u32>())
            }
        }
    }

    /// Bytes that a row takes at most in an output.
    pub(crate) fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// The values of `rows`, nulls where a row is [`NO_ROW`].
    ///
    /// # Errors
    /// Arrow's, such as an offset overflow.
    ///
    /// # Panics
    /// If a row other than [`NO_ROW`] is out of bounds.
    pub(crate) fn gather(&self, rows: &[u32]) -> Result<ArrayRef> {
        let all_found = !rows.contains(&NO_ROW);
        match &self.values {
            Values::Fixed(values, nulls) => {
                let nulls = self.gathered_nulls(rows, all_found, nulls.as_ref());
                let values = match values {
                    FixedValues::W1(values) => fixed_or_zero(values, rows, all_found),
                    FixedValues::W2(values) => fixed_or_zero(values, rows, all_found),
                    FixedValues::W4(values) => fixed_or_zero(values, rows, all_found),
                    FixedValues::W8(values) => fixed_or_zero(values, rows, all_found),
                    FixedValues::W16(values) => fixed_or_zero(values, rows, all_found),
                };
                fixed_array(&self.data_type, rows.len(), values, nulls)
            }
            Values::Whole(array) => {
                let found = (!all_found).then(|| {
                    NullBuffer::new(BooleanBuffer::collect_bool(rows.len(), |i| rows[i] != NO_ROW))
                });
                Ok(take(array, &UInt32Array::new(rows.to_vec().into(), found), None)?)
            }
            Values::Chunked { arrays, starts, order } => {
                // One more array, a single null, for the rows that were not found.
                let null = arrow::array::new_null_array(&self.data_type, 1);
                let mut sources: Vec<&dyn Array> = arrays.iter().map(|array| &**array).collect();
                sources.push(&*null);
                let indices: Vec<(usize, usize)> = rows
                    .iter()
                    .map(|&row| {
                        if row == NO_ROW {
                            return (arrays.len(), 0);
                        }
                        let row = order.as_ref().map_or(row, |order| order[row as usize]) as usize;
                        let chunk = starts.partition_point(|&start| start <= row) - 1;
                        (chunk, row - starts[chunk])
                    })
                    .collect();
                Ok(interleave(&sources, &indices)?)
            }
        }
    }

    fn gathered_nulls(
        &self,
        rows: &[u32],
        all_found: bool,
        nulls: Option<&BooleanBuffer>,
    ) -> Option<NullBuffer> {
        let valid = match (all_found, nulls) {
            (true, None) => return None,
            (false, None) => BooleanBuffer::collect_bool(rows.len(), |i| rows[i] != NO_ROW),
            (_, Some(nulls)) => BooleanBuffer::collect_bool(rows.len(), |i| {
                rows[i] != NO_ROW && nulls.value(rows[i] as usize)
            }),
        };
        debug_assert!(self.rows < NO_ROW as usize);
        Some(NullBuffer::new(valid))
    }
}

/// An array with the same values that keeps nothing else alive.
fn compact(array: &ArrayRef) -> Result<ArrayRef> {
    Ok(match array.data_type() {
        DataType::Utf8View => Arc::new(array.as_string_view().gc()),
        DataType::BinaryView => Arc::new(array.as_binary_view().gc()),
        _ => take(array, &UInt32Array::from_iter_values(0..array.len() as u32), None)?,
    })
}

fn copy_fixed<T: Plain + ArrowNativeType>(
    chunks: &[ArrayRef],
    rows: usize,
    order: Option<&[u32]>,
) -> Buffer<T> {
    let mut copy = Buffer::zeroed(rows);
    let mut start = 0;
    for chunk in chunks {
        let data = chunk.to_data();
        copy[start..start + chunk.len()].copy_from_slice(values::<T>(&data));
        start += chunk.len();
    }
    match order {
        None => copy,
        Some(order) => {
            let mut ordered = Buffer::zeroed(rows);
            ordered.iter_mut().zip(order).for_each(|(value, &row)| *value = copy[row as usize]);
            ordered
        }
    }
}

/// The validity of all chunks together; none if no value is null.
fn nulls(chunks: &[ArrayRef], rows: usize, order: Option<&[u32]>) -> Option<BooleanBuffer> {
    if chunks.iter().all(|chunk| chunk.null_count() == 0) {
        return None;
    }
    let mut valid = BooleanBufferBuilder::new(rows);
    for chunk in chunks {
        match chunk.nulls() {
            None => valid.append_n(chunk.len(), true),
            Some(nulls) => valid.append_buffer(nulls.inner()),
        }
    }
    let valid = valid.finish();
    Some(match order {
        None => valid,
        Some(order) => BooleanBuffer::collect_bool(rows, |i| valid.value(order[i] as usize)),
    })
}

fn fixed_or_zero<T: Plain + ArrowNativeType>(
    values: &[T],
    rows: &[u32],
    all_found: bool,
) -> arrow::buffer::Buffer {
    let gathered: Vec<T> = if all_found {
        check_bounds(rows, values.len());
        rows.iter()
            .map(|&row| {
                debug_assert!((row as usize) < values.len());
                // SAFETY: `check_bounds` saw that every row is below `values.len()`.
                unsafe { *values.get_unchecked(row as usize) }
            })
            .collect()
    } else {
        rows.iter().map(|&row| values.get(row as usize).copied().unwrap_or_default()).collect()
    };
    arrow::buffer::Buffer::from_vec(gathered)
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, StringArray, StringViewArray};

    use super::*;

    fn check(chunks: &[ArrayRef], order: Option<&[u32]>, limit: usize) {
        let data_type = chunks[0].data_type();
        let column = PayloadColumn::with_chunk_limit(data_type, chunks, order, limit).unwrap();
        let all = concat(&chunks.iter().map(|chunk| &**chunk).collect::<Vec<_>>()).unwrap();
        let rows = [3, NO_ROW, 0, 5, 5, NO_ROW, 1];
        let expected: UInt32Array = rows
            .iter()
            .map(|&row| (row != NO_ROW).then(|| order.map_or(row, |order| order[row as usize])))
            .collect();
        let expected = take(&all, &expected, None).unwrap();
        assert_eq!(&column.gather(&rows).unwrap(), &expected, "{data_type} {order:?} {limit}");
        let found = [2, 4];
        let expected: UInt32Array =
            found.iter().map(|&row| order.map_or(row, |order| order[row as usize])).collect();
        let expected = take(&all, &expected, None).unwrap();
        assert_eq!(&column.gather(&found).unwrap(), &expected);
        assert!(column.gather(&[]).unwrap().is_empty());
        assert!(column.bytes() > 0 && column.row_bytes() > 0);
    }

    #[test]
    fn retained_columns_give_back_their_rows_and_nulls_for_no_row() {
        let texts = [Some("a"), None, Some("ccc"), Some(""), Some("eeeeeeeeeeeeeeeee"), Some("f")];
        let columns: [Vec<ArrayRef>; 3] = [
            vec![
                Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])),
                Arc::new(Int64Array::from(vec![4, 5, 6])),
            ],
            vec![
                Arc::new(StringArray::from_iter(&texts[..2])),
                Arc::new(StringArray::from_iter(&texts[2..])),
            ],
            vec![Arc::new(StringViewArray::from_iter(&texts))],
        ];
        for chunks in &columns {
            for order in [None, Some(&[5, 4, 3, 2, 1, 0][..])] {
                for limit in [0, usize::MAX] {
                    check(chunks, order, limit);
                }
            }
        }
    }

    #[test]
    fn a_retained_slice_does_not_keep_its_whole_buffer() {
        let large: ArrayRef =
            Arc::new(StringArray::from_iter_values((0..10_000).map(|i| format!("value {i}"))));
        let column = PayloadColumn::new(&DataType::Utf8, &[large.slice(5, 3)], None).unwrap();
        assert!(column.bytes() < 1000, "{}", column.bytes());
    }
}
