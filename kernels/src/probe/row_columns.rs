//! Fixed-width columns, to be laid out in rows.

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::{ArrowNativeType, DataType, ToByteSlice};

use super::gather::{fixed_width, values};
use super::width::by_width;
use crate::pairs::NO_ROW;
use crate::table::RowWords;

/// Bytes of a word.
pub(super) const WORD: usize = size_of::<u64>();

/// Columns of a table, each in chunks, and how a row of them is laid out. Their
/// types have a [`fixed_width`].
#[derive(Debug)]
pub(crate) struct RowColumns<'a> {
    pub(super) columns: Vec<(&'a DataType, &'a [ArrayRef])>,
    pub(super) rows: usize,
    pub(super) layout: RowLayout,
}

/// Where each column lies in a row.
#[derive(Debug)]
pub(super) struct RowLayout {
    /// Width and offset of each, in bytes.
    pub(super) columns: Vec<(usize, usize)>,
    /// Bytes of a row.
    pub(super) stride: usize,
}

impl RowLayout {
    /// The widest first, so that each value is aligned to its width.
    fn of(widths: Vec<usize>) -> Self {
        let widest = widths.iter().copied().max().unwrap_or(1);
        let mut by_width: Vec<usize> = (0..widths.len()).collect();
        by_width.sort_by_key(|&i| std::cmp::Reverse(widths[i]));
        let mut offsets = vec![0; widths.len()];
        let mut end = 0;
        for i in by_width {
            offsets[i] = end;
            end += widths[i];
        }
        let stride = end.next_multiple_of(widest);
        Self { columns: widths.into_iter().zip(offsets).collect(), stride }
    }
}

impl<'a> RowColumns<'a> {
    /// Those of `columns`, of `rows` rows, that have a fixed width.
    pub(crate) fn new(columns: &'a [(&'a DataType, Vec<ArrayRef>)], rows: usize) -> Self {
        let fixed = columns.iter().filter_map(|(data_type, chunks)| {
            fixed_width(data_type).map(|width| ((*data_type, &chunks[..]), width))
        });
        let (columns, widths): (Vec<_>, Vec<_>) = fixed.unzip();
        Self { columns, rows, layout: RowLayout::of(widths) }
    }

    /// Writes the columns into rows of `stride` bytes, in the order of `order`
    /// if given.
    pub(super) fn write_bytes(&self, order: Option<&[u32]>, stride: usize, bytes: &mut [u8]) {
        // Where each input row goes.
        let target: Option<Vec<u32>> = order.map(|order| {
            let mut target = vec![0; self.rows];
            let held = order.iter().zip(0..).filter(|&(&from, _)| from != NO_ROW);
            held.for_each(|(&from, to)| target[from as usize] = to);
            target
        });
        for ((_, chunks), &(width, offset)) in self.columns.iter().zip(&self.layout.columns) {
            let mut first = 0;
            for chunk in *chunks {
                let target = target.as_ref().map(|target| &target[first..first + chunk.len()]);
                let rows = Target { first, target, stride, offset };
                by_width!(width, rows.fill(chunk, bytes));
                first += chunk.len();
            }
        }
    }
}

impl RowWords for RowColumns<'_> {
    fn words(&self) -> usize {
        self.layout.stride.div_ceil(WORD)
    }

    fn write(&self, order: &[u32], stride: usize, words: &mut [u64]) {
        assert!(stride > self.words() && words.len() >= order.len() * stride, "room for the rows");
        let len = size_of_val(words);
        // SAFETY: bytes of the same memory, which any bytes may be written to;
        // `words` stays borrowed as long.
        let bytes = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), len) };
        // The columns of each row begin one word after its key.
        self.write_bytes(Some(order), stride * WORD, bytes.get_mut(WORD..).unwrap_or_default());
    }
}

/// Where the values of a chunk go.
struct Target<'a> {
    /// The chunk's first row, where rows stay in their order.
    first: usize,
    target: Option<&'a [u32]>,
    stride: usize,
    offset: usize,
}

impl Target<'_> {
    fn fill<T: ArrowNativeType>(&self, chunk: &ArrayRef, bytes: &mut [u8]) {
        let data = chunk.to_data();
        for (i, value) in values::<T>(&data).iter().enumerate() {
            let row = self.target.map_or(self.first + i, |target| target[i] as usize);
            let at = row * self.stride + self.offset;
            bytes[at..at + size_of::<T>()].copy_from_slice(value.to_byte_slice());
        }
    }
}
