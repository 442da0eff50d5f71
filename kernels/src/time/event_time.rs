//! Event time columns as microseconds.

use std::sync::OnceLock;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::datatypes::{
    DataType, Date32Type, Date64Type, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};

use super::delta::TimeDelta;
use super::timestamp::Timestamp;
use super::{MICROS_PER_MILLI, MICROS_PER_SECOND};
use crate::error::{JoinError, Result};

const MILLIS_PER_DAY: i64 = 86_400_000;
const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;

/// The event times of some rows, in microseconds.
#[derive(Clone, Debug)]
pub struct EventTimes {
    micros: ScalarBuffer<i64>,
    nulls: Option<NullBuffer>,
    /// Once it was asked for.
    span: OnceLock<Option<(i64, i64)>>,
}

/// Whether a column of this type can be an event time: a timestamp of any unit
/// or a date.
#[must_use]
pub fn is_event_time(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(..) | DataType::Date32 | DataType::Date64)
}

impl EventTimes {
    /// The times in a column. Nanoseconds are floored; seconds, milliseconds
    /// and days that leave 64-bit microseconds become the nearest time that
    /// does not.
    ///
    /// # Errors
    /// [`JoinError::InvalidPlan`] for a column that is not a timestamp or date.
    pub fn new(column: &ArrayRef) -> Result<Self> {
        let micros: ScalarBuffer<i64> = match column.data_type() {
            DataType::Timestamp(TimeUnit::Second, _) => column
                .as_primitive::<TimestampSecondType>()
                .values()
                .iter()
                .map(|t| t.saturating_mul(MICROS_PER_SECOND))
                .collect(),
            DataType::Timestamp(TimeUnit::Millisecond, _) => column
                .as_primitive::<TimestampMillisecondType>()
                .values()
                .iter()
                .map(|t| t.saturating_mul(MICROS_PER_MILLI))
                .collect(),
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                column.as_primitive::<TimestampMicrosecondType>().values().clone()
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => column
                .as_primitive::<TimestampNanosecondType>()
                .values()
                .iter()
                .map(|t| t.div_euclid(1_000))
                .collect(),
            DataType::Date32 => column
                .as_primitive::<Date32Type>()
                .values()
                .iter()
                .map(|&day| i64::from(day).saturating_mul(MICROS_PER_DAY))
                .collect(),
            // A date is a day, whatever time its milliseconds hold.
            DataType::Date64 => column
                .as_primitive::<Date64Type>()
                .values()
                .iter()
                .map(|t| t.div_euclid(MILLIS_PER_DAY).saturating_mul(MICROS_PER_DAY))
                .collect(),
            other => {
                return Err(JoinError::InvalidPlan(format!(
                    "an event time is a timestamp or a date, not {other}: cast the column first"
                )));
            }
        };
        let nulls = column.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
        Ok(Self::of(micros, nulls))
    }

    fn of(micros: ScalarBuffer<i64>, nulls: Option<NullBuffer>) -> Self {
        Self { micros, nulls, span: OnceLock::new() }
    }

    /// Rows without any event time.
    #[must_use]
    pub fn none(rows: usize) -> Self {
        let nulls = (rows > 0).then(|| NullBuffer::new_null(rows));
        Self::of(vec![0; rows].into(), nulls)
    }

    /// The end of the tumbling window that holds each time.
    #[must_use]
    pub fn window_ends(&self, width: TimeDelta) -> Self {
        let end = |&time: &i64| window_end(Timestamp::from_micros(time), width).as_micros();
        Self::of(self.micros.iter().map(end).collect(), self.nulls.clone())
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.micros.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.micros.is_empty()
    }

    /// The time of a row, none if it is null.
    ///
    /// # Panics
    /// If `row` is not below [`len`](Self::len).
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Timestamp> {
        self.micros_at(row).map(Timestamp::from_micros)
    }

    /// The microseconds of a row's time, none if it is null.
    ///
    /// # Panics
    /// If `row` is not below [`len`](Self::len).
    #[inline]
    #[must_use]
    pub fn micros_at(&self, row: usize) -> Option<i64> {
        let valid = self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        valid.then(|| self.micros[row])
    }

    /// The microseconds of the times, row by row; null rows hold anything.
    #[must_use]
    pub fn micros(&self) -> &[i64] {
        &self.micros
    }

    /// The least and the greatest time; none if no row has one. They are looked
    /// for once, however often they are asked for.
    #[must_use]
    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        let (least, greatest) = self.span_micros()?;
        Some((Timestamp::from_micros(least), Timestamp::from_micros(greatest)))
    }

    /// As [`span`](Self::span), in microseconds.
    pub(crate) fn span_micros(&self) -> Option<(i64, i64)> {
        *self.span.get_or_init(|| {
            let wider =
                |(least, greatest): (i64, i64), time: i64| (least.min(time), greatest.max(time));
            let none = (i64::MAX, i64::MIN);
            let (least, greatest) = match &self.nulls {
                None => self.micros.iter().copied().fold(none, wider),
                Some(nulls) => nulls.valid_indices().map(|row| self.micros[row]).fold(none, wider),
            };
            (least <= greatest).then_some((least, greatest))
        })
    }

    /// Which rows have no time; none if all have one.
    #[must_use]
    pub fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }
}

/// The start of the epoch-aligned window of this width that holds `time`;
/// saturates. A width below a microsecond counts as one.
#[must_use]
pub fn window_start(time: Timestamp, width: TimeDelta) -> Timestamp {
    let (time, width) = (time.as_micros(), width.as_micros().max(1));
    Timestamp::from_micros(time.saturating_sub(time.rem_euclid(width)))
}

/// Where that window ends (exclusive); saturates.
#[must_use]
pub fn window_end(time: Timestamp, width: TimeDelta) -> Timestamp {
    let (time, width) = (time.as_micros(), width.as_micros().max(1));
    let end = i128::from(time) - i128::from(time.rem_euclid(width)) + i128::from(width);
    Timestamp::from_micros(end.clamp(i64::MIN.into(), i64::MAX.into()) as i64)
}
