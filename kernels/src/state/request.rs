//! What goes into a store: new rows, and rows to look up.

use arrow::array::ArrayRef;

use crate::side::Side;
use crate::table::Probe;
use crate::time::{EventTimes, IntervalCondition};

/// Rows that come in together: all columns have one length, of which `rows`
/// names those that are stored.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NewRows<'a> {
    /// Keys, hashes, and which rows can be found; a row that cannot is stored
    /// nevertheless, and waits for the eviction line.
    pub keys: Probe<'a>,
    /// Event times, or what stands in for them.
    pub times: &'a EventTimes,
    /// The columns of [`StorePlan::payload`](super::StorePlan::payload). Nothing of them is kept alive.
    pub payload: &'a [ArrayRef],
    /// Whether each row has a match already.
    pub matched: &'a [bool],
    /// The rows to store.
    pub rows: &'a [u32],
}

impl<'a> NewRows<'a> {
    /// Those of the rows that `rows` names, without a match so far where `matched`
    /// is unset.
    #[must_use]
    pub fn new(
        keys: Probe<'a>,
        times: &'a EventTimes,
        payload: &'a [ArrayRef],
        matched: &'a [bool],
        rows: &'a [u32],
    ) -> Self {
        Self { keys, times, payload, matched, rows }
    }
}

/// Rows of the other side that look for partners.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StateProbe<'a> {
    /// Keys, hashes, and which rows may match.
    pub keys: Probe<'a>,
    /// The rows that look, where not all of them do.
    pub rows: Option<&'a [u32]>,
    /// The condition on event times; `None` if it has no bound.
    pub interval: Option<IntervalProbe<'a>>,
}

impl<'a> StateProbe<'a> {
    /// All of these rows look, without a condition on event times.
    #[must_use]
    pub fn new(keys: Probe<'a>) -> Self {
        Self { keys, rows: None, interval: None }
    }

    /// With these of the rows, or all.
    #[must_use]
    pub fn with_rows(self, rows: impl Into<Option<&'a [u32]>>) -> Self {
        Self { rows: rows.into(), ..self }
    }

    /// With this condition on event times, or none.
    #[must_use]
    pub fn with_interval(self, interval: impl Into<Option<IntervalProbe<'a>>>) -> Self {
        Self { interval: interval.into(), ..self }
    }

    /// Number of rows that look for partners: a cursor is done when it has come
    /// this far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.map_or(self.keys.len(), <[u32]>::len)
    }

    /// Whether no row looks for partners.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number, in the batch, of the row at `position` of those that look.
    #[inline]
    #[must_use]
    pub fn row(&self, position: usize) -> usize {
        self.rows.map_or(position, |rows| rows[position] as usize)
    }
}

/// The event times of the rows that look for partners.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct IntervalProbe<'a> {
    /// Their times.
    pub times: &'a EventTimes,
    /// The side that they are of.
    pub side: Side,
    /// The condition.
    pub condition: IntervalCondition,
}

impl<'a> IntervalProbe<'a> {
    /// The condition, for rows of this side with these times.
    #[must_use]
    pub fn new(times: &'a EventTimes, side: Side, condition: IntervalCondition) -> Self {
        Self { times, side, condition }
    }

    /// The event times, in microseconds and ends included, that the partners of
    /// `row` have; `None` if it can have no partner.
    #[inline]
    #[must_use]
    pub fn around(&self, row: usize) -> Option<(i64, i64)> {
        self.condition.around(self.side, self.times.micros_at(row)?)
    }
}
