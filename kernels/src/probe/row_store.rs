//! Fixed-width columns of a table, row by row: a look-up touches one or two
//! cache lines for all of them instead of one a column.

use arrow::array::{Array, ArrayRef, BooleanBufferBuilder};
use arrow::buffer::{BooleanBuffer, Buffer as ArrowBuffer, NullBuffer};
use arrow::datatypes::{ArrowNativeType, DataType, ToByteSlice};

use super::gather::{fixed_array, fixed_width, values};
use crate::error::Result;
use crate::memory::{Buffer, Plain};
use crate::pairs::NO_ROW;

/// Rows that are gathered for all columns before the next ones: what they
/// touch stays in the first-level cache.
const BLOCK: usize = 128;

/// Columns of 1, 2, 4, 8 or 16 bytes a value, laid out row by row, and their
/// validity apart.
#[derive(Debug)]
pub(super) struct RowStore {
    columns: Vec<Column>,
    rows: usize,
    stride: usize,
    bytes: Buffer<u8>,
}

#[derive(Debug)]
struct Column {
    data_type: DataType,
    width: usize,
    /// Where the value begins in a row; `offset + width <= stride`.
    offset: usize,
    valid: Option<BooleanBuffer>,
}

/// An output column in the making.
enum Gathered {
    W1(Vec<u8>),
    W2(Vec<u16>),
    W4(Vec<u32>),
    W8(Vec<u64>),
    W16(Vec<i128>),
}

/// Calls `$body` with `$values` bound to the vector of whichever width.
macro_rules! each_width {
    ($gathered:expr, $values:ident => $body:expr) => {
        match $gathered {
            Gathered::W1($values) => $body,
            Gathered::W2($values) => $body,
            Gathered::W4($values) => $body,
            Gathered::W8($values) => $body,
            Gathered::W16($values) => $body,
        }
    };
}

impl RowStore {
    /// Copies columns of `rows` rows, each in chunks, in the order of `order` if
    /// given, which names each row once and [`NO_ROW`] where a row is left out.
    /// Their types have a [`fixed_width`].
    pub(super) fn new(
        columns: &[(&DataType, &[ArrayRef])],
        rows: usize,
        order: Option<&[u32]>,
    ) -> Self {
        let positions = order.map_or(rows, <[u32]>::len);
        // The widest first, so that each value is aligned to its width.
        let widths: Vec<usize> =
            columns.iter().map(|(data_type, _)| fixed_width(data_type).unwrap_or(0)).collect();
        let widest = widths.iter().copied().max().unwrap_or(1);
        let mut by_width: Vec<usize> = (0..columns.len()).collect();
        by_width.sort_by_key(|&i| std::cmp::Reverse(widths[i]));
        let mut offsets = vec![0; columns.len()];
        let mut end = 0;
        for i in by_width {
            offsets[i] = end;
            end += widths[i];
        }
        let stride = end.next_multiple_of(widest);
        let mut store = Self {
            columns: columns
                .iter()
                .zip(widths.iter().zip(offsets))
                .map(|((data_type, chunks), (&width, offset))| Column {
                    data_type: (*data_type).clone(),
                    width,
                    offset,
                    valid: validity(chunks, rows, order),
                })
                .collect(),
            rows: positions,
            stride,
            bytes: Buffer::zeroed(positions * stride),
        };
        // Where each input row goes.
        let target: Option<Vec<u32>> = order.map(|order| {
            let mut target = vec![0; rows];
            let held = order.iter().zip(0..).filter(|&(&from, _)| from != NO_ROW);
            held.for_each(|(&from, to)| target[from as usize] = to);
            target
        });
        for (i, (_, chunks)) in columns.iter().enumerate() {
            let mut row = 0;
            for chunk in *chunks {
                match widths[i] {
                    1 => store.fill::<u8>(i, chunk, row, target.as_deref()),
                    2 => store.fill::<u16>(i, chunk, row, target.as_deref()),
                    4 => store.fill::<u32>(i, chunk, row, target.as_deref()),
                    8 => store.fill::<u64>(i, chunk, row, target.as_deref()),
                    _ => store.fill::<i128>(i, chunk, row, target.as_deref()),
                }
                row += chunk.len();
            }
        }
        store
    }

