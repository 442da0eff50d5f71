//! Stored rows one by one, each with a payload of its own, as the plain stores
//! keep them.

use std::sync::Arc;

use arrow::array::ArrayRef;

use super::capacity;
use super::checked::no_such_row;
use super::codec::{Codec, Encoded};
use super::{NewRows, StateSize, StorePlan};
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
/// In state, or taken out and not yet reclaimed.
const HELD: u8 = 8;

/// Puts a value where one is free, or at the end; returns where.
pub(super) fn put<T>(values: &mut Vec<T>, free: &mut Vec<u32>, value: T) -> u32 {
    let Some(at) = free.pop() else {
        values.push(value);
        return values.len() as u32 - 1;
    };
    values[at as usize] = value;
    at
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

    /// Whether there are ids for this many more rows.
    ///
    /// # Errors
    /// [`JoinError::TooManyStateRows`] if not.
    pub(super) fn check_room(&self, rows: usize) -> Result<()> {
        let needed = rows.saturating_sub(self.free.len());
        let limit = u64::from(NO_ROW);
        if (self.slots.len() + needed) as u64 > limit {
            return Err(JoinError::TooManyStateRows { limit });
        }
        Ok(())
    }

    /// The most bytes that this many more rows add, apart from their payload.
    pub(super) fn growth(&self, rows: usize) -> usize {
        let more = rows.saturating_sub(self.free.len());
        capacity::of_vec::<Slot>(self.slots.len(), self.slots.capacity(), more)
    }

    /// The payload of rows that come in.
    ///
    /// # Errors
    /// Arrow's.
    pub(super) fn encode(&self, new: NewRows<'_>) -> Result<Encoded> {
        self.codec.encode(new.payload, new.rows)
    }

    /// Stores rows, for which there is room; `groups` has the group of each. Calls
    /// `stored` with the id, group and time of each.
    pub(super) fn insert(
        &mut self,
        new: NewRows<'_>,
        payload: &Encoded,
        groups: &[u32],
        mut stored: impl FnMut(u32, u32, Option<i64>),
    ) {
        for (i, (&row, &group)) in new.rows.iter().zip(groups).enumerate() {
            let row = row as usize;
            let time = new.times.micros_at(row);
            let mark = |set: bool, mark: u8| if set { mark } else { 0 };
            let marks = mark(new.matched[row], MATCHED) | mark(time.is_some(), TIMED);
            let payload: Box<[u8]> = payload.row(i).into();
            self.payload_bytes += payload.len();
            self.live += 1;
            let marks = LIVE | HELD | marks;
            let slot = Slot { payload, time: time.unwrap_or(0), group, marks };
            let id = put(&mut self.slots, &mut self.free, slot);
            stored(id, group, time);
        }
    }

    /// Rows in state.
    pub(super) fn live(&self) -> usize {
        self.live
    }

    /// Ids handed out so far.
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

    pub(super) fn set_matched(&mut self, rows: &[u32]) -> Result<()> {
        for &row in rows {
            let slot = self.slots.get_mut(row as usize).filter(|slot| slot.marks & HELD != 0);
            slot.ok_or_else(|| no_such_row(row))?.marks |= MATCHED;
        }
        Ok(())
    }

    /// A row that is in state, or was taken out and not yet reclaimed.
    fn held(&self, row: u32) -> Result<&Slot> {
        let slot = self.slots.get(row as usize).filter(|slot| slot.marks & HELD != 0);
        slot.ok_or_else(|| no_such_row(row))
    }

    /// Takes a row out of state, if it is in state.
    pub(super) fn take_out(&mut self, row: u32) -> bool {
        let live = (row as usize) < self.slots.len() && self.is_live(row);
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
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let payload = |&row: &u32| match row {
            NO_ROW => Ok(&*self.codec.nulls),
            row => Ok(&*self.held(row)?.payload),
        };
        let payloads = rows.iter().map(payload).collect::<Result<Vec<_>>>()?;
        let columns = self.codec.decode(payloads.into_iter())?;
        Ok(wanted.iter().map(|&column| Arc::clone(&columns[column])).collect())
    }

    pub(super) fn rows_within(&self, rows: &[u32], bytes: usize) -> Result<usize> {
        let mut left = bytes;
        for (fitting, &row) in rows.iter().enumerate() {
            let needed = if row == NO_ROW { 1 } else { self.held(row)?.payload.len() };
            if needed > left {
                return Ok(fitting.max(1));
            }
            left -= needed;
        }
        Ok(rows.len())
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
