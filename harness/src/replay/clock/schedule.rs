//! When batches start, which rows have come by then, and when the stream ends.
//!
//! Row n, counted from 1 in the order of the replay, falls due n / rate after
//! the start. A batch starts when its last row is due, or, with the trigger
//! `every`, at a tick; a batch that is late starts at once. All times are those
//! of the pass, but the first load of the tables stands outside: a service
//! loads its tables before it takes rows.

use std::hash::Hasher;
use std::time::Duration;

use twox_hash::XxHash64;

use super::timeline::Timeline;
use super::trend::Trend;
use crate::error::Result;
use crate::interrupt::StopCheck;
use crate::plan::{Timing, rows_due};
use crate::scenario::Trigger;

/// What a schedule asks for, and how a pass kept it.
#[derive(Debug)]
pub(crate) struct Schedule {
    timing: Timing,
    every: Option<Duration>,
    /// The pass's time at which the stream began.
    start: Duration,
    /// Rows of all batches so far.
    taken: u64,
    /// When the last tick's batch started or would have.
    ticked: Option<Duration>,
    /// When the tick at hand is.
    tick: Duration,
    /// When the batch at hand was due.
    due: Duration,
    /// From the time at which the last batch was due to its end.
    latency: Duration,
    pace: PaceOutcome,
    borders: XxHash64,
}

/// How a paced pass kept its schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PaceOutcome {
    /// Rows per second that were asked for.
    pub rows_per_second: f64,
    /// Time spent in waiting for rows to fall due.
    pub waited: Duration,
    /// Batches that started late, as the one before was still running.
    pub late_batches: u64,
    /// Ticks without a row.
    pub idle_ticks: u64,
    /// How late the last batch started.
    pub behind: Duration,
    /// The most that a batch started late.
    pub most_behind: Duration,
    /// Seconds by which batches fell behind per second: the slope of the
    /// straight line through their delays. 0 with fewer than two batches.
    pub falling_behind: f64,
    trend: Trend,
}

/// How far a paced pass was behind at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backlog {
    /// Rows per second that were due.
    pub rows_per_second: f64,
    /// Rows that were due when the last batch began and not taken up.
    pub rows: u64,
    /// How long after its due time the last batch was done.
    pub behind: Duration,
    /// Time between two batches that were due.
    pub every: Duration,
    /// Batches that took longer than that.
    pub overrun_batches: u64,
    /// Batches in all.
    pub batches: u64,
}

impl Schedule {
    pub(crate) fn new(timing: Timing, trigger: &Trigger) -> Self {
        let every = match trigger {
            Trigger::Every(tick) if timing.rows_per_second.is_some() => Some(tick.as_duration()),
            _ => None,
        };
        Self {
            every,
            start: Duration::ZERO,
            taken: 0,
            ticked: None,
            tick: Duration::ZERO,
            due: Duration::ZERO,
            pace: PaceOutcome {
                rows_per_second: timing.rows_per_second.unwrap_or_default(),
                ..PaceOutcome::default()
            },
            latency: Duration::ZERO,
            borders: XxHash64::with_seed(0),
            timing,
        }
    }

    /// Whether batches wait for their rows.
    pub(crate) fn is_paced(&self) -> bool {
        self.timing.rows_per_second.is_some()
    }

    /// Whether batches start at ticks.
    pub(crate) fn has_ticks(&self) -> bool {
        self.every.is_some()
    }

    /// The most rows that the next batch takes, as it is `now`; all unless ticks
    /// cut the batches.
    pub(crate) fn most(&mut self, now: Duration) -> u64 {
        let (Some(every), Some(rate)) = (self.every, self.timing.rows_per_second) else {
            return u64::MAX;
        };
        let now = now.saturating_sub(self.start);
        self.tick = next_tick(every, self.ticked);
        if let Some(end) = self.timing.duration {
            self.tick = self.tick.min(end);
        }
        rows_due(rate, self.tick.max(now)).saturating_sub(self.taken)
    }