    fn fill<T: Plain + ArrowNativeType>(
        &mut self,
        column: usize,
        chunk: &ArrayRef,
        first_row: usize,
        target: Option<&[u32]>,
    ) {
        let (stride, offset) = (self.stride, self.columns[column].offset);
        let data = chunk.to_data();
        for (i, value) in values::<T>(&data).iter().enumerate() {
            let row = target.map_or(first_row + i, |target| target[first_row + i] as usize);
            let at = row * stride + offset;
            self.bytes[at..at + size_of::<T>()].copy_from_slice(value.to_byte_slice());
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let valid = self.columns.iter().filter_map(|column| column.valid.as_ref());
        self.bytes.bytes() + valid.map(|valid| valid.inner().capacity()).sum::<usize>()
    }

    /// The values of `rows` for each of `wanted`, nulls where a row is
    /// [`NO_ROW`].
    ///
    /// # Errors
    /// Arrow's.
    ///
    /// # Panics
    /// If a row other than [`NO_ROW`] is out of bounds.
    pub(super) fn gather(&self, wanted: &[usize], rows: &[u32]) -> Result<Vec<ArrayRef>> {
        // One vectorised pass in place of a check a row.
        let largest =
            rows.iter().fold(0, |largest, &row| largest.max(if row == NO_ROW { 0 } else { row }));
        let all_found = !rows.contains(&NO_ROW);
        if self.rows == 0 {
            assert!(rows.iter().all(|&row| row == NO_ROW), "row {largest} of 0");
        } else {
            assert!((largest as usize) < self.rows, "row {largest} of {}", self.rows);
        }
        let mut gathered: Vec<Gathered> = wanted
            .iter()
            .map(|&i| match self.columns[i].width {
                1 => Gathered::W1(Vec::with_capacity(rows.len())),
                2 => Gathered::W2(Vec::with_capacity(rows.len())),
                4 => Gathered::W4(Vec::with_capacity(rows.len())),
                8 => Gathered::W8(Vec::with_capacity(rows.len())),
                _ => Gathered::W16(Vec::with_capacity(rows.len())),
            })
            .collect();
        for block in rows.chunks(BLOCK) {
            for (&i, gathered) in wanted.iter().zip(&mut gathered) {
                let offset = self.columns[i].offset;
                each_width!(gathered, values => if self.rows == 0 {
                    values.resize(values.len() + block.len(), Default::default());
                } else {
                    // SAFETY: all rows but `NO_ROW` were seen to be below
                    // `self.rows`, and the vector's type has the column's width.
                    unsafe { self.append(offset, block, values) }
                });
            }
        }
        wanted
            .iter()
            .zip(gathered)
            .map(|(&i, gathered)| {
                let column = &self.columns[i];
                let nulls = column.gathered_nulls(rows, all_found);
                let values = each_width!(gathered, values => ArrowBuffer::from_vec(values));
                fixed_array(&column.data_type, rows.len(), values, nulls)
            })
            .collect()
    }

    /// Appends the value at `offset` of each row; for [`NO_ROW`] that of row 0.
    ///
    /// # Safety
    /// There are rows, those named are below `self.rows` or [`NO_ROW`], and
    /// `offset + size_of::<T>() <= self.stride`.
    #[inline(always)]
    unsafe fn append<T: Plain>(&self, offset: usize, rows: &[u32], values: &mut Vec<T>) {
        debug_assert!(offset + size_of::<T>() <= self.stride);
        let base = self.bytes.as_ptr();
        values.extend(rows.iter().map(|&row| {
            let row = if row == NO_ROW { 0 } else { row as usize };
            debug_assert!(row < self.rows);
            // SAFETY: `row < self.rows`, so that `size_of::<T>()` bytes from
            // `row * stride + offset` on lie inside the `rows * stride` bytes
            // of the buffer; every bit pattern of a `Plain` type is a value.
            unsafe { base.add(row * self.stride + offset).cast::<T>().read_unaligned() }
        }));
    }
}

impl Column {
    fn gathered_nulls(&self, rows: &[u32], all_found: bool) -> Option<NullBuffer> {
        let valid = match (all_found, &self.valid) {
            (true, None) => return None,
            (false, None) => BooleanBuffer::collect_bool(rows.len(), |i| rows[i] != NO_ROW),
            (_, Some(valid)) => BooleanBuffer::collect_bool(rows.len(), |i| {
                rows[i] != NO_ROW && valid.value(rows[i] as usize)
            }),
        };
        Some(NullBuffer::new(valid))
    }
}

/// The validity of all chunks together; none if no value is null.
fn validity(chunks: &[ArrayRef], rows: usize, order: Option<&[u32]>) -> Option<BooleanBuffer> {
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
        Some(order) => BooleanBuffer::collect_bool(order.len(), |i| {
            order[i] != NO_ROW && valid.value(order[i] as usize)
        }),
    })
}
