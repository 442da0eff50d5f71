//! The kept columns of a block. Values of a fixed width lie row by row beside
//! the entries; strings end to end, a heap a column; everything else as one
//! byte string a row. All of it is copied: nothing of a batch is kept alive.

use arrow::array::{Array, ArrayData, ArrayRef, AsArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{ArrowNativeType, DataType};

use super::bits;
use crate::error::{JoinError, Result};
use crate::probe::{fixed_width, values};
use crate::state::{by_value, codec::Codec};

/// Where the kept columns lie.
#[derive(Debug)]
pub(in crate::state) struct PayloadPlan {
    pub(super) places: Vec<Place>,
    /// Fixed-width columns.
    pub(super) fixed: Vec<FixedColumn>,
    /// Strings and binaries.
    pub(super) texts: Vec<DataType>,
    /// The columns that are kept as one byte string a row, by position.
    encoded: Vec<usize>,
    pub(super) codec: Codec,
    /// Bytes of a row of fixed-width columns.
    pub(super) stride: usize,
}

/// Where a kept column lies.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Position among the fixed-width columns.
    Fixed(usize),
    /// Position among the texts.
    Text(usize),
    /// Position in the byte string.
    Encoded(usize),
}

#[derive(Debug)]
pub(super) struct FixedColumn {
    pub(super) data_type: DataType,
    pub(super) width: usize,
    /// Where the value begins in a row; `offset + width <= stride`.
    pub(super) offset: usize,
}

/// The payload of rows that come in, ready to be copied: nothing fails any more.
#[derive(Debug)]
pub(in crate::state) struct Incoming<'a> {
    fixed: Vec<ArrayData>,
    texts: Vec<Text<'a>>,
    /// Of the rows to store, in order.
    encoded: Option<Heap>,
}

/// A column of strings or binaries.
#[derive(Debug)]
struct Text<'a> {
    ends: Ends<'a>,
    bytes: &'a [u8],
    nulls: Option<&'a NullBuffer>,
}

