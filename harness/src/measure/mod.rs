//! Measuring one strategy: a first pass that counts, further passes that are
//! only timed, memory looked at all the while.

mod encode;
mod isolate;
mod latency;
mod memory;
mod message;
mod probe;
mod sustain;
mod verify;

use std::time::{Duration, Instant};

use crate::error::{Failure, Result};
use crate::findings::{self, Look};
use crate::plan::{Carried, Plan, Strategy, pool_with_caller};
use crate::record::{DimensionSummary, Ended, Finding, Machine, PaceSummary, Progress, Summary};
use crate::replay::{Counted, Kept, Pass, PassOutcome, ProgressListener, Started, Terminated};
use crate::sink::{self, Sink, SinkSpec};

pub use isolate::{Worker, serve};
pub use latency::Latencies;
pub use memory::{MemoryPeaks, MemorySampler, anonymous_bytes};
pub use probe::{Sustainable, SustainableRate, sustainable_rate};
pub use sustain::{Probe, Verdict};
pub use verify::{comparable, verify};

/// What measuring a strategy came to.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The record; of a run that was cut short, up to its last whole batch.
    pub summary: Summary,
    /// Why it was cut short, and where its rows are kept.
    pub cut_short: Option<Failure>,
    /// What it found out beside its numbers.
    pub findings: Vec<Finding>,
}

/// Where stream rows that found nothing go.
#[derive(Clone, Copy, Debug)]
pub struct UnmatchedTo<'a> {
    /// The plan with the columns that are written, of the same scenario.
    pub plan: &'a Plan,
    /// A file.
    pub sink: &'a SinkSpec,
}

impl Measured {
    /// The record of a run that was not cut short.
    ///
    /// # Errors
    /// Why it was.
    pub fn whole(self) -> Result<Summary> {
        self.cut_short.map_or(Ok(self.summary), Err)
    }
}

/// Measures `strategy` on `plan`; the first pass's rows go to `sink`.
///
/// # Errors
/// A usage failure for what the kernels or the sink refuse before the first
/// row, else a run failure; batches that were whole stay readable where the
/// sink can keep them, and the message says where.
pub fn measure(
    plan: &Plan,
    strategy: &Strategy,
    sink: &SinkSpec,
    least_time: Duration,
    listener: &mut dyn ProgressListener,
) -> Result<Measured> {
    let outputs = Outputs { sink, unmatched: None, apart: false };
    measure_with(plan, strategy, outputs, least_time, listener)
}

/// What a measurement writes: of its first pass, whatever it is.
#[derive(Clone, Copy, Debug)]
pub struct Outputs<'a> {
    /// Where joined rows go.
    pub sink: &'a SinkSpec,
    /// Where stream rows that found nothing go. The pass carries more columns
    /// than the others then, and is no measurement of time.
    pub unmatched: Option<UnmatchedTo<'a>>,
    /// Whether writing is left out of the measurement: then the first pass is no
    /// part of it, and the others encode nothing. For strategies that are
    /// compared with others that do not write.
    pub apart: bool,
}

/// The same, with more to write.
///
/// # Errors
/// As [`measure`].
pub fn measure_with(
    plan: &Plan,
    strategy: &Strategy,
    outputs: Outputs<'_>,
    least_time: Duration,
    listener: &mut dyn ProgressListener,
) -> Result<Measured> {
    listener.started(&Started { strategy: strategy.name.clone(), rows: plan.rows() })?;
    let measured = passes(plan, strategy, outputs, least_time, listener);
    tell_end(listener, measured)
}

/// Tells how a run ended; the listener's own failure counts if there is no other.
fn tell_end(listener: &mut dyn ProgressListener, measured: Result<Measured>) -> Result<Measured> {
    let end = match &measured {
        Ok(measured) => {
            Terminated { summary: Some(&measured.summary), failure: measured.cut_short.as_ref() }
        }
        Err(failure) => Terminated { summary: None, failure: Some(failure) },
    };
    let told = listener.terminated(&end);
    let measured = measured?;
    told.map(|()| measured)
}

