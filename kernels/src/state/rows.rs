//! Stored rows one by one, each with a payload of its own, as the plain stores
//! keep them.

use std::sync::Arc;

use arrow::array::{ArrayRef, new_null_array};
use arrow::compute::take;
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, SortField};

use super::{NewRows, StateSize, StorePlan, kept_type};
use crate::error::{JoinError, Result};
use crate::pairs::NO_ROW;

/// The group of rows that cannot be found.
pub(super) const NO_GROUP: u32 = u32::MAX;

/// Rows in slots; the id of a row is its slot.
#[derive(Debug)]
pub(super) struct StoredRows {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Rows that were taken out and not reclaimed.
    leaving: Vec<u32>,
    live: usize,
    payload_bytes: usize,
    codec: Codec,
}

#[derive(Debug, Default)]
struct Slot {
    payload: Box<[u8]>,
    time: i64,
    group: u32,
    marks: u8,
}

const LIVE: u8 = 1;
const MATCHED: u8 = 2;
const TIMED: u8 = 4;

/// Kept columns to one byte string a row and back.
#[derive(Debug)]
struct Codec {
    /// None if no column is kept.
    converter: Option<RowConverter>,
    types: Vec<DataType>,
    /// A row of nulls.
    nulls: Box<[u8]>,
}

impl Codec {
    fn new(types: &[DataType]) -> Result<Self> {
        let types: Vec<DataType> = types.iter().map(|t| kept_type(t).clone()).collect();
        if types.is_empty() {
            return Ok(Self { converter: None, types, nulls: Box::default() });
        }
        for data_type in &types {
            let supported = RowConverter::supports_fields(&[SortField::new(data_type.clone())]);
            let kept = supported && Self::round_trips(data_type)?;
            if !kept {
                return Err(JoinError::UnsupportedState {
                    data_type: data_type.clone(),
                    remedy: "select its fields one by one, or cast it to a string".to_owned(),
                });
            }
        }
        let converter = Self::converter(&types)?;
        let nulls: Vec<ArrayRef> = types.iter().map(|t| new_null_array(t, 1)).collect();
        let nulls = converter.convert_columns(&nulls)?.row(0).as_ref().into();
        Ok(Self { converter: Some(converter), types, nulls })
    }

    fn converter(types: &[DataType]) -> Result<RowConverter> {
        Ok(RowConverter::new(types.iter().map(|t| SortField::new(t.clone())).collect())?)
    }

    /// Whether a column comes back in the type in which it was given.
    fn round_trips(data_type: &DataType) -> Result<bool> {
        let converter = Self::converter(std::slice::from_ref(data_type))?;
        let rows = converter.convert_columns(&[new_null_array(data_type, 1)])?;
        Ok(converter.convert_rows(&rows)?.iter().all(|array| array.data_type() == data_type))
    }

    /// Gives `each` the payload of each of `rows`, in order.
    fn encode(
        &self,
        columns: &[ArrayRef],
        rows: &[u32],
        mut each: impl FnMut(Box<[u8]>),
    ) -> Result<()> {
        assert_eq!(columns.len(), self.types.len(), "as many columns as were planned");
        let Some(converter) = &self.converter else {
            rows.iter().for_each(|_| each(Box::default()));
            return Ok(());
        };
        let positions = arrow::array::UInt32Array::from(rows.to_vec());
        let columns = columns
            .iter()
            .zip(&self.types)
            .map(|(column, to)| by_value(&take(column, &positions, None)?, to))
            .collect::<Result<Vec<_>>>()?;
        let encoded = converter.convert_columns(&columns)?;
        encoded.iter().for_each(|row| each(row.as_ref().into()));
        Ok(())
    }
}

/// A column in the type in which it is kept.
///
/// # Errors
/// Arrow's.
pub(crate) fn by_value(column: &ArrayRef, kept: &DataType) -> Result<ArrayRef> {
    if column.data_type() == kept {
        return Ok(Arc::clone(column));
    }
    Ok(arrow::compute::cast(column, kept)?)
}

impl StoredRows {
    pub(super) fn new(plan: &StorePlan) -> Result<Self> {
        Ok(Self {
            slots: Vec::new(),
            free: Vec::new(),
            leaving: Vec::new(),
            live: 0,
            payload_bytes: 0,
            codec: Codec::new(&plan.payload)?,
        })
    }