    /// Waits until a batch of `rows` may start; false if it is a tick without
    /// rows, at which none does.
    pub(crate) fn begin(
        &mut self,
        rows: u64,
        timeline: &mut Timeline<'_>,
        stop_check: &StopCheck,
    ) -> Result<bool> {
        let Some(rate) = self.timing.rows_per_second else { return Ok(true) };
        self.taken = self.taken.saturating_add(rows);
        self.due = match self.every {
            Some(_) => self.tick,
            None => due(rate, self.taken),
        };
        let reached = timeline.now().saturating_sub(self.start);
        timeline.wait_until(self.start.saturating_add(self.due), stop_check)?;
        if self.every.is_some() {
            // On time the tick counts, not when the wait happened to end.
            self.ticked = Some(self.due.max(reached));
            if rows == 0 {
                self.pace.idle_ticks += 1;
                return Ok(false);
            }
            self.borders.write_u64(rows);
        }
        let behind = reached.saturating_sub(self.due);
        self.pace.late_batches += u64::from(!behind.is_zero());
        self.pace.behind = behind;
        self.pace.most_behind = self.pace.most_behind.max(behind);
        self.pace.trend.add(self.due.as_secs_f64(), behind.as_secs_f64());
        Ok(true)
    }

    /// A batch is done, this long after it was due.
    pub(crate) fn done(&mut self, latency: Duration) {
        self.latency = latency;
    }

    /// How far behind a paced pass was at its end; `cut_off` if time ended it.
    pub(crate) fn backlog(
        &self,
        timeline: &Timeline<'_>,
        batches: u64,
        cut_off: bool,
    ) -> Option<Backlog> {
        let rate = self.timing.rows_per_second?;
        let now = timeline.now().saturating_sub(self.start);
        let arrived = rows_due(rate, self.timing.duration.map_or(now, |end| end.min(now)));
        let between = self.pace.trend.between();
        Some(Backlog {
            rows_per_second: rate,
            rows: if cut_off { arrived.saturating_sub(self.taken) } else { 0 },
            behind: self.latency,
            every: self.every.unwrap_or(between),
            overrun_batches: self.pace.late_batches,
            batches,
        })
    }

    /// Takes a batch of `rows` when it is due, without waiting.
    pub(crate) fn skip(&mut self, rows: u64) {
        self.taken = self.taken.saturating_add(rows);
        self.ticked = Some(self.tick);
    }

    /// How long after its due time the batch at hand is done; of a paced pass
    /// only.
    pub(crate) fn latency(&self, now: Duration) -> Option<Duration> {
        let since_start = now.saturating_sub(self.start);
        self.is_paced().then(|| since_start.saturating_sub(self.due))
    }

    /// Leaves out a time in which the stream had not begun.
    pub(crate) fn begin_later(&mut self, by: Duration) {
        self.start += by;
    }

    /// Whether the time of the replay is over.
    pub(crate) fn is_over(&self, now: Duration) -> bool {
        self.timing.duration.is_some_and(|end| now.saturating_sub(self.start) >= end)
    }

    /// How the schedule was pace; none of an unthrottled pass.
    pub(crate) fn pace(&self, timeline: &Timeline<'_>) -> Option<PaceOutcome> {
        let trend = &self.pace.trend;
        self.is_paced().then(|| PaceOutcome {
            waited: timeline.waited(),
            falling_behind: trend.slope(),
            ..self.pace
        })
    }

    /// A hash of the batches' sizes, if ticks cut them.
    pub(crate) fn borders(&self) -> Option<u64> {
        self.every.map(|_| self.borders.finish())
    }
}

/// The first tick after the one at which a batch started; the first of all.
fn next_tick(every: Duration, started: Option<Duration>) -> Duration {
    let Some(started) = started else { return every };
    let ticks = started.as_nanos() / every.as_nanos().max(1) + 1;
    nanos(every.as_nanos().saturating_mul(ticks))
}

/// When a row, counted from 1, is due.
fn due(rate: f64, row: u64) -> Duration {
    Duration::try_from_secs_f64(row as f64 / rate).unwrap_or(Duration::MAX)
}

fn nanos(nanos: u128) -> Duration {
    const SECOND: u128 = 1_000_000_000;
    match u64::try_from(nanos / SECOND) {
        Ok(seconds) => Duration::new(seconds, (nanos % SECOND) as u32),
        Err(_) => Duration::MAX,
    }
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
