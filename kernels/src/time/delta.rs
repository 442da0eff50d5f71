//! Distances in time.

use std::fmt;
use std::ops::Neg;
use std::time::Duration;

/// A distance in time, in whole microseconds; may be negative.
///
/// What asks for one takes a [`Duration`] too.
///
/// ```
/// use std::time::Duration;
/// use streamjoin_kernels::time::TimeDelta;
///
/// let hour = TimeDelta::from(Duration::from_secs(3600));
/// assert_eq!(hour, TimeDelta::from_secs(3600));
/// assert_eq!((-hour).as_micros(), -3_600_000_000);
/// assert_eq!(hour.to_string(), "1 h");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeDelta(i64);

impl TimeDelta {
    /// None at all.
    pub const ZERO: Self = Self(0);
    /// The most negative one.
    pub const MIN: Self = Self(i64::MIN);
    /// The greatest.
    pub const MAX: Self = Self(i64::MAX);

    /// As many microseconds.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// As many milliseconds; saturates.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(super::MICROS_PER_MILLI))
    }

    /// As many seconds; saturates.
    #[must_use]
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(super::MICROS_PER_SECOND))
    }

    /// Its microseconds.
    #[inline]
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Its whole milliseconds, floored.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0.div_euclid(super::MICROS_PER_MILLI)
    }
}

impl From<Duration> for TimeDelta {
    /// Its whole microseconds; saturates.
    fn from(duration: Duration) -> Self {
        Self(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX))
    }
}

impl Neg for TimeDelta {
    type Output = Self;

    /// The opposite; saturates.
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl fmt::Display for TimeDelta {
    /// In the largest unit in which it is whole, such as `90 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(i64, &str); 5] = [
            (86_400_000_000, "d"),
            (3_600_000_000, "h"),
            (60_000_000, "min"),
            (1_000_000, "s"),
            (1_000, "ms"),
        ];
        if self.0 == 0 {
            return f.write_str("0 s");
        }
        let whole = UNITS.into_iter().find(|(micros, _)| self.0 % micros == 0);
        let (micros, unit) = whole.unwrap_or((1, "us"));
        write!(f, "{} {unit}", self.0 / micros)
    }
}