#[derive(Debug)]
enum Ends<'a> {
    Small(&'a [i32]),
    Large(&'a [i64]),
}

/// Byte strings end to end.
#[derive(Debug, Default)]
pub(super) struct Heap {
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

/// The columns of a block, apart from the values of fixed width.
#[derive(Debug, Default)]
pub(in crate::state) struct Columns {
    /// Validity of fixed-width columns, then of texts; empty without a null.
    valid: Vec<Vec<u64>>,
    /// Texts, then what is encoded.
    heaps: Vec<Heap>,
}

impl PayloadPlan {
    /// Plans columns of these types, dictionaries and the like by value.
    ///
    /// # Errors
    /// [`JoinError::UnsupportedState`] for a type that cannot be kept.
    pub(in crate::state) fn new(types: &[DataType]) -> Result<Self> {
        // What the other stores refuse is refused here too.
        Codec::new(types)?;
        let mut plan = Self {
            places: Vec::new(),
            fixed: Vec::new(),
            texts: Vec::new(),
            encoded: Vec::new(),
            codec: Codec::new(&[])?,
            stride: 0,
        };
        for (column, data_type) in types.iter().enumerate() {
            let data_type = crate::state::kept_type(data_type).clone();
            use DataType::{Binary, Boolean, LargeBinary, LargeUtf8, Utf8};
            let place = match (&data_type, fixed_width(&data_type)) {
                (Utf8 | LargeUtf8 | Binary | LargeBinary, _) => {
                    plan.texts.push(data_type);
                    Place::Text(plan.texts.len() - 1)
                }
                (Boolean, _) => plan.fix(data_type, 1),
                (_, Some(width)) => plan.fix(data_type, width),
                _ => {
                    plan.encoded.push(column);
                    Place::Encoded(plan.encoded.len() - 1)
                }
            };
            plan.places.push(place);
        }
        // The widest first, so that values are aligned where the row is.
        let mut order: Vec<usize> = (0..plan.fixed.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(plan.fixed[at].width));
        for at in order {
            plan.fixed[at].offset = plan.stride;
            plan.stride += plan.fixed[at].width;
        }
        let encoded: Vec<DataType> = plan.encoded.iter().map(|&at| types[at].clone()).collect();
        plan.codec = Codec::new(&encoded)?;
        Ok(plan)
    }

    fn fix(&mut self, data_type: DataType, width: usize) -> Place {
        self.fixed.push(FixedColumn { data_type, width, offset: 0 });
        Place::Fixed(self.fixed.len() - 1)
    }

    /// Columns whose values end a heap.
    fn heaps(&self) -> usize {
        self.texts.len() + usize::from(!self.encoded.is_empty())
    }

    /// The heap of what is encoded.
    pub(super) fn encoded_heap(&self) -> usize {
        self.texts.len()
    }

    /// Whether all columns are of fixed width.
    pub(super) fn is_fixed(&self) -> bool {
        self.heaps() == 0
    }

    /// The columns of a batch in the types in which they are kept.
    ///
    /// # Errors
    /// Arrow's.
    ///
    /// # Panics
    /// If there are not as many columns as were planned.
    pub(in crate::state) fn by_value(&self, columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        assert_eq!(columns.len(), self.places.len(), "as many columns as were planned");
        let columns = columns.iter().zip(&self.places);
        columns
            .map(|(column, place)| match *place {
                Place::Fixed(at) => by_value(column, &self.fixed[at].data_type),
                Place::Text(at) => by_value(column, &self.texts[at]),
                // The encoding does it.
                Place::Encoded(_) => Ok(column.clone()),
            })
            .collect()
    }

    /// Prepares the columns of a batch, of which `rows` are to be stored.
    ///
    /// # Errors
    /// Arrow's; [`JoinError::InvalidPlan`] for values of 4 GiB.
    ///
    /// # Panics
    /// If the columns are not as planned.
    pub(in crate::state) fn incoming<'a>(
        &self,
        columns: &'a [ArrayRef],
        rows: &[u32],
    ) -> Result<Incoming<'a>> {
        let mut incoming = Incoming { fixed: Vec::new(), texts: Vec::new(), encoded: None };
        for (column, place) in columns.iter().zip(&self.places) {
            match *place {
                Place::Fixed(at) => {
                    let planned = &self.fixed[at].data_type;
                    assert_eq!(column.data_type(), planned, "a column of another type");
                    incoming.fixed.push(column.to_data());
                }
                Place::Text(at) => {
                    assert_eq!(column.data_type(), &self.texts[at], "a column of another type");
                    incoming.texts.push(Text::new(column));
                }
                Place::Encoded(_) => {}
            }
        }
        for text in &incoming.texts {
            let longest = rows.iter().map(|&row| text.value(row as usize).len()).max();
            check_length(longest.unwrap_or(0))?;
        }
        if !self.encoded.is_empty() {
            let columns: Vec<ArrayRef> =
                self.encoded.iter().map(|&at| columns[at].clone()).collect();
            let mut heap = Heap::default();
            let mut total = 0;
            self.codec.encode(&columns, rows, |row| {
                total += row.len();
                if total <= u32::MAX as usize {
                    heap.push(row);
                }
            })?;
            check_length(total)?;
            incoming.encoded = Some(heap);
        }
        Ok(incoming)
    }
}

fn check_length(bytes: usize) -> Result<()> {
    if bytes as u64 >= u64::from(u32::MAX) {
        return Err(JoinError::InvalidPlan(
            "rows of 4 GiB come in at once: push them in smaller batches".to_owned(),
        ));
    }
    Ok(())
}

impl<'a> Text<'a> {
    fn new(column: &'a ArrayRef) -> Self {
        let nulls = column.nulls().filter(|nulls| nulls.null_count() > 0);
        let (ends, bytes) = match column.data_type() {
            DataType::Utf8 => {
                let column = column.as_string::<i32>();
                (Ends::Small(column.value_offsets()), column.value_data())
            }
            DataType::LargeUtf8 => {
                let column = column.as_string::<i64>();
                (Ends::Large(column.value_offsets()), column.value_data())
            }
            DataType::Binary => {
                let column = column.as_binary::<i32>();
                (Ends::Small(column.value_offsets()), column.value_data())
            }
            _ => {
                let column = column.as_binary::<i64>();
                (Ends::Large(column.value_offsets()), column.value_data())
            }
        };
        Self { ends, bytes, nulls }
    }

