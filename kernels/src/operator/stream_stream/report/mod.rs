//! What a batch did.

use std::ops::Add;
use std::time::Duration;

use arrow::buffer::NullBuffer;

use crate::side::Side;
use crate::state::StateSize;
use crate::time::{EventTimes, Timestamp};

/// Why a batch ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchKind {
    /// There was input.
    #[default]
    Data,
    /// The watermark had moved.
    NoData,
    /// The streams are at their end.
    End,
}

/// Counts, times and state of an executed batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchReport {
    /// Why it ran.
    pub kind: BatchKind,
    /// The watermark in force, which evicted; none if no side declares one.
    pub watermark: Option<Timestamp>,
    /// The watermark of the batch before, by which rows were late.
    pub late_watermark: Option<Timestamp>,
    /// The left side.
    pub left: SideReport,
    /// The right side.
    pub right: SideReport,
    /// Output rows.
    pub rows_out: u64,
    /// Those of them that no row matched: null-extended, or of an anti join.
    pub rows_unmatched: u64,
    /// Pairs of equal keys, inside the interval, that the residual condition was
    /// evaluated on.
    pub residual_pairs: u64,
    /// Values copied from new and stored rows, for output and residual
    /// conditions: rows times columns.
    pub values_gathered: u64,
    /// Where the time went.
    pub times: BatchTimes,
}

impl BatchReport {
    /// The report of one side.
    #[must_use]
    pub fn side(&self, side: Side) -> &SideReport {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    pub(super) fn side_mut(&mut self, side: Side) -> &mut SideReport {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }

    /// Adds what a partition did, and resets the report of the partition.
    pub(super) fn absorb(&mut self, part: &mut Self) {
        let part = std::mem::take(part);
        for (side, part) in [(&mut self.left, part.left), (&mut self.right, part.right)] {
            side.added += part.added;
            side.removed += part.removed;
            side.state = side.state + part.state;
            side.rows_walked += part.rows_walked;
            side.rows_visited += part.rows_visited;
            side.blocks_visited += part.blocks_visited;
            side.evicted += part.evicted;
            side.rows_moved += part.rows_moved;
            side.index_resizes += part.index_resizes;
        }
        self.residual_pairs += part.residual_pairs;
        self.values_gathered += part.values_gathered;
        self.rows_out += part.rows_out;
        self.rows_unmatched += part.rows_unmatched;
        self.times = self.times + part.times;
    }
}

/// One side of a batch. Each input row was dropped for one reason, or output
/// at once because the filter of its side failed, or was accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SideReport {
    /// Input rows.
    pub rows_in: u64,
    /// Dropped: at or before the late watermark.
    pub late: u64,
    /// Dropped: a null in a key on a side that is not preserved.
    pub null_key: u64,
    /// Dropped: failed the side's own conditions, or a null in a column that
    /// they need, on a side that is not preserved.
    pub filtered: u64,
    /// Dropped: no event time, where the condition needs one and the side is
    /// not preserved, or where windows are made of it.
    pub null_time: u64,
    /// Output at once, unmatched: they failed the conditions of their side,
    /// which is preserved.
    pub unmatchable: u64,
    /// Rows put in state.
    pub added: u64,
    /// Rows taken out of state: evicted, or matched in a semi or anti join.
    pub removed: u64,
    /// Of those, rows that the eviction line took.
    pub evicted: u64,
    /// What the state holds after the batch.
    pub state: StateSize,
    /// Event times of the rows that the watermark saw, late ones included.
    pub event_time: Option<EventTimeStats>,
    /// Stored rows that look-ups for the other side's rows walked over.
    pub rows_walked: u64,
    /// Stored rows that eviction examined.
    pub rows_visited: u64,
    /// Blocks that eviction examined; 0 in a store without blocks.
    pub blocks_visited: u64,
    /// Rows that the store copied to reorganise itself.
    pub rows_moved: u64,
    /// Times that the store's index began to grow or to shrink.
    pub index_resizes: u64,
}

impl SideReport {
    /// Rows that were dropped, for any reason.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.late + self.null_key + self.filtered + self.null_time
    }
}

/// Event times of some rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventTimeStats {
    /// The least.
    pub min: Timestamp,
    /// The greatest.
    pub max: Timestamp,
    /// Row of the batch, from 0, that first has the greatest: where a time that
    /// is far in the future originates.
    pub max_row: u64,
    /// The sum of their microseconds.
    pub sum_micros: i128,
    /// Rows with an event time.
    pub rows: u64,
}

impl EventTimeStats {
    /// Of all rows with an event time, if there are some; `origin` says which
    /// row of the batch each is.
    pub(super) fn of(times: &EventTimes, origin: impl Fn(usize) -> u64) -> Option<Self> {
        let (min, max) = times.span()?;
        let max_row = (0..times.len()).find(|&row| times.get(row) == Some(max))?;
        let nulls = times.nulls();
        let rows = (times.len() - nulls.map_or(0, NullBuffer::null_count)) as u64;
        let micros = times.micros();
        let (least, range) = (min.as_micros(), max.as_micros().abs_diff(min.as_micros()));
        let floor = i128::from(least) * i128::from(rows);
        let sum_micros = match nulls {
            // What is above the floor fits into 64 bits, so that sums which wrap
            // tell it.
            None if range.checked_mul(rows).is_some() => {
                let sum = micros.iter().copied().fold(0, i64::wrapping_add);
                floor + i128::from(sum.wrapping_sub(floor as i64) as u64)
            }
            None => micros.iter().map(|&time| i128::from(time)).sum(),
            Some(nulls) => nulls.valid_indices().map(|row| i128::from(micros[row])).sum(),
        };
        Some(Self { min, max, max_row: origin(max_row), sum_micros, rows })
    }

    /// Their mean, floored.
    #[must_use]
    pub fn mean(&self) -> Timestamp {
        // Between two 64-bit values, so it is one.
        Timestamp::from_micros(self.sum_micros.div_euclid(i128::from(self.rows.max(1))) as i64)
    }
}

/// Wall time of the kernels in one batch. Where several partitions run at the
/// same time it is the caller's time, from the start of the first to the end of
/// the last, split as the times of the partitions are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchTimes {
    /// Filters, keys, hashes, the late filter, the split into partitions.
    pub intake: Duration,
    /// Look-ups and residual conditions.
    pub probe: Duration,
    /// Storing of new rows.
    pub insert: Duration,
    /// Eviction, and freeing of what was evicted.
    pub evict: Duration,
    /// Gathering of output columns.
    pub materialise: Duration,
}

impl BatchTimes {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.intake + self.probe + self.insert + self.evict + self.materialise
    }

    /// As much as `total`, split in the same proportions.
    pub(super) fn scaled_to(self, total: Duration) -> Self {
        let own = self.total().as_secs_f64();
        if own == 0.0 {
            return Self { probe: total, ..Self::default() };
        }
        let scale = total.as_secs_f64() / own;
        Self {
            intake: self.intake.mul_f64(scale),
            probe: self.probe.mul_f64(scale),
            insert: self.insert.mul_f64(scale),
            evict: self.evict.mul_f64(scale),
            materialise: self.materialise.mul_f64(scale),
        }
    }
}

impl Add for BatchTimes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            intake: self.intake + other.intake,
            probe: self.probe + other.probe,
            insert: self.insert + other.insert,
            evict: self.evict + other.evict,
            materialise: self.materialise + other.materialise,
        }
    }
}

#[cfg(test)]
mod tests;
