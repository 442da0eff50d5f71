//! When a stored row can match no row to come: the eviction lines.

use std::fmt;

use super::MICROS_PER_MILLI;
use super::delta::TimeDelta;
use super::interval::{Bound, IntervalCondition};
use super::timestamp::Timestamp;
use crate::side::Side;

/// What a join condition says about event time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimeCondition {
    /// Bounds on the distance between the two event times.
    pub interval: IntervalCondition,
    /// Set if the event times, or windows made from them, are a pair of keys.
    pub key: Option<TimeKey>,
}

/// Event time as a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeKey {
    /// The event times themselves are equal.
    EventTime,
    /// The epoch-aligned windows that hold them are equal. The windows stand in
    /// for the event times: a row is late by the end of its window, and one
    /// without event time is in no window, so it is dropped.
    Window {
        /// Their width, above 0.
        width: TimeDelta,
    },
}

/// Which sides declare a watermark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeclaredWatermarks {
    /// The left side does.
    pub left: bool,
    /// The right side does.
    pub right: bool,
}

impl DeclaredWatermarks {
    /// Whether `side` does.
    #[must_use]
    pub fn on(self, side: Side) -> bool {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }

    /// Whether any side does.
    #[must_use]
    pub fn any(self) -> bool {
        self.left || self.right
    }
}

/// When the rows of one side leave the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expiry {
    /// Never, and why.
    Never(Unbounded),
    /// When the watermark reaches the event time or the end of the window.
    AtWatermark,
    /// When no row that is still to come on the other side can be inside the
    /// interval: `trunc(watermark - delay)`, and 1 ms before for an inclusive
    /// bound ([rule 21](crate::rules#rule-21)).
    After {
        /// The upper bound for the left side, the negated lower one for the
        /// right.
        delay: TimeDelta,
        /// Whether the bound includes its distance.
        inclusive: bool,
    },
}

/// Why the rows of a side never leave the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unbounded {
    /// Nothing relates the event times of the two sides.
    NoTimeCondition,
    /// The interval is open on the end that would limit this side.
    OpenInterval {
        /// This side.
        side: Side,
    },
    /// The interval has that end, but the other side, whose future it speaks
    /// of, declares no watermark.
    NoWatermark {
        /// The side that would have to declare one.
        side: Side,
    },
    /// Event times or windows are keys, but no side declares a watermark.
    NoWatermarkAtAll,
}

impl TimeCondition {
    /// With this interval.
    #[must_use]
    pub fn with_interval(self, interval: IntervalCondition) -> Self {
        Self { interval, ..self }
    }

    /// With event time as a key.
    #[must_use]
    pub fn with_key(self, key: TimeKey) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Whether no pair of rows with event times can satisfy the condition.
    #[must_use]
    pub fn matches_nothing(&self) -> bool {
        let at_once = self.key == Some(TimeKey::EventTime);
        self.interval.matches_nothing()
            || at_once && !self.interval.contains(Timestamp::EPOCH, Timestamp::EPOCH)
    }

    /// When the rows of `side` leave the state.
    #[must_use]
    pub fn expiry(&self, side: Side, declared: DeclaredWatermarks) -> Expiry {
        if self.key.is_some() {
            return if declared.any() {
                Expiry::AtWatermark
            } else {
                Expiry::Never(Unbounded::NoWatermarkAtAll)
            };
        }
        if self.interval.is_unbounded() {
            return Expiry::Never(Unbounded::NoTimeCondition);
        }
        // A left row waits for right rows up to `left + upper`, a right row for
        // left rows up to `right - lower`. The one distance whose opposite
        // saturates gives the same lines: they are cut to whole milliseconds.
        let bound = match side {
            Side::Left => self.interval.upper,
            Side::Right => self.interval.lower.map(|b| Bound { distance: -b.distance, ..b }),
        };
        match bound {
            None => Expiry::Never(Unbounded::OpenInterval { side }),
            Some(_) if !declared.on(side.opposite()) => {
                Expiry::Never(Unbounded::NoWatermark { side: side.opposite() })
            }
            Some(Bound { distance, inclusive }) => Expiry::After { delay: distance, inclusive },
        }
    }
}

impl From<IntervalCondition> for TimeCondition {
    /// The interval alone.
    fn from(interval: IntervalCondition) -> Self {
        Self { interval, key: None }
    }
}

impl From<TimeKey> for TimeCondition {
    /// The key alone.
    fn from(key: TimeKey) -> Self {
        Self { interval: IntervalCondition::UNBOUNDED, key: Some(key) }
    }
}

impl Expiry {
    /// Whether rows leave at all.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        !matches!(self, Self::Never(_))
    }

    /// The line at a watermark: rows whose time is at most the line leave. None if
    /// no row does.
    #[must_use]
    pub fn line(&self, watermark: Timestamp) -> Option<Timestamp> {
        let micros = i128::from(MICROS_PER_MILLI);
        let line = match *self {
            Self::Never(_) => return None,
            Self::AtWatermark => return Some(watermark),
            Self::After { delay, inclusive } => {
                let line = i128::from(watermark.as_micros()) - i128::from(delay.as_micros());
                // Whole milliseconds, towards zero, as Spark computes them.
                (line / micros - i128::from(inclusive)) * micros
            }
        };
        match i64::try_from(line) {
            Ok(line) => Some(Timestamp::from_micros(line)),
            Err(_) if line > 0 => Some(Timestamp::MAX),
            Err(_) => None,
        }
    }
}

impl fmt::Display for Expiry {
    /// The line as a formula, where W is the watermark.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Never(why) => write!(f, "never: {why}"),
            Self::AtWatermark => f.write_str("at or before W"),
            Self::After { delay, inclusive } => {
                f.write_str("at or before W")?;
                match delay.as_micros() {
                    0 => {}
                    1.. => write!(f, " - {delay}")?,
                    _ => write!(f, " + {}", -delay)?,
                }
                if inclusive { f.write_str(" - 1 ms") } else { Ok(()) }
            }
        }
    }
}

impl fmt::Display for Unbounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTimeCondition => {
                f.write_str("no condition relates the event times of the two sides")
            }
            Self::OpenInterval { side } => {
                let end = match side {
                    Side::Left => "how long after a left row a right row",
                    Side::Right => "how long after a right row a left row",
                };
                write!(f, "no bound says {end} may still match it")
            }
            Self::NoWatermark { side } => {
                write!(f, "the {side} side declares no watermark, so its rows may come at any time")
            }
            Self::NoWatermarkAtAll => f.write_str("no side declares a watermark"),
        }
    }
}