    /// Stores rows; `groups` says of which group each of them is. Calls `stored`
    /// with the id, group and time of each.
    pub(super) fn insert(
        &mut self,
        rows: NewRows<'_>,
        groups: &[u32],
        mut stored: impl FnMut(u32, u32, Option<i64>),
    ) -> Result<()> {
        let needed = rows.rows.len().saturating_sub(self.free.len());
        let limit = u64::from(NO_ROW);
        if (self.slots.len() + needed) as u64 > limit {
            return Err(JoinError::TooManyStateRows { limit });
        }
        let mut next = 0;
        let Self { slots, free, live, payload_bytes, codec, .. } = self;
        codec.encode(rows.payload, rows.rows, |payload| {
            let row = rows.rows[next] as usize;
            let time = rows.times.get(row);
            let mark = |set: bool, mark: u8| if set { mark } else { 0 };
            let marks = LIVE | mark(rows.matched[row], MATCHED) | mark(time.is_some(), TIMED);
            *payload_bytes += payload.len();
            *live += 1;
            let slot = Slot { payload, time: time.unwrap_or(0), group: groups[next], marks };
            let id = match free.pop() {
                Some(id) => {
                    slots[id as usize] = slot;
                    id
                }
                None => {
                    slots.push(slot);
                    slots.len() as u32 - 1
                }
            };
            stored(id, groups[next], time);
            next += 1;
        })
    }

    /// Rows in state.
    pub(super) fn live(&self) -> usize {
        self.live
    }

    /// Ids ever given out.
    pub(super) fn ids(&self) -> std::ops::Range<u32> {
        0..self.slots.len() as u32
    }

    #[inline]
    pub(super) fn is_live(&self, row: u32) -> bool {
        self.slots[row as usize].marks & LIVE != 0
    }

    #[inline]
    pub(super) fn time(&self, row: u32) -> Option<i64> {
        let slot = &self.slots[row as usize];
        (slot.marks & TIMED != 0).then_some(slot.time)
    }

    /// Whether the id names a row in state with this time.
    pub(super) fn in_state_at(&self, row: u32, time: i64) -> bool {
        (row as usize) < self.slots.len() && self.is_live(row) && self.time(row) == Some(time)
    }

    pub(super) fn group(&self, row: u32) -> u32 {
        self.slots[row as usize].group
    }

    pub(super) fn is_matched(&self, row: u32) -> bool {
        self.slots[row as usize].marks & MATCHED != 0
    }

    pub(super) fn set_matched(&mut self, rows: &[u32]) {
        rows.iter().for_each(|&row| self.slots[row as usize].marks |= MATCHED);
    }

    /// Takes a row out of state, if it is in.
    pub(super) fn take_out(&mut self, row: u32) -> bool {
        let live = self.is_live(row);
        if live {
            self.slots[row as usize].marks &= !LIVE;
            self.live -= 1;
            self.leaving.push(row);
        }
        live
    }

    /// Rows that were taken out since the last [`free`](Self::free).
    pub(super) fn leaving(&self) -> &[u32] {
        &self.leaving
    }

    /// Frees the rows that were taken out.
    pub(super) fn free(&mut self) {
        for row in self.leaving.drain(..) {
            let slot = &mut self.slots[row as usize];
            self.payload_bytes -= slot.payload.len();
            *slot = Slot::default();
            self.free.push(row);
        }
        if self.live == 0 {
            (self.slots, self.free) = (Vec::new(), Vec::new());
        }
        self.leaving.shrink_to(self.live / 8);
    }

    pub(super) fn gather(&self, wanted: &[usize], rows: &[u32]) -> Result<Vec<ArrayRef>> {
        let Some(converter) = &self.codec.converter else {
            assert!(wanted.is_empty(), "a column that is not kept");
            return Ok(Vec::new());
        };
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let parser = converter.parser();
        let columns = converter.convert_rows(rows.iter().map(|&row| {
            parser.parse(match row {
                NO_ROW => &self.codec.nulls,
                row => &self.slots[row as usize].payload,
            })
        }))?;
        Ok(wanted.iter().map(|&column| Arc::clone(&columns[column])).collect())
    }

    pub(super) fn rows_within(&self, rows: &[u32], bytes: usize) -> usize {
        let mut left = bytes;
        let fit = rows.iter().take_while(|&&row| {
            let needed = if row == NO_ROW { 1 } else { self.slots[row as usize].payload.len() };
            let fits = needed <= left;
            left = left.saturating_sub(needed);
            fits
        });
        fit.count().max(1).min(rows.len())
    }

    pub(super) fn size(&self) -> StateSize {
        let used = self.slots.len() - self.free.len();
        let links = size_of::<i64>() + size_of::<u32>();
        let pointer = size_of::<Box<[u8]>>();
        let allocated = self.slots.capacity() * size_of::<Slot>();
        let lists = (self.free.capacity() + self.leaving.capacity()) * size_of::<u32>();
        let (payload, index, bitmap) = (used * pointer, used * links, used);
        StateSize {
            rows: self.live as u64,
            payload: self.payload_bytes + payload,
            index,
            bitmap,
            slack: allocated - payload - index - bitmap + lists + self.codec.nulls.len(),
            pool: 0,
        }
    }
}
