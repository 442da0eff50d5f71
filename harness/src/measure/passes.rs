//! Measuring one strategy: a first pass that counts, further passes that are
//! only timed, memory sampled all the while.

use std::time::{Duration, Instant};

use super::blind::Blind;
use super::encode;
use super::measured::{Measured, tell_end};
use super::memory::MemorySampler;
use super::summary::{Timed, summary};
use crate::error::{Failure, Result};
use crate::findings::{self, FinishedRun};
use crate::plan::{Carried, Plan, Strategy, pool_with_caller};
use crate::record::Machine;
use crate::replay::{Counted, Pass, ProgressListener, Started};
use crate::sink::{self, Sink, SinkSpec};

/// Where unmatched stream rows go.
#[derive(Clone, Copy, Debug)]
pub struct UnmatchedTo<'a> {
    /// The plan with the columns that are written, of the same scenario.
    pub plan: &'a Plan,
    /// A file.
    pub sink: &'a SinkSpec,
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

/// What a measurement writes, all of it from its first pass.
#[derive(Clone, Copy, Debug)]
pub struct Outputs<'a> {
    /// Where joined rows go.
    pub sink: &'a SinkSpec,
    /// Where unmatched stream rows go. The pass then carries more columns
    /// than the others, and its time is not a measurement.
    pub unmatched: Option<UnmatchedTo<'a>>,
    /// Whether writing is left out of the measurement: the first pass is then not
    /// part of it, and the others encode nothing. For strategies that are
    /// compared with others that do not write.
    pub apart: bool,
}

/// Measures `strategy` on `plan`, with all that can be written.
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
    // A paced pass takes its time, and one that ends by time is complete.
    let worth_repeating = first.rows_in > 0
        && first.cut_short.is_none()
        && first.pace.is_none()
        && !first.out_of_time
        && !matches!(sink, SinkSpec::Console);
    if (first.elapsed < least_time || apart) && worth_repeating {
        let repeating = Instant::now();
        let mut total = Duration::ZERO;
        // The second bound ends runs whose passes are too short to be timed.
        while total < least_time && repeating.elapsed() < least_time * 3 {
            let mut target = encode::discard(again, schema)?;
            let mut outcome = pass.run(&mut *target, &mut Blind, Counted::TimeOnly)?;
            if outcome.cut_short.is_some() {
                // All counts are known; only one more timing is missing.
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
    if timed.is_empty() {
        // A first pass that is long enough is its own measurement.
        timed.add(&first);
    }
    let peaks = sampler.finish();
    let summary = summary(plan, &first, &timed, peaks);
    // After all measurements: reading data again takes time and memory.
    let memory = Machine::detect().memory_bytes;
    let findings = findings::find(&FinishedRun { plan, strategy, outcome: &first, memory });
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
    let message = format!("{failure}{notes}");
    failure.saying(message)
}