    fn value(&self, row: usize) -> &'a [u8] {
        let (from, to) = match self.ends {
            Ends::Small(ends) => (ends[row] as usize, ends[row + 1] as usize),
            Ends::Large(ends) => (ends[row] as usize, ends[row + 1] as usize),
        };
        &self.bytes[from..to]
    }
}

impl Heap {
    fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len() as u32);
    }

    pub(super) fn value(&self, row: usize) -> &[u8] {
        let from = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.bytes[from as usize..self.ends[row] as usize]
    }

    fn fits(&self, more: usize) -> bool {
        self.bytes.len() + more <= u32::MAX as usize
    }
}

impl Incoming<'_> {
    /// How many of `rows`, from number `first` of those to store on, fit into a
    /// block's heaps; at least one if the block is empty.
    pub(super) fn fitting(&self, columns: &Columns, first: usize, rows: &[u32]) -> usize {
        let mut fit = rows.len();
        let encoded = self.encoded.iter().map(|heap| -> Box<dyn Fn(usize) -> usize> {
            Box::new(move |i| heap.value(first + i).len())
        });
        let texts = self.texts.iter().map(|text| -> Box<dyn Fn(usize) -> usize> {
            Box::new(move |i| text.value(rows[i] as usize).len())
        });
        for (heap, length) in columns.heaps.iter().zip(texts.chain(encoded)) {
            let mut more = 0;
            fit = (0..fit)
                .take_while(|&i| {
                    more += length(i);
                    heap.fits(more)
                })
                .count();
        }
        fit
    }
}

impl Columns {
    pub(super) fn new(plan: &PayloadPlan) -> Self {
        Self {
            valid: (0..plan.fixed.len() + plan.texts.len()).map(|_| Vec::new()).collect(),
            heaps: (0..plan.heaps()).map(|_| Heap::default()).collect(),
        }
    }

    /// Appends `rows` of a batch, of which the first is number `first` of those
    /// to store; `at` rows are held, and `fixed` has room for the values.
    pub(super) fn append(
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
            match (&column.data_type, column.width) {
                (DataType::Boolean, _) => {
                    let values = data.buffers()[0].as_slice();
                    for (row, to) in rows.iter().zip(from.chunks_exact_mut(plan.stride)) {
                        let bit = data.offset() + *row as usize;
                        to[column.offset] = values[bit / 8] >> (bit % 8) & 1;
                    }
                }
                (_, 1) => fill::<u8>(from, plan.stride, column.offset, data, rows),
                (_, 2) => fill::<u16>(from, plan.stride, column.offset, data, rows),
                (_, 4) => fill::<u32>(from, plan.stride, column.offset, data, rows),
                (_, 8) => fill::<u64>(from, plan.stride, column.offset, data, rows),
                _ => fill::<i128>(from, plan.stride, column.offset, data, rows),
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
            (first..first + rows.len()).for_each(|row| heap.push(encoded.value(row)));
        }
    }

    /// Appends row `row` of another block as row `at`.
    pub(super) fn append_from(&mut self, other: &Self, row: usize, at: usize) {
        for (valid, other) in self.valid.iter_mut().zip(&other.valid) {
            let is_valid = other.is_empty() || bits::get(other, row);
            push_validity(valid, is_valid, at);
        }
        for (heap, other) in self.heaps.iter_mut().zip(&other.heaps) {
            heap.push(other.value(row));
        }
    }

    /// Whether a row of another block fits.
    pub(super) fn fits(&self, other: &Self, row: usize) -> bool {
        let heaps = self.heaps.iter().zip(&other.heaps);
        heaps.into_iter().all(|(heap, other)| heap.fits(other.value(row).len()))
    }

    /// Whether column `at`, fixed-width ones first, has a value in `row`.
    pub(super) fn is_valid(&self, at: usize, row: usize) -> bool {
        self.valid[at].is_empty() || bits::get(&self.valid[at], row)
    }

    pub(super) fn has_heap(&self, at: usize) -> bool {
        at < self.heaps.len()
    }

    pub(super) fn heap(&self, at: usize) -> &Heap {
        &self.heaps[at]
    }

    /// Bytes in use and bytes allocated, of heaps and of validity.
    pub(super) fn bytes(&self) -> (usize, usize, usize) {
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
