//! Time as a pass sees it: observing is not part of it.

use std::fmt;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::interrupt::StopCheck;

/// How long a wait may go without a look at whether the run is to end.
const SLICE: Duration = Duration::from_millis(50);

/// A clock that a replay reads and waits by. Tests drive one of their own.
pub trait Clock: fmt::Debug + Sync {
    /// Time since a moment that stays the same.
    fn now(&self) -> Duration;

    /// Lets this much time pass.
    fn sleep(&self, time: Duration);
}

/// The machine's clock.
pub fn system_clock() -> &'static dyn Clock {
    static CLOCK: LazyLock<SystemClock> = LazyLock::new(|| SystemClock(Instant::now()));
    &*CLOCK
}

#[derive(Debug)]
struct SystemClock(Instant);

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// Time since a pass began.
#[derive(Debug)]
pub(crate) struct Timeline<'c> {
    clock: &'c dyn Clock,
    origin: Duration,
    aside: Duration,
    waited: Duration,
}

impl<'c> Timeline<'c> {
    /// Begins now.
    pub(crate) fn new(clock: &'c dyn Clock) -> Self {
        Self { clock, origin: clock.now(), aside: Duration::ZERO, waited: Duration::ZERO }
    }

    /// Time since the beginning, without the time of what only observes.
    pub(crate) fn now(&self) -> Duration {
        self.clock.now().saturating_sub(self.origin).saturating_sub(self.aside)
    }

    /// Time of it that was spent in waiting for rows to fall due.
    pub(crate) fn waited(&self) -> Duration {
        self.waited
    }

    /// Counts the time since `start` as observation.
    pub(crate) fn set_aside(&mut self, start: Duration) {
        self.aside += self.now().saturating_sub(start);
    }

    /// Leaves out observation time that was measured otherwise.
    pub(crate) fn leave_out(&mut self, time: Duration) {
        self.aside += time;
    }

    /// Waits for a time of this line.
    pub(crate) fn wait_until(&mut self, time: Duration, stop_check: &StopCheck) -> Result<()> {
        let start = self.now();
        let result = loop {
            let left = time.saturating_sub(self.now());
            if left.is_zero() {
                break Ok(());
            }
            if let Err(failure) = stop_check.check() {
                break Err(failure);
            }
            self.clock.sleep(left.min(SLICE));
        };
        self.waited += self.now().saturating_sub(start);
        result
    }
}
