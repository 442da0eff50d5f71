//! How fast rows come, and when time ends the stream.

use std::time::Duration;

use crate::error::Result;
use crate::scenario::{Pace, Replay, Trigger};

/// How fast rows come, and when the stream ends whether or not rows are left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// Rows per second that arrive; as fast as they are processed where absent.
    pub rows_per_second: Option<f64>,
    /// After this time the stream counts as ended.
    pub duration: Option<Duration>,
}

impl Timing {
    /// Rows that arrive before time ends the stream, where both are set: a paced
    /// stream ends with the last row that is due by then.
    pub fn rows(&self) -> Option<u64> {
        let (rate, duration) = self.rows_per_second.zip(self.duration)?;
        Some(rows_due(rate, duration))
    }

    /// The timing that `replay` asks for.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario.
    pub(super) fn of(replay: &Replay) -> Result<Self> {
        let rows_per_second = match *replay.pace {
            Pace::Unthrottled => None,
            Pace::RowsPerSecond(rate) if rate.is_finite() && rate > 0.0 => Some(rate),
            Pace::RowsPerSecond(rate) => {
                return Err(replay.pace.refuse(format!(
                    "`pace`: {rate} rows per second is not a rate: give a number above 0, such as {{ rows_per_second = 1e6 }}"
                )));
            }
        };
        if let Trigger::Every(tick) = *replay.trigger {
            if tick.0 <= 0 {
                return Err(replay
                    .trigger
                    .refuse("a trigger must be longer than zero, such as { every = \"5 s\" }"));
            }
            if rows_per_second.is_none() {
                return Err(replay.trigger.refuse(
                    "the trigger `every` takes what arrived since the last batch, so it must be known how fast rows arrive: add pace = { rows_per_second = N } to [replay], or cut by { rows = N } or { event_time = \"10 s\" }",
                ));
            }
        }
        let duration = match &replay.duration {
            Some(duration) if duration.0 <= 0 => {
                return Err(duration.refuse("`duration` must be longer than zero"));
            }
            Some(duration) => Some(duration.as_duration()),
            None => None,
        };
        Ok(Self { rows_per_second, duration })
    }
}

/// Rows that are due at a time.
pub(crate) fn rows_due(rate: f64, time: Duration) -> u64 {
    // In nanoseconds: 0.57 s at 100 rows/s are 57 rows, not 56.99999.
    (time.as_nanos() as f64 * rate / 1e9) as u64
}
