//! Trials of a strategy: replays at one rate for a while, each judged.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::search::{Found, search};
use super::trial::{Trial, TrialOutcome};
use crate::error::{Failure, Result};
use crate::measure::blind::Blind;
use crate::measure::encode;
use crate::plan::{Plan, Strategy, Timing, pool_with_caller, rows_due};
use crate::record::Quantiles;
use crate::replay::{Clock, Counted, Pass, PassOutcome};
use crate::scenario::{End, Trigger};
use crate::sink::SinkSpec;

/// With fewer batches, a trial that went well proves nothing.
const LEAST_BATCHES: u64 = 8;
/// A recording that lasts less than this at a rate proves nothing.
const LEAST_TIME: Duration = Duration::from_secs(1);
/// Seconds per second by which batches may fall behind: the scatter of a rate that
/// is held.
const STEADY: f64 = 0.02;

/// What makes a rate sustainable, and how long each trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sustainable {
    /// The 99th percentile of the latency is to be within this.
    pub p99: Duration,
    /// The longest time that rows arrive in one trial.
    pub trial: Duration,
}

/// The highest rate at which one strategy keeps up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SustainableRate {
    /// Name of the strategy.
    pub strategy: String,
    /// Rows per second; null if no rate holds.
    pub rows_per_second: Option<f64>,
    /// The lowest rate that failed; null if none did.
    pub fails_at_rows_per_second: Option<f64>,
    /// Of the batches of the worst trial that held the rate.
    pub latency_ms: Option<Quantiles>,
    /// Rows per second without a pace.
    pub unthrottled_rows_per_second: f64,
    /// Why the answer is not certain; null if it is.
    pub inconclusive: Option<String>,
    /// A remark; null if there is none.
    pub note: Option<String>,
    /// The trials, in the order in which they were made.
    #[serde(rename = "probes")]
    pub trials: Vec<Trial>,
}

/// Finds the highest sustainable rate of `strategy`; `report` gets each trial.
/// `plan` is left at another pace. Rows are encoded as `sink` says and not kept.
/// A recording that is shorter than a trial is read again if there is one stream;
/// with two streams a trial ends with it, as the times of a second reading would
/// be late.
///
/// # Errors
/// A usage failure for a trial of too few ticks of the trigger `every`, a run
/// failure for a stream without rows, and those of the passes.
pub fn sustainable_rate(
    plan: &mut Plan,
    strategy: &Strategy,
    sink: &SinkSpec,
    asked: Sustainable,
    clock: &dyn Clock,
    report: &mut dyn FnMut(&Trial) -> Result<()>,
) -> Result<SustainableRate> {
    let ticks = match plan.trigger() {
        Trigger::Every(tick) => Some(tick.as_duration()),
        _ => None,
    };
    if let Some(tick) = ticks.filter(|tick| asked.trial < *tick * LEAST_BATCHES as u32) {
        return Err(Failure::usage(format!(
            "a probe of {:?} has fewer than {LEAST_BATCHES} triggers of {tick:?}: give --probe {}s or more",
            asked.trial,
            (tick * LEAST_BATCHES as u32).as_secs_f64().ceil()
        )));
    }
    match plan {
        Plan::StreamStatic(plan) => plan.repeat = true,
        // A stream that goes on does not flush its state.
        Plan::StreamStream(plan) => plan.end = End::Hold,
    }
    let mut runner =
        Runner { plan, strategy, sink, asked, clock, pool: pool_with_caller(strategy.threads)? };
    let unthrottled = runner.unthrottled()?;
    let found = search(unthrottled, ticks.is_none(), |rate| {
        let trial = runner.trial(rate)?;
        report(&trial)?;
        Ok(trial)
    })?;
    Ok(rate_of(strategy, unthrottled, found))
}

fn rate_of(strategy: &Strategy, unthrottled: f64, found: Found) -> SustainableRate {
    let held = found.trials.iter().filter(|trial| {
        Some(trial.rows_per_second) == found.rows_per_second
            && trial.outcome == TrialOutcome::Sustained
    });
    let worst = held.filter_map(|trial| trial.latency_ms).max_by(|a, b| a.p99.total_cmp(&b.p99));
    SustainableRate {
        strategy: strategy.name.clone(),
        rows_per_second: found.rows_per_second,
        fails_at_rows_per_second: found.fails_at,
        latency_ms: worst,
        unthrottled_rows_per_second: unthrottled,
        inconclusive: found.inconclusive,
        note: found.note,
        trials: found.trials,
    }
}

struct Runner<'p> {
    plan: &'p mut Plan,
    strategy: &'p Strategy,
    sink: &'p SinkSpec,
    asked: Sustainable,
    clock: &'p dyn Clock,
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Runner<'_> {
    /// Rows per second without a pace, tables loaded before.
    fn unthrottled(&mut self) -> Result<f64> {
        let trigger = self.plan.trigger().clone();
        if matches!(trigger, Trigger::Every(_)) {
            // Ticks need a pace: batches of the usual size are about as good.
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

    fn trial(&mut self, rate: f64) -> Result<Trial> {
        let pass = self.pass(Some(rate))?;
        let kept = pass.pace.unwrap_or_default();
        let seconds = pass.rows_in as f64 / rate;
        let latency = pass.latencies.quantiles();
        let bound = self.asked.p99.as_secs_f64() * 1e3;
        // Too slow for enough batches to measure by how much.
        let stuck = pass.batches < LEAST_BATCHES
            && pass.out_of_time
            && pass.rows_in < rows_due(rate, self.asked.trial);
        let outcome = if latency.is_some_and(|latency| latency.p99 > bound) {
            TrialOutcome::Late
        } else if stuck || pass.batches > 2 && kept.falling_behind > STEADY {
            TrialOutcome::FallingBehind
        } else if !pass.out_of_time && seconds < LEAST_TIME.min(self.asked.trial).as_secs_f64() {
            TrialOutcome::TooShort
        } else if pass.batches < LEAST_BATCHES {
            TrialOutcome::TooFewBatches
        } else {
            TrialOutcome::Sustained
        };
        Ok(Trial {
            rows_per_second: rate,
            seconds,
            rows_in: pass.rows_in,
            batches: pass.batches,
            latency_ms: latency,
            most_behind_ms: kept.most_behind.as_secs_f64() * 1e3,
            falling_behind: kept.falling_behind,
            outcome,
        })
    }

    fn pass(&mut self, rows_per_second: Option<f64>) -> Result<PassOutcome> {
        self.plan.set_timing(Timing { rows_per_second, duration: Some(self.asked.trial) });
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
