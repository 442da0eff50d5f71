//! Stored rows one by one, each with a payload of its own, as the plain stores
//! keep them.

use std::sync::Arc;

use arrow::array::ArrayRef;

use super::codec::Codec;
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

    /// Stores rows; `groups` has the group of each. Calls `stored`
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
            let slot = Slot {
                payload: payload.into(),
                time: time.unwrap_or(0),
                group: groups[next],
                marks,
            };
            let id = put(slots, free, slot);
            stored(id, groups[next], time);
            next += 1;
        })
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

    pub(super) fn set_matched(&mut self, rows: &[u32]) {
        rows.iter().for_each(|&row| self.slots[row as usize].marks |= MATCHED);
    }

    /// Takes a row out of state, if it is in state.
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
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let columns = self.codec.decode(rows.iter().map(|&row| match row {
            NO_ROW => &*self.codec.nulls,
            row => &*self.slots[row as usize].payload,
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
