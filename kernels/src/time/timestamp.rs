//! Points in time.

use std::fmt;
use std::ops::{Add, Sub};

use arrow::temporal_conversions::timestamp_us_to_datetime;

use super::delta::TimeDelta;

/// A point in time, in whole microseconds since 1970-01-01T00:00:00Z; may be
/// before. Sums and differences saturate.
///
/// ```
/// use streamjoin_kernels::time::{TimeDelta, Timestamp};
///
/// let at = Timestamp::from_millis(1_767_225_600_500);
/// assert_eq!(at.to_string(), "2026-01-01T00:00:00.500Z");
/// assert_eq!(at - Timestamp::from_secs(1_767_225_600), TimeDelta::from_millis(500));
/// assert_eq!((at + TimeDelta::from_millis(500)).as_micros(), 1_767_225_601_000_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);
    /// The earliest.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest.
    pub const MAX: Self = Self(i64::MAX);

    /// As many microseconds since 1970.
    #[inline]
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// As many milliseconds since 1970; saturates.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(super::MICROS_PER_MILLI))
    }

    /// As many seconds since 1970; saturates.
    #[must_use]
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(super::MICROS_PER_SECOND))
    }

    /// Microseconds since 1970.
    #[inline]
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Whole milliseconds since 1970, floored.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0.div_euclid(super::MICROS_PER_MILLI)
    }
}

impl Add<TimeDelta> for Timestamp {
    type Output = Self;

    fn add(self, delta: TimeDelta) -> Self {
        Self(self.0.saturating_add(delta.as_micros()))
    }
}

impl Sub<TimeDelta> for Timestamp {
    type Output = Self;

    fn sub(self, delta: TimeDelta) -> Self {
        Self(self.0.saturating_sub(delta.as_micros()))
    }
}

impl Sub for Timestamp {
    type Output = TimeDelta;

    fn sub(self, earlier: Self) -> TimeDelta {
        TimeDelta::from_micros(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Timestamp {
    /// As ISO 8601 has it, in UTC; in microseconds where its calendar ends.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match timestamp_us_to_datetime(self.0) {
            Some(time) => write!(f, "{time:?}Z"),
            None => write!(f, "{} us", self.0),
        }
    }
}
