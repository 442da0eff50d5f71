//! Kept columns of rows, wherever their blocks are, as Arrow arrays.

use std::sync::Arc;

use arrow::array::{ArrayData, ArrayRef, BooleanArray, make_array};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow::datatypes::{ArrowNativeType, DataType};
use arrow::error::ArrowError;

use super::payload::{FixedColumn, PayloadPlan, Place};
use super::rows::Block;
use crate::arch::prefetch_address;
use crate::error::Result;
use crate::probe::{Gathered, each_width, fixed_array};

/// Rows that are located before their values are read. Not measured.
const AHEAD: usize = 128;

/// A stored row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located<'a> {
    pub(crate) block: &'a Block,
    pub(crate) row: usize,
}

impl PayloadPlan {
    /// The columns `wanted` of some rows; nulls where there is no row.
    ///
    /// # Errors
    /// Arrow's, such as an offset overflow.
    pub(crate) fn gather(
        &self,
        wanted: &[usize],
        rows: &[Option<Located<'_>>],
    ) -> Result<Vec<ArrayRef>> {
        let mut fixed: Vec<Option<Gathered>> = (wanted.iter())
            .map(|&column| match self.places[column] {
                Place::Fixed(at) => Some(Gathered::with_capacity(self.fixed[at].width, rows.len())),
                _ => None,
            })
            .collect();
        if fixed.iter().any(Option::is_some) {
            self.gather_fixed(wanted, rows, &mut fixed);
        }
        let mut decoded = None;
        let mut columns = Vec::with_capacity(wanted.len());
        for (&column, fixed) in wanted.iter().zip(fixed) {
            columns.push(match (self.places[column], fixed) {
                (Place::Fixed(at), Some(values)) => {
                    let nulls = validity(rows, at);
                    values.finish(&self.fixed[at].data_type, rows.len(), nulls)?
                }
                (Place::Text(at), _) => {
                    let nulls = validity(rows, self.fixed.len() + at);
                    text(&self.texts[at], rows, at, nulls)?
                }
                (Place::Encoded(at), _) => {
                    let all = match &decoded {
                        Some(all) => all,
                        None => decoded.insert(self.decode(rows)?),
                    };
                    Arc::clone(&all[at])
                }
                (Place::Fixed(_), None) => unreachable!("fixed-width columns are gathered"),
            });
        }
        Ok(columns)
    }

    fn gather_fixed(
        &self,
        wanted: &[usize],
        rows: &[Option<Located<'_>>],
        columns: &mut [Option<Gathered>],
    ) {
        // What a row that is not there reads.
        let zeros = vec![0u8; self.stride];
        let mut starts = [zeros.as_ptr(); AHEAD];
        for rows in rows.chunks(AHEAD) {
            for (start, located) in starts.iter_mut().zip(rows) {
                *start = match located {
                    Some(Located { block, row }) => {
                        let end = (row + 1) * self.stride;
                        assert!(*row < block.rows && end <= block.value_bytes(), "no such row");
                        block.values().wrapping_add(row * self.stride)
                    }
                    None => zeros.as_ptr(),
                };
                prefetch_address(*start);
            }
            for (&column, values) in wanted.iter().zip(&mut *columns) {
                let (Place::Fixed(at), Some(values)) = (self.places[column], values) else {
                    continue;
                };
                let FixedColumn { offset, width, .. } = self.fixed[at];
                assert!(offset + width <= self.stride);
                // SAFETY: each start is the first of `stride` bytes: those of a
                // row that its block has (asserted), whose slot holds them for
                // as long as it is borrowed, or `zeros`. The column lies within
                // the stride.
                unsafe { values.read(&starts[..rows.len()], offset) };
            }
        }
    }

    fn decode(&self, rows: &[Option<Located<'_>>]) -> Result<Vec<ArrayRef>> {
        let heap = self.encoded_heap();
        self.codec.decode(rows.iter().map(|located| match located {
            Some(Located { block, row }) => block.columns.heap(heap).value(*row),
            None => &*self.codec.nulls,
        }))
    }

    /// How many of the first of `rows` fit into `bytes`, roughly; at
    /// least one, if there is one.
    ///
    /// # Errors
    /// Those of `locate`, of the rows that are looked at.
    pub(crate) fn within<'a>(
        &self,
        rows: usize,
        locate: impl Fn(usize) -> Result<Option<Located<'a>>>,
        bytes: usize,
    ) -> Result<usize> {
        if self.is_fixed() {
            return Ok((bytes / self.stride.max(1)).clamp(1, rows.max(1)).min(rows));
        }
        let mut left = bytes;
        for i in 0..rows {
            let heaps = locate(i)?.map_or(0, |Located { block, row }| {
                (0..=self.texts.len())
                    .filter(|&at| at < self.encoded_heap() || block.columns.has_heap(at))
                    .map(|at| block.columns.heap(at).value(row).len() + size_of::<u32>())
                    .sum()
            });
            let needed = (self.stride + heaps).max(1);
            if needed > left {
                return Ok(i.max(1));
            }
            left -= needed;
        }
        Ok(rows)
    }
}

impl Gathered {
    /// Appends the value at `offset` of each row.
    ///
    /// # Safety
    /// Each of `starts` begins `offset` and a width of readable bytes.
    unsafe fn read(&mut self, starts: &[*const u8], offset: usize) {
        /// # Safety
        /// As above.
        unsafe fn each<T: ArrowNativeType>(to: &mut Vec<T>, starts: &[*const u8], offset: usize) {
            // SAFETY: the caller's; rows are packed, hence unaligned.
            to.extend(
                starts
                    .iter()
                    .map(|&start| unsafe { start.add(offset).cast::<T>().read_unaligned() }),
            );
        }
        // SAFETY: the caller's.
        unsafe { each_width!(self, values => each(values, starts, offset)) }
    }

    fn finish(
        self,
        data_type: &DataType,
        rows: usize,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef> {
        let values = match self {
            Self::W1(values) if *data_type == DataType::Boolean => {
                let values = BooleanBuffer::collect_bool(rows, |row| values[row] != 0);
                return Ok(Arc::new(BooleanArray::new(values, nulls)));
            }
            values => each_width!(values, values => Buffer::from_vec(values)),
        };
        fixed_array(data_type, rows, values, nulls)
    }
}

/// Validity of column `at`, fixed-width ones first; `None` where all are valid.
fn validity(rows: &[Option<Located<'_>>], at: usize) -> Option<NullBuffer> {
    let valid = |located: &Option<Located<'_>>| {
        located.is_some_and(|Located { block, row }| block.columns.is_valid(at, row))
    };
    if rows.iter().all(valid) {
        return None;
    }
    Some(NullBuffer::new(BooleanBuffer::collect_bool(rows.len(), |i| valid(&rows[i]))))
}

fn text(
    data_type: &DataType,
    rows: &[Option<Located<'_>>],
    at: usize,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let value = |located: &Option<Located<'_>>| match located {
        Some(Located { block, row }) => block.columns.heap(at).value(*row).len(),
        None => 0,
    };
    let total: usize = rows.iter().map(value).sum();
    let mut bytes = Vec::with_capacity(total);
    let append = |located: &Option<Located<'_>>, bytes: &mut Vec<u8>| {
        if let Some(Located { block, row }) = located {
            bytes.extend_from_slice(block.columns.heap(at).value(*row));
        }
        bytes.len()
    };
    let offsets = if matches!(data_type, DataType::LargeUtf8 | DataType::LargeBinary) {
        let ends = rows.iter().map(|located| append(located, &mut bytes) as i64);
        Buffer::from_vec(std::iter::once(0).chain(ends).collect::<Vec<i64>>())
    } else {
        if i32::try_from(total).is_err() {
            return Err(ArrowError::OffsetOverflowError(total).into());
        }
        let ends = rows.iter().map(|located| append(located, &mut bytes) as i32);
        Buffer::from_vec(std::iter::once(0).chain(ends).collect::<Vec<i32>>())
    };
    let builder = ArrayData::builder(data_type.clone())
        .len(rows.len())
        .add_buffer(offsets)
        .add_buffer(Buffer::from_vec(bytes))
        .nulls(nulls);
    // SAFETY: offsets ascend from 0 to the length of the bytes. The bytes of a
    // string column are those of whole values of such columns (`Incoming` takes
    // them from arrays of the same type), so they are valid UTF-8.
    Ok(make_array(unsafe { builder.build_unchecked() }))
}
