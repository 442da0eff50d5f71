//! A run's record, from its first pass and the passes that were timed.

use std::time::Duration;

use super::memory::MemoryPeaks;
use crate::plan::Plan;
use crate::record::{DimensionSummary, Ended, PaceSummary, Summary};
use crate::replay::{Latencies, PaceOutcome, PassOutcome};
use crate::statistics::{median, spread};

/// The timings of passes: little of each, as short recordings are repeated
/// thousands of times.
#[derive(Debug, Default)]
pub(super) struct Timed {
    timings: Vec<Timing>,
    latencies: Latencies,
}

#[derive(Clone, Copy, Debug, Default)]
struct Timing {
    rows_in: u64,
    elapsed: Duration,
    join_time: Duration,
}

impl Timed {
    pub(super) fn is_empty(&self) -> bool {
        self.timings.is_empty()
    }

    pub(super) fn add(&mut self, outcome: &PassOutcome) {
        self.latencies.add(&outcome.latencies);
        self.timings.push(Timing {
            rows_in: outcome.rows_in,
            elapsed: outcome.elapsed,
            join_time: outcome.join_time,
        });
    }
}

/// The record of a run from its first pass and the passes that were timed.
pub(super) fn summary(
    plan: &Plan,
    first: &PassOutcome,
    timed: &Timed,
    peaks: MemoryPeaks,
) -> Summary {
    let timings = &timed.timings;
    let has_tables = !plan.joins().is_empty();
    let dimensions = plan.joins().iter().zip(&first.joins).map(|(join, &(matched, unmatched))| {
        let rows = matched + unmatched;
        DimensionSummary {
            name: join.name.clone(),
            rows_matched: matched,
            rows_unmatched: unmatched,
            unmatched_rate: (rows > 0).then(|| unmatched as f64 / rows as f64),
        }
    });
    Summary {
        rows_in: first.rows_in,
        rows_out: first.rows_out,
        rows_unmatched: first.rows_unmatched,
        dimensions: dimensions.collect(),
        passes: u32::try_from(timings.len()).unwrap_or(u32::MAX),
        spread: spread(&timings.iter().map(|t| t.elapsed.as_secs_f64()).collect::<Vec<_>>()),
        batches: first.batches,
        rows_per_second: rate(timings, |timing| timing.elapsed),
        join_rows_per_second: rate(timings, |timing| timing.join_time),
        latency_ms: timed.latencies.quantiles(),
        build_ms: has_tables.then_some(first.build_time.as_secs_f64() * 1e3),
        table_bytes: has_tables.then_some(first.table_bytes),
        peak_rss_bytes: peaks.rss,
        peak_anon_bytes: peaks.anonymous,
        checksum: first.checksum.as_ref().map(ToString::to_string),
        state_rows: first.state.map(|state| state.rows),
        state_bytes: first.state.map(|state| state.bytes),
        bytes_per_live_row: first.state.and_then(|state| state.bytes_per_live_row),
        dropped: first.dropped,
        outer_delay: first.state.and(first.outer_delay.quantiles()),
        evicted: first.evicted,
        work: first.work,
        ended: match &first.cut_short {
            Some(failure) => Ended::by(failure),
            None if first.out_of_time => Ended::Duration,
            None => Ended::Complete,
        },
        pace: first.pace.map(|kept| pace(&kept, first.elapsed)),
        batch_borders: first
            .borders
            .filter(|_| plan.depends_on_batches())
            .map(|borders| format!("{borders:016x}")),
    }
}

fn pace(kept: &PaceOutcome, elapsed: Duration) -> PaceSummary {
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let waited = match elapsed.as_secs_f64() {
        all if all > 0.0 => (kept.waited.as_secs_f64() / all).min(1.0),
        _ => 0.0,
    };
    PaceSummary {
        rows_per_second: kept.rows_per_second,
        busy_share: 1.0 - waited,
        late_batches: kept.late_batches,
        idle_ticks: kept.idle_ticks,
        behind_ms: millis(kept.behind),
        most_behind_ms: millis(kept.most_behind),
        falling_behind: kept.falling_behind,
    }
}

/// Median rate of the passes; `None` where no time passed or no row was read.
fn rate(timings: &[Timing], time: impl Fn(&Timing) -> Duration) -> Option<f64> {
    let rates = timings.iter().filter(|timing| timing.rows_in > 0).filter_map(|timing| {
        let seconds = time(timing).as_secs_f64();
        (seconds > 0.0).then(|| timing.rows_in as f64 / seconds)
    });
    median(&rates.collect::<Vec<_>>())
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
