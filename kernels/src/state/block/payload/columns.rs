//! The columns of a block, apart from the values of fixed width.

use arrow::array::ArrayData;
use arrow::buffer::NullBuffer;
use arrow::datatypes::{ArrowNativeType, DataType};

use super::heap::Heap;
use super::incoming::Incoming;
use super::plan::PayloadPlan;
use crate::probe::{by_width, values};
use crate::state::block::bits;

/// The columns of a block, apart from the values of fixed width.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// Validity of fixed-width columns, then of texts; empty without a null.
    valid: Vec<Vec<u64>>,
    /// Texts, then what is encoded.
    heaps: Vec<Heap>,
}

impl Columns {
    pub(crate) fn new(plan: &PayloadPlan) -> Self {
        Self {
            valid: (0..plan.fixed.len() + plan.texts.len()).map(|_| Vec::new()).collect(),
            heaps: (0..plan.heaps()).map(|_| Heap::default()).collect(),
        }
    }

    /// Appends `rows` of a batch, of which the first is number `first` of those
    /// to store; `at` rows are held, and `fixed` has room for the values.
    pub(crate) fn append(
        &mut self,
        plan: &PayloadPlan,
        incoming: &Incoming<'_>,
        first: usize,
        rows: &[u32],
        at: usize,
        fixed: &mut [u8],
    ) {
        for (i, (column, data)) in plan.fixed.iter().zip(&incoming.fixed).enumerate() {
            let from = &mut fixed[at * plan.stride..(at + rows.len()) * plan.stride];
            if column.data_type == DataType::Boolean {
                let values = data.buffers()[0].as_slice();
                for (row, to) in rows.iter().zip(from.chunks_exact_mut(plan.stride)) {
                    let bit = data.offset() + *row as usize;
                    to[column.offset] = values[bit / 8] >> (bit % 8) & 1;
                }
            } else {
                by_width!(column.width, fill(from, plan.stride, column.offset, data, rows));
            }
            let nulls = data.nulls().filter(|nulls| nulls.null_count() > 0);
            append_validity(&mut self.valid[i], nulls, rows, at);
        }
        for (i, text) in incoming.texts.iter().enumerate() {
            let heap = &mut self.heaps[i];
            for &row in rows {
                heap.push(text.value(row as usize));
            }
            append_validity(&mut self.valid[plan.fixed.len() + i], text.nulls, rows, at);
        }
        if let Some(encoded) = &incoming.encoded {
            let heap = &mut self.heaps[plan.encoded_heap()];
            (first..first + rows.len()).for_each(|row| heap.push(encoded.row(row)));
        }
    }

    /// Appends row `row` of another block as row `at`.
    pub(crate) fn append_from(&mut self, other: &Self, row: usize, at: usize) {
        for (valid, other) in self.valid.iter_mut().zip(&other.valid) {
            let is_valid = other.is_empty() || bits::get(other, row);
            push_validity(valid, is_valid, at);
        }
        for (heap, other) in self.heaps.iter_mut().zip(&other.heaps) {
            heap.push(other.value(row));
        }
    }

    /// How many of `rows`, from number `first` of those to store on, fit into
    /// heaps that hold `most` bytes each; at least one if they are empty.
    pub(crate) fn fitting(
        &self,
        incoming: &Incoming<'_>,
        first: usize,
        rows: &[u32],
        most: usize,
    ) -> usize {
        let mut fit = rows.len();
        let encoded = incoming.encoded.iter().map(|encoded| -> Box<dyn Fn(usize) -> usize> {
            Box::new(move |i| encoded.row(first + i).len())
        });
        let texts = incoming.texts.iter().map(|text| -> Box<dyn Fn(usize) -> usize> {
            Box::new(move |i| text.value(rows[i] as usize).len())
        });
        for (heap, length) in self.heaps.iter().zip(texts.chain(encoded)) {
            let mut more = 0;
            fit = (0..fit)
                .take_while(|&i| {
                    more += length(i);
                    heap.fits(more, most)
                })
                .count();
        }
        fit
    }

    /// Whether a row of another block fits.
    pub(crate) fn fits(&self, other: &Self, row: usize, most: usize) -> bool {
        let heaps = self.heaps.iter().zip(&other.heaps);
        heaps.into_iter().all(|(heap, other)| heap.fits(other.value(row).len(), most))
    }

    /// Whether column `at`, fixed-width ones first, has a value in `row`.
    pub(crate) fn is_valid(&self, at: usize, row: usize) -> bool {
        self.valid[at].is_empty() || bits::get(&self.valid[at], row)
    }

    pub(crate) fn has_heap(&self, at: usize) -> bool {
        at < self.heaps.len()
    }

    pub(crate) fn heap(&self, at: usize) -> &Heap {
        &self.heaps[at]
    }

    /// Lists of a block's columns.
    pub(crate) fn list_bytes(plan: &PayloadPlan) -> usize {
        let columns = plan.fixed.len() + plan.texts.len();
        columns * size_of::<Vec<u64>>() + plan.heaps() * size_of::<Heap>()
    }

    /// Length and capacity of the bytes of each heap, and of their ends.
    pub(crate) fn rooms(&self) -> impl Iterator<Item = [(usize, usize); 2]> + '_ {
        self.heaps.iter().map(|heap| {
            [(heap.bytes.len(), heap.bytes.capacity()), (heap.ends.len(), heap.ends.capacity())]
        })
    }

    /// Bytes in use and bytes allocated, of heaps and of validity.
    pub(crate) fn bytes(&self) -> (usize, usize, usize) {
        let (mut used, mut allocated) = (0, 0);
        for heap in &self.heaps {
            used += heap.bytes.len() + heap.ends.len() * size_of::<u32>();
            allocated += heap.bytes.capacity() + heap.ends.capacity() * size_of::<u32>();
        }
        let valid = self.valid.iter().map(|valid| valid.capacity() * size_of::<u64>()).sum();
        (used, allocated, valid)
    }
}

/// Writes the values of `rows` at `offset` of one row after the other.
fn fill<T: ArrowNativeType>(
    to: &mut [u8],
    stride: usize,
    offset: usize,
    data: &ArrayData,
    rows: &[u32],
) {
    let values = values::<T>(data);
    assert!(offset + size_of::<T>() <= stride && rows.len() * stride <= to.len());
    for (i, &row) in rows.iter().enumerate() {
        let value = values[row as usize];
        // SAFETY: `i * stride + offset + size_of::<T>()` is at most `to.len()`,
        // for `i` is below the number of rows; rows are packed, hence unaligned.
        unsafe { to.as_mut_ptr().add(i * stride + offset).cast::<T>().write_unaligned(value) };
    }
}

/// Validity of more rows; nothing is kept while there is no null.
fn append_validity(valid: &mut Vec<u64>, nulls: Option<&NullBuffer>, rows: &[u32], at: usize) {
    if nulls.is_none() && valid.is_empty() {
        return;
    }
    for (i, &row) in rows.iter().enumerate() {
        push_validity(valid, nulls.is_none_or(|nulls| nulls.is_valid(row as usize)), at + i);
    }
}

fn push_validity(valid: &mut Vec<u64>, is_valid: bool, at: usize) {
    if valid.is_empty() {
        if is_valid {
            return;
        }
        (0..at).for_each(|row| bits::put(valid, row, true));
    }
    bits::put(valid, at, is_valid);
}
