//! How far apart in event time two rows may be.

use std::fmt;

use super::delta::TimeDelta;
use super::timestamp::Timestamp;
use crate::side::Side;

/// One end of an interval.
// Closed, like the interval: an interval has two ends, each a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    /// The distance; may be negative.
    pub distance: TimeDelta,
    /// Whether that very distance still matches (`<=`, not `<`).
    pub inclusive: bool,
}

impl Bound {
    /// A bound that includes its distance.
    #[must_use]
    pub fn inclusive(distance: impl Into<TimeDelta>) -> Self {
        Self { distance: distance.into(), inclusive: true }
    }

    /// A bound that excludes its distance.
    #[must_use]
    pub fn strict(distance: impl Into<TimeDelta>) -> Self {
        Self { distance: distance.into(), inclusive: false }
    }

    fn micros(self) -> i128 {
        self.distance.as_micros().into()
    }
}

/// `lower <= right - left <= upper`, in event time; each end may be open or
/// strict. A row without event time meets no end, so it satisfies only the
/// condition without any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IntervalCondition {
    /// The least distance from the left row to the right one.
    pub lower: Option<Bound>,
    /// The greatest.
    pub upper: Option<Bound>,
}

impl IntervalCondition {
    /// No condition: every pair satisfies it.
    pub const UNBOUNDED: Self = Self { lower: None, upper: None };

    /// `lower <= right - left <= upper`. Swapped bounds are not an error: they match
    /// nothing ([`matches_nothing`](Self::matches_nothing)).
    #[must_use]
    pub fn between(lower: impl Into<TimeDelta>, upper: impl Into<TimeDelta>) -> Self {
        Self { lower: Some(Bound::inclusive(lower)), upper: Some(Bound::inclusive(upper)) }
    }

    /// Whether there is no condition.
    #[must_use]
    pub fn is_unbounded(&self) -> bool {
        self.lower.is_none() && self.upper.is_none()
    }

    /// Both conditions at once: the narrower bound on either end.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let pick = |a: Option<Bound>, b: Option<Bound>, sign: i128| match (a, b) {
            (Some(a), Some(b)) => {
                // The larger of two lower bounds, the smaller of two upper
                // ones; of two equal ones the strict one.
                let narrowness = |bound: Bound| (sign * bound.micros(), !bound.inclusive);
                Some(if narrowness(a) >= narrowness(b) { a } else { b })
            }
            (a, b) => a.or(b),
        };
        Self { lower: pick(self.lower, other.lower, 1), upper: pick(self.upper, other.upper, -1) }
    }

    /// Whether a pair of event times satisfies the condition; exact.
    #[must_use]
    pub fn contains(&self, left: Timestamp, right: Timestamp) -> bool {
        let distance = i128::from(right.as_micros()) - i128::from(left.as_micros());
        let (least, greatest) = self.distances();
        least.is_none_or(|least| least <= distance)
            && greatest.is_none_or(|greatest| distance <= greatest)
    }

    /// Whether a pair of times in nanoseconds satisfies the condition; exact.
    pub(crate) fn contains_nanos(&self, left: i128, right: i128) -> bool {
        let (least, greatest) = self.nanos();
        let distance = right - left;
        least.is_none_or(|least| least <= distance)
            && greatest.is_none_or(|greatest| distance <= greatest)
    }

    /// The least and the greatest distance that satisfy the condition, in nanoseconds.
    fn nanos(&self) -> (Option<i128>, Option<i128>) {
        let least = self.lower.map(|b| b.micros() * 1000 + i128::from(!b.inclusive));
        let greatest = self.upper.map(|b| b.micros() * 1000 - i128::from(!b.inclusive));
        (least, greatest)
    }

    /// The least and the greatest distance that satisfy the condition, in microseconds.
    fn distances(&self) -> (Option<i128>, Option<i128>) {
        let least = self.lower.map(|b| b.micros() + i128::from(!b.inclusive));
        let greatest = self.upper.map(|b| b.micros() - i128::from(!b.inclusive));
        (least, greatest)
    }

    /// Whether no pair can satisfy the condition, however fine its times are.
    #[must_use]
    pub fn matches_nothing(&self) -> bool {
        matches!(self.nanos(), (Some(least), Some(greatest)) if least > greatest)
    }

    /// The event times, in microseconds and both ends included, of the rows that a
    /// row of `side` at `time` can match on the other side; none if there are none.
    #[inline]
    pub(crate) fn around(&self, side: Side, time: i64) -> Option<(i64, i64)> {
        let (least, greatest) = self.distances();
        let time = i128::from(time);
        let (from, to) = match side {
            Side::Left => (least.map(|d| time + d), greatest.map(|d| time + d)),
            Side::Right => (greatest.map(|d| time - d), least.map(|d| time - d)),
        };
        let from = from.unwrap_or(i64::MIN.into()).max(i64::MIN.into());
        let to = to.unwrap_or(i64::MAX.into()).min(i64::MAX.into());
        // Each lies inside 64 bits once it is not beyond the other's limit.
        (from <= to).then(|| (i64::try_from(from), i64::try_from(to))).and_then(|ends| match ends {
            (Ok(from), Ok(to)) => Some((from, to)),
            _ => None,
        })
    }

    /// How far, from the time of a row of `side`, the first and the last time of
    /// its partners lie; none if an end is open or beyond 64 bits.
    pub(crate) fn shift(&self, side: Side) -> Option<(i64, i64)> {
        let (least, greatest) = self.distances();
        let (least, greatest) = (i64::try_from(least?).ok()?, i64::try_from(greatest?).ok()?);
        match side {
            Side::Left => Some((least, greatest)),
            Side::Right => Some((greatest.checked_neg()?, least.checked_neg()?)),
        }
    }
}

impl fmt::Display for IntervalCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |bound: Bound| if bound.inclusive { "<=" } else { "<" };
        match (self.lower, self.upper) {
            (None, None) => f.write_str("any distance"),
            (Some(lower), None) => write!(f, "{} {} right - left", lower.distance, sign(lower)),
            (None, Some(upper)) => write!(f, "right - left {} {}", sign(upper), upper.distance),
            (Some(lower), Some(upper)) => write!(
                f,
                "{} {} right - left {} {}",
                lower.distance,
                sign(lower),
                sign(upper),
                upper.distance
            ),
        }
    }
}