fn passes(
    plan: &Plan,
    strategy: &Strategy,
    outputs: Outputs<'_>,
    least_time: Duration,
    listener: &mut dyn ProgressListener,
) -> Result<Measured> {
    let Outputs { sink, unmatched, apart } = outputs;
    let apart = unmatched.is_some() || apart && *sink != SinkSpec::None;
    let again = if outputs.apart { &SinkSpec::None } else { sink };
    let sampler = MemorySampler::start();
    let pass = Pass::new(plan, strategy, pool_with_caller(strategy.threads)?);
    let schema = plan.output_schema();
    let mut target = sink::open(sink, schema)?;
    let mut missed = unmatched.map(open_unmatched).transpose()?;
    let ran = match unmatched {
        None => pass.run(&mut *target, listener, Counted::All),
        Some(UnmatchedTo { plan, .. }) => {
            let pass = Pass::new(plan, strategy, pool_with_caller(strategy.threads)?);
            let missed = missed.as_deref_mut().map(|sink| sink as &mut dyn Sink);
            pass.run_with(&mut *target, missed, listener, Counted::All)
        }
    };
    let mut first = match ran {
        Ok(outcome) => outcome,
        Err(failure) => return Err(abandoned(failure, std::iter::once(target).chain(missed))),
    };
    let flush = Instant::now();
    match first.cut_short.take() {
        None => {
            target.finish()?;
            missed.map_or(Ok(()), Sink::finish)?;
        }
        Some(failure) => {
            let targets = std::iter::once(target).chain(missed);
            first.cut_short = Some(abandoned(failure, targets));
        }
    }
    first.elapsed += flush.elapsed();

    let mut timed = Timed::default();
    // A paced pass takes its time, and one that time ends is what was asked for.
    let worth_repeating = first.rows_in > 0
        && first.cut_short.is_none()
        && first.kept.is_none()
        && !first.out_of_time
        && !matches!(sink, SinkSpec::Console);
    if (first.elapsed < least_time || apart) && worth_repeating {
        let repeating = Instant::now();
        let mut total = Duration::ZERO;
        // The second bound ends runs whose passes are over before they can be timed.
        while total < least_time && repeating.elapsed() < least_time * 3 {
            let mut target = encode::discard(again, schema)?;
            let mut outcome = pass.run(&mut *target, &mut Blind, Counted::TimeOnly)?;
            if outcome.cut_short.is_some() {
                // All that counts is there; what is left out is one more timing.
                first.cut_short = outcome.cut_short.map(Failure::repeating);
                break;
            }
            let flush = Instant::now();
            target.finish()?;
            outcome.elapsed += flush.elapsed();
            total += outcome.elapsed;
            timed.add(&outcome);
        }
    }
    if timed.timings.is_empty() {
        // A first pass that is long enough is its own measurement.
        timed.add(&first);
    }
    let peaks = sampler.finish();
    let summary = summary(plan, &first, &timed, peaks);
    // After all measurements: a second look at data takes time and memory.
    let memory = Machine::detect().memory_bytes;
    let findings = findings::find(&Look { plan, strategy, outcome: &first, memory });
    Ok(Measured { summary, cut_short: first.cut_short, findings })
}

fn open_unmatched(unmatched: UnmatchedTo<'_>) -> Result<Box<dyn Sink>> {
    let carried = unmatched.plan.carried().map(Carried::schema);
    let schema = carried.ok_or_else(|| Failure::usage("the plan carries no rows to write"))?;
    sink::open(unmatched.sink, schema)
}

/// A pass's failure, with where its whole batches were kept.
fn abandoned(failure: Failure, sinks: impl Iterator<Item = Box<dyn Sink>>) -> Failure {
    let notes = sinks.map(|sink| match sink.abandon() {
        Ok(Some(kept)) => format!("; {kept}"),
        Ok(None) => String::new(),
        // What cannot be written cannot be closed either.
        Err(second) if second.message == failure.message => String::new(),
        Err(second) => format!("; and then: {second}"),
    });
    let notes: String = notes.collect();
    Failure { kind: failure.kind, message: failure.message + &notes }
}

/// What is kept of the passes that are timed: little of each, for short
/// recordings are repeated thousands of times.
#[derive(Debug, Default)]
struct Timed {
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
    fn add(&mut self, outcome: &PassOutcome) {
        self.latencies.add(&outcome.latencies);
        self.timings.push(Timing {
            rows_in: outcome.rows_in,
            elapsed: outcome.elapsed,
            join_time: outcome.join_time,
        });
    }
}

/// Looks at nothing.
struct Blind;

impl ProgressListener for Blind {
    fn wants_progress(&self) -> bool {
        false
    }

    fn progress(&mut self, _: &Progress) -> Result<()> {
        Ok(())
    }
}

fn summary(plan: &Plan, first: &PassOutcome, timed: &Timed, peaks: MemoryPeaks) -> Summary {
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
        spread: spread(timings.iter().map(|timing| timing.elapsed.as_secs_f64()).collect()),
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
        pace: first.kept.map(|kept| pace(&kept, first.elapsed)),
        batch_borders: first
            .borders
            .filter(|_| plan.depends_on_batches())
            .map(|borders| format!("{borders:016x}")),
    }
}

fn pace(kept: &Kept, elapsed: Duration) -> PaceSummary {
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
    median(rates.collect())
}

/// (slowest - fastest) / median; `None` with one pass.
fn spread(times: Vec<f64>) -> Option<f64> {
    if times.len() < 2 {
        return None;
    }
    let slowest = times.iter().copied().fold(f64::MIN, f64::max);
    let fastest = times.iter().copied().fold(f64::MAX, f64::min);
    median(times).filter(|median| *median > 0.0).map(|median| (slowest - fastest) / median)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    values.get(middle - 1).map(|lower| f64::midpoint(*lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_spreads() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(spread(vec![1.0]), None);
        assert_eq!(spread(vec![1.0, 2.0, 4.0]), Some(1.5));
    }

    #[test]
    fn rates_need_rows_and_time() {
        let pass = |rows_in, millis| Timing {
            rows_in,
            elapsed: Duration::from_millis(millis),
            ..Timing::default()
        };
        assert_eq!(rate(&[pass(0, 10)], |p| p.elapsed), None);
        assert_eq!(rate(&[pass(10, 0)], |p| p.elapsed), None);
        assert_eq!(rate(&[pass(10, 1000), pass(10, 500)], |p| p.elapsed), Some(15.0));
    }
}
