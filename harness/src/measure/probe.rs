//! Replaying at one rate for a while, to see whether a strategy holds it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::sustain::{Found, Probe, Verdict, search};
use super::{Blind, encode};
use crate::error::{Failure, Result};
use crate::plan::{Plan, Strategy, Timing, pool_with_caller, rows_due};
use crate::record::Quantiles;
use crate::replay::{Clock, Counted, Pass, PassOutcome};
use crate::scenario::{End, Trigger};
use crate::sink::SinkSpec;

/// With fewer batches a probe that went well tells nothing.
const LEAST_BATCHES: u64 = 8;
/// A recording that lasts no longer than this at a rate tells nothing.
const LEAST_TIME: Duration = Duration::from_secs(1);
/// Seconds in a second by which batches may fall behind: the scatter of a rate
/// that is held.
const STEADY: f64 = 0.02;

/// What makes a rate sustainable, and how it is found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sustainable {
    /// The 99th percentile of the latency is to be within this.
    pub p99: Duration,
    /// How long rows come in one probe at most.
    pub probe: Duration,
}

/// The highest rate at which one strategy keeps up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SustainableRate {
    /// Name of the strategy.
    pub strategy: String,
    /// Rows a second; null if no rate holds.
    pub rows_per_second: Option<f64>,
    /// The lowest rate that failed; null if none did.
    pub fails_at_rows_per_second: Option<f64>,
    /// Of the batches of the worst probe that held the rate.
    pub latency_ms: Option<Quantiles>,
    /// Rows a second as fast as they are worked off.
    pub unthrottled_rows_per_second: f64,
    /// Why the answer is not certain; null if it is.
    pub inconclusive: Option<String>,
    /// What else there is to say.
    pub note: Option<String>,
    /// The probes, in the order in which they were made.
    pub probes: Vec<Probe>,
}

/// Finds the highest sustainable rate of `strategy`; `told` hears of each probe.
/// `plan` is left at another pace. Rows are encoded as `sink` says and kept
/// nowhere. A recording that is shorter than a probe is read again if there is
/// one stream; of two streams, whose state would take the times of a second
/// reading for late, a probe ends with it.
///
/// # Errors
/// A usage failure for a probe of too few ticks of the trigger `every`, a run
/// failure for a stream without rows, and those of the passes.
pub fn sustainable_rate(
    plan: &mut Plan,
    strategy: &Strategy,
    sink: &SinkSpec,
    asked: Sustainable,
    clock: &dyn Clock,
    told: &mut dyn FnMut(&Probe) -> Result<()>,
) -> Result<SustainableRate> {
    let ticks = match plan.trigger() {
        Trigger::Every(tick) => Some(tick.as_duration()),
        _ => None,
    };
    if let Some(tick) = ticks.filter(|tick| asked.probe < *tick * LEAST_BATCHES as u32) {
        return Err(Failure::usage(format!(
            "a probe of {:?} has fewer than {LEAST_BATCHES} triggers of {tick:?}: give --probe {}s or more",
            asked.probe,
            (tick * LEAST_BATCHES as u32).as_secs_f64().ceil()
        )));
    }
    match plan {
        Plan::StreamStatic(plan) => plan.repeat = true,
        // What a flush empties at the end is no part of a stream that goes on.
        Plan::StreamStream(plan) => plan.end = End::Hold,
    }
    let mut prober =
        Prober { plan, strategy, sink, asked, clock, pool: pool_with_caller(strategy.threads)? };
    let unthrottled = prober.unthrottled()?;
    let found = search(unthrottled, ticks.is_none(), |rate| {
        let probe = prober.probe(rate)?;
        told(&probe)?;
        Ok(probe)
    })?;
    Ok(rate_of(strategy, unthrottled, found))
}

fn rate_of(strategy: &Strategy, unthrottled: f64, found: Found) -> SustainableRate {
    let held = found.probes.iter().filter(|probe| {
        Some(probe.rows_per_second) == found.rows_per_second && probe.verdict == Verdict::Sustained
    });
    let worst = held.filter_map(|probe| probe.latency_ms).max_by(|a, b| a.p99.total_cmp(&b.p99));
    SustainableRate {
        strategy: strategy.name.clone(),
        rows_per_second: found.rows_per_second,
        fails_at_rows_per_second: found.fails_at,
        latency_ms: worst,
        unthrottled_rows_per_second: unthrottled,
        inconclusive: found.inconclusive,
        note: found.note,
        probes: found.probes,
    }
}

struct Prober<'p> {
    plan: &'p mut Plan,
    strategy: &'p Strategy,
    sink: &'p SinkSpec,
    asked: Sustainable,
    clock: &'p dyn Clock,
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Prober<'_> {
    /// Rows a second as fast as they are worked off, tables loaded before.
    fn unthrottled(&mut self) -> Result<f64> {
        let trigger = self.plan.trigger().clone();
        if matches!(trigger, Trigger::Every(_)) {
            // Ticks need a pace: batches of the usual size tell about as much.
            self.plan.set_trigger(Trigger::default());
        }
        let outcome = self.pass(None);
        self.plan.set_trigger(trigger);
        let outcome = outcome?;
        let seconds = outcome.elapsed.saturating_sub(outcome.build_time).as_secs_f64();
        if outcome.rows_in == 0 {
            return Err(Failure::run("the stream has no rows, so it holds any rate"));
        }
        Ok(outcome.rows_in as f64 / seconds.max(1e-9))
    }

    fn probe(&mut self, rate: f64) -> Result<Probe> {
        let outcome = self.pass(Some(rate))?;
        let kept = outcome.kept.unwrap_or_default();
        let seconds = outcome.rows_in as f64 / rate;
        let latency = outcome.latencies.quantiles();
        let bound = self.asked.p99.as_secs_f64() * 1e3;
        // Too slow for as many batches as would tell by how much.
        let stuck = outcome.batches < LEAST_BATCHES
            && outcome.out_of_time
            && outcome.rows_in < rows_due(rate, self.asked.probe);
        let verdict = if latency.is_some_and(|latency| latency.p99 > bound) {
            Verdict::Late
        } else if stuck || outcome.batches > 2 && kept.falling_behind > STEADY {
            Verdict::FallingBehind
        } else if !outcome.out_of_time && seconds < LEAST_TIME.min(self.asked.probe).as_secs_f64() {
            Verdict::TooShort
        } else if outcome.batches < LEAST_BATCHES {
            Verdict::TooFewBatches
        } else {
            Verdict::Sustained
        };
        Ok(Probe {
            rows_per_second: rate,
            seconds,
            rows_in: outcome.rows_in,
            batches: outcome.batches,
            latency_ms: latency,
            most_behind_ms: kept.most_behind.as_secs_f64() * 1e3,
            falling_behind: kept.falling_behind,
            verdict,
        })
    }

    fn pass(&mut self, rows_per_second: Option<f64>) -> Result<PassOutcome> {
        self.plan.set_timing(Timing { rows_per_second, duration: Some(self.asked.probe) });
        let mut sink = encode::discard(self.sink, self.plan.output_schema())?;
        let pass = Pass::new(self.plan, self.strategy, self.pool.clone()).by_clock(self.clock);
        let mut outcome = pass.run(&mut *sink, &mut Blind, Counted::TimeOnly)?;
        sink.finish()?;
        match outcome.cut_short.take() {
            Some(failure) => Err(failure),
            None => Ok(outcome),
        }
    }
}
