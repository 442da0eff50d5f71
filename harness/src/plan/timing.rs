//! What time does to a replay: how fast rows come, and when it ends.

use std::time::Duration;

use crate::error::{Failure, Result};
use crate::scenario::{Pace, Scenario, Trigger};

/// How fast rows come, and when the stream ends whatever is left of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// Rows that arrive in a second; as fast as they are worked off where absent.
    pub rows_per_second: Option<f64>,
    /// After this time the stream counts as ended.
    pub duration: Option<Duration>,
}

impl Timing {
    /// Rows that arrive before time ends the stream, where both tell: a paced
    /// stream ends with the last row that is due by then.
    #[must_use]
    pub fn rows(&self) -> Option<u64> {
        let (rate, duration) = self.rows_per_second.zip(self.duration)?;
        Some(rows_due(rate, duration))
    }

    /// The timing that `scenario` asks for.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario.
    pub(super) fn of(scenario: &Scenario) -> Result<Self> {
        let replay = &scenario.spec.replay;
        let rows_per_second = match &replay.pace {
            Some(pace) => match pace.get_ref() {
                Pace::Unthrottled => None,
                Pace::RowsPerSecond(rate) if rate.is_finite() && *rate > 0.0 => Some(*rate),
                Pace::RowsPerSecond(rate) => {
                    return Err(Failure::usage(format!(
                        "`pace`: {rate} rows a second is no rate: give a number above 0, such as {{ rows_per_second = 1e6 }}"
                    ))
                    .at(scenario.place(pace)));
                }
            },
            None => None,
        };
        if let Some(trigger) = &replay.trigger
            && let Trigger::Every(tick) = trigger.get_ref()
        {
            let at = |message: &str| Err(Failure::usage(message).at(scenario.place(trigger)));
            if tick.0 <= 0 {
                return at("a trigger must be longer than nothing, such as { every = \"5 s\" }");
            }
            if rows_per_second.is_none() {
                return at(
                    "the trigger `every` takes what arrived since the last batch, so it must be known how fast rows arrive: add pace = { rows_per_second = N } to [replay], or cut by { rows = N } or { event_time = \"10 s\" }",
                );
            }
        }
        let duration = match &replay.duration {
            Some(duration) if duration.get_ref().0 <= 0 => {
                return Err(Failure::usage("`duration` must be longer than nothing")
                    .at(scenario.place(duration)));
            }
            Some(duration) => Some(duration.get_ref().as_duration()),
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
