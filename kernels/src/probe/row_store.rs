//! Fixed-width columns of a table, row by row: a look-up touches one or two
//! cache lines for all of them instead of one per column.

use arrow::array::{Array, ArrayRef, BooleanBufferBuilder};
use arrow::buffer::{BooleanBuffer, Buffer as ArrowBuffer, NullBuffer};
use arrow::datatypes::DataType;

use super::gather::fixed_array;
use super::row_columns::{RowColumns, WORD};
use super::width::{Gathered, each_width};
use crate::error::Result;
use crate::memory::{Buffer, Plain};
use crate::pairs::NO_ROW;
use crate::table::{FusedRows, RowWords};

/// Rows that are gathered for all columns before the next ones: what they touch
/// stays in the first-level cache. Other sizes were not measured.
const BLOCK: usize = 128;

/// Columns of 1, 2, 4, 8 or 16 bytes per value, laid out row by row, and their
/// validity apart.
#[derive(Debug)]
pub(super) struct RowStore {
    columns: Vec<Column>,
    rows: usize,
    /// Bytes from one row to the next.
    stride: usize,
    /// Bytes before the columns of a row.
    start: usize,
    bytes: RowBytes,
}

#[derive(Debug)]
enum RowBytes {
    Own(Buffer<u8>),
    /// An index holds the columns, beside its keys.
    Fused(FusedRows),
}

#[derive(Debug)]
struct Column {
    data_type: DataType,
    width: usize,
    /// Where the value begins after the start of a row;
    /// `start + offset + width <= stride`.
    offset: usize,
    valid: Option<BooleanBuffer>,
}

impl RowStore {
    /// Copies columns of `rows` rows, each in chunks, in the order of `order` if
    /// given, which names each row once and [`NO_ROW`] where a row is left out.
    /// Their types have a [`fixed_width`]. Where an index has fused them with its
    /// keys, in that order, nothing is copied.
    pub(super) fn new(
        columns: &RowColumns<'_>,
        order: Option<&[u32]>,
        fused: Option<FusedRows>,
    ) -> Self {
        let positions = order.map_or(columns.rows, <[u32]>::len);
        let layout = &columns.layout;
        let (stride, start, bytes) = match fused {
            Some(fused) => {
                assert!(fused.stride > columns.words(), "rows of other columns");
                assert_eq!(fused.words.len(), positions * fused.stride, "rows of another table");
                (fused.stride * WORD, WORD, RowBytes::Fused(fused))
            }
            None => {
                let mut bytes = Buffer::zeroed(positions * layout.stride);
                columns.write_bytes(order, layout.stride, &mut bytes);
                (layout.stride, 0, RowBytes::Own(bytes))
            }
        };
        let columns = columns
            .columns
            .iter()
            .zip(&layout.columns)
            .map(|((data_type, chunks), &(width, offset))| {
                let valid = validity(chunks, columns.rows, order);
                Column { data_type: (*data_type).clone(), width, offset, valid }
            })
            .collect();
        Self { columns, rows: positions, stride, start, bytes }
    }

    pub(super) fn bytes(&self) -> usize {
        let valid = self.columns.iter().filter_map(|column| column.valid.as_ref());
        let rows = match &self.bytes {
            RowBytes::Own(bytes) => bytes.bytes(),
            RowBytes::Fused(_) => 0,
        };
        rows + valid.map(|valid| valid.inner().capacity()).sum::<usize>()
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
        // One vectorised pass instead of a check per row.
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
            .map(|&i| Gathered::with_capacity(self.columns[i].width, rows.len()))
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
    /// `self.start + offset + size_of::<T>() <= self.stride`.
    #[inline(always)]
    unsafe fn append<T: Plain>(&self, offset: usize, rows: &[u32], values: &mut Vec<T>) {
        debug_assert!(self.start + offset + size_of::<T>() <= self.stride);
        let base: *const u8 = match &self.bytes {
            RowBytes::Own(bytes) => bytes.as_ptr(),
            RowBytes::Fused(fused) => fused.words.as_ptr().cast(),
        };
        let offset = self.start + offset;
        values.extend(rows.iter().map(|&row| {
            let row = if row == NO_ROW { 0 } else { row as usize };
            debug_assert!(row < self.rows);
            // SAFETY: `row < self.rows`, so that `size_of::<T>()` bytes from
            // `row * stride + offset` on lie inside the `rows * stride` bytes
            // that `new` saw or made; every bit pattern of a `Plain` type is a value.
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

/// The validity of all chunks together; `None` if no value is null.
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
