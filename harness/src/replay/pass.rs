//! One pass: from the first read to the last flush.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{Int64Array, RecordBatch};

use super::clock::{BatchClock, Phase};
use super::dimension::Dimension;
use super::evidence::Evidence;
use super::give_out::{Out, selected};
use super::listener::ProgressListener;
use super::mark::Mark;
use super::pipeline::{JoinCounts, JoinTimes, Pipeline, Run, timed};
use super::source_rows::{Place, SourceRows, cutter};
use super::state_track::StateOutcome;
use super::streams;
use super::watermark::Watermark;
use super::witness::Witness;
use crate::culprit::culprit;
use crate::error::{Failure, FailureKind, Result};
use crate::interrupt::Attentive;
use crate::measure::Latencies;
use crate::plan::{Plan, Strategy, StreamStaticPlan, Unmatched};
use crate::record::{Checksum, Dropped, Progress, Work};
use crate::sink::Sink;

/// What to do beside joining.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Counts, checksum and progress: the first pass.
    All,
    /// Time only: the passes after it.
    TimeOnly,
}

/// What a pass measured.
#[derive(Clone, Debug, Default)]
pub struct PassOutcome {
    /// Stream rows read.
    pub rows_in: u64,
    /// Rows given out.
    pub rows_out: u64,
    /// Rows given out that are unmatched in at least one join.
    pub rows_unmatched: u64,
    /// Matched and unmatched rows of each join.
    pub joins: Vec<(u64, u64)>,
    /// Rows that were dropped, by reason.
    pub dropped: Dropped,
    /// What the state came to; `None` without a join of two streams.
    pub state: Option<StateOutcome>,
    /// Event-time delays of rows that came out unmatched, before the end.
    pub outer_delay: Latencies,
    /// Executed batches.
    pub batches: u64,
    /// First read to last flush, without what only looks on.
    pub elapsed: Duration,
    /// Keys, hash, probe and gather alone.
    pub join_time: Duration,
    /// Index and payload builds.
    pub build_time: Duration,
    /// Bytes of the tables at their largest.
    pub table_bytes: u64,
    /// Service times of the batches.
    pub latencies: Latencies,
    /// Checksum of the rows given out; `None` where nothing is counted.
    pub checksum: Option<Checksum>,
    /// Rows that the eviction line took out of state; `None` without state.
    pub evicted: Option<u64>,
    /// How much was done.
    pub work: Work,
    /// What findings are made of.
    pub evidence: Evidence,
    /// Why the pass was cut short: everything here is as it was after its last
    /// whole batch.
    pub cut_short: Option<Failure>,
}

/// A pass about to run.
#[derive(Debug)]
pub struct Pass<'p> {
    plan: &'p Plan,
    strategy: &'p Strategy,
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl<'p> Pass<'p> {
    /// A pass over `plan` by `strategy`.
    #[must_use]
    pub fn new(
        plan: &'p Plan,
        strategy: &'p Strategy,
        pool: Option<Arc<rayon::ThreadPool>>,
    ) -> Self {
        Self { plan, strategy, pool }
    }

    /// Runs it. On failure, and if it is cut short, `sink` still holds the
    /// batches that were whole.
    ///
    /// # Errors
    /// A run failure with the batch, and with the file and rows where known.
    pub fn run(
        &self,
        sink: &mut dyn Sink,
        listener: &mut dyn ProgressListener,
        counted: Counted,
    ) -> Result<PassOutcome> {
        self.run_with(sink, None, listener, counted)
    }

    /// The same; rows that found nothing go to `unmatched`, if there is such a
    /// sink, the plan carries their columns and the pass counts.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with<'s>(
        &'s self,
        sink: &'s mut dyn Sink,
        unmatched: Option<&'s mut dyn Sink>,
        listener: &'s mut dyn ProgressListener,
        counted: Counted,
    ) -> Result<PassOutcome> {
        let started = Instant::now();
        let witness = (counted == Counted::All).then(|| Witness::new(self.plan, unmatched));
        let mut outcome = match self.plan {
            Plan::StreamStatic(plan) => {
                let mut state = State::new(self, plan, sink, listener, counted, witness)?;
                let ended = state.replay();
                state.finish(ended)?
            }
            Plan::StreamStream(plan) => {
                let pool = self.pool.as_ref();
                streams::run(plan, self.strategy, pool, sink, listener, counted, witness)?
            }
        };
        outcome.elapsed = started.elapsed().saturating_sub(outcome.elapsed);
        Ok(outcome)
    }
}

/// A pass while it runs.
struct State<'p, 's> {
    plan: &'p StreamStaticPlan,
    attentive: Attentive,
    pipeline: Pipeline<'p>,
    sink: &'s mut dyn Sink,
    listener: &'s mut dyn ProgressListener,
    counted: Counted,
    counts: Vec<JoinCounts>,
    outcome: PassOutcome,
    /// Time of what only looks on.
    aside: Duration,
    witness: Option<Witness<'s>>,
    watermark: Option<Watermark>,
    /// Greatest event time so far.
    max_time: Option<i64>,
    /// Read since the open batch took its last rows.
    reading: Duration,
    batch: Option<Batch>,
    mark: Mark,
    /// When the batch before the open one was opened.
    opened_before: Option<Instant>,
}

/// The open batch.
struct Batch {
    clock: BatchClock,
    rows: u64,
    opened: Instant,
}

impl<'p, 's> State<'p, 's> {
    fn new(
        pass: &Pass<'p>,
        plan: &'p StreamStaticPlan,
        sink: &'s mut dyn Sink,
        listener: &'s mut dyn ProgressListener,
        counted: Counted,
        witness: Option<Witness<'s>>,
    ) -> Result<Self> {
        let mut state = Self {
            attentive: Attentive::new(),
            pipeline: Pipeline::new(&plan.joins, pass.strategy, pass.pool.as_ref())?,
            sink,
            listener,
            counted,
            counts: vec![JoinCounts::default(); plan.joins.len()],
            outcome: PassOutcome {
                checksum: (counted == Counted::All).then(Checksum::default),
                dropped: Dropped {
                    filtered: plan.stream.prepare.filters().then_some(0),
                    ..Dropped::default()
                },
                ..PassOutcome::default()
            },
            aside: Duration::ZERO,
            witness,
            watermark: plan.stream.watermark.map(Watermark::new),
            max_time: None,
            reading: Duration::ZERO,
            batch: None,
            mark: Mark::default(),
            opened_before: None,
            plan,
        };
        state.mark = Mark::of(&state.outcome, &state.counts);
        Ok(state)
    }

    fn replay(&mut self) -> Result<()> {
        let stream = &self.plan.stream;
        let mut cutter = cutter(&stream.trigger);
        let mut left = stream.limit.unwrap_or(u64::MAX);
        let start = Instant::now();
        let mut batches = stream.feed.read(stream.prepare.read.as_slice())?;
        self.reading += start.elapsed();
        while left > 0 {
            let start = Instant::now();
            let Some(read) = batches.next() else { break };
            let read = read.map_err(|error| self.in_batch(Failure::run(error)))?;
            let rows = read.batch.num_rows().min(usize::try_from(left).unwrap_or(usize::MAX));
            left -= rows as u64;
            let place = Place { stream, file: read.file, first_row: read.first_row };
            let (mut source, broken) = SourceRows::look_far(place, &read.batch.slice(0, rows))
                .map_err(|failure| self.in_batch(failure))?;
            // Rows before a broken one belong to batches before its own.
            let rows = source.batch.num_rows();
            let borders = source
                .borders(&mut cutter)
                .map_err(|failure| self.in_batch(place.at(failure, 0, rows)))?;
            self.reading += start.elapsed();
            let mut from = 0;
            for border in borders.into_iter().chain([rows]) {
                if border > from {
                    self.attentive.check()?;
                    let times = source.times.as_ref();
                    let times = times.map(|times| times.slice(from, border - from));
                    if self.batch.is_none() {
                        self.open_batch(times.as_ref())
                            .map_err(|failure| self.in_batch(failure))?;
                    }
                    let rows = source.batch.slice(from, border - from);
                    self.take(rows.clone(), times.as_ref()).map_err(|failure| {
                        let failure = match self.blame(&failure, &rows) {
                            Some((row, failure)) => place.at_row(failure, from + row),
                            None if failure.kind == FailureKind::Run => {
                                place.at(failure, from, border)
                            }
                            None => failure,
                        };
                        self.in_batch(failure)
                    })?;
                }
                if border < rows || source.ends_at_border {
                    self.end_batch()?;
                }
                from = border;
            }
            source.ends_at_border = false;
            if let Some(failure) = broken {
                return Err(self.in_batch(failure));
            }
            self.aside(|state| state.listener.rows(rows as u64))?;
        }
        self.end_batch()?;
        // All rows are out: an index that comes too late takes none of their time.
        self.aside(|state| state.pipeline.settle())
    }

    /// Joins rows as they were read as part of the open batch.
    fn take(&mut self, source: RecordBatch, times: Option<&Int64Array>) -> Result<()> {
        let rows = source.num_rows();
        let mut read = std::mem::take(&mut self.reading);
        let prepared = timed(&mut read, || {
            if let Some(times) = times {
                self.max_time = self.max_time.max(arrow::compute::max(times));
                if let Some(watermark) = &mut self.watermark {
                    watermark.see(times);
                }
                if self.witness.is_some() {
                    self.outcome.evidence.see(times);
                }
            }
            self.plan.stream.prepare.apply(source).map_err(Failure::run)
        })?;
        self.outcome.rows_in += rows as u64;
        if let Some(filtered) = &mut self.outcome.dropped.filtered {
            *filtered += (rows - prepared.num_rows()) as u64;
        }
        if let Some(batch) = &mut self.batch {
            batch.rows += rows as u64;
            batch.clock.add(Phase::Read, read);
        }
        self.join(&prepared)
    }

    /// Which of the rows, as they were read, failed; joins them again and
    /// gives nothing out.
    fn blame(&self, failure: &Failure, source: &RecordBatch) -> Option<(usize, Failure)> {
        if failure.kind != FailureKind::Run {
            return None;
        }
        culprit(source.num_rows(), |range| {
            let rows = source.slice(range.start, range.len());
            let rows = self.plan.stream.prepare.apply(rows).map_err(Failure::run)?;
            let mut run = Run {
                counts: &mut vec![JoinCounts::default(); self.counts.len()],
                times: JoinTimes::default(),
                witness: None,
                give_out: &mut |rows| {
                    self.attentive.check()?;
                    selected(&self.plan.output, rows).map(|_| ())
                },
            };
            self.pipeline.push(&rows, &mut run)
        })
    }

    fn join(&mut self, rows: &RecordBatch) -> Result<()> {
        let mut out = Out {
            output: &self.plan.output,
            batch_id: self.outcome.batches,
            sink: &mut *self.sink,
            outcome: &mut self.outcome,
            counted: self.counted,
            time: Duration::ZERO,
            aside: Duration::ZERO,
        };
        let mut run = Run {
            counts: &mut self.counts,
            times: JoinTimes::default(),
            witness: self.witness.as_mut(),
            give_out: &mut |rows| {
                self.attentive.check()?;
                out.give(rows)
            },
        };
        self.pipeline.push(rows, &mut run)?;
        let JoinTimes { keys, probe, materialise } = run.times;
        let (sink, aside) = (out.time, out.aside);
        self.aside += aside + self.witness.as_mut().map_or(Duration::ZERO, Witness::take_time);
        if let Some(batch) = &mut self.batch {
            batch.clock.add(Phase::Keys, keys);
            batch.clock.add(Phase::Probe, probe);
            batch.clock.add(Phase::Materialise, materialise);
            batch.clock.add(Phase::Sink, sink);
        }
        Ok(())
    }

    fn open_batch(&mut self, times: Option<&Int64Array>) -> Result<()> {
        let start = Instant::now();
        let mut batch = Batch { clock: BatchClock::default(), rows: 0, opened: start };
        // A version by time is in force from the time at which the batch opens.
        let first = times.and_then(|times| times.iter().flatten().next());
        let time = self.max_time.max(first);
        self.pipeline.refresh(self.outcome.batches, time)?;
        batch.clock.add(Phase::Build, start.elapsed());
        self.batch = Some(batch);
        self.aside(|state| state.pipeline.warn(state.listener))
    }

    fn end_batch(&mut self) -> Result<()> {
        let Some(mut batch) = self.batch.take() else { return Ok(()) };
        let id = self.outcome.batches;
        let start = Instant::now();
        self.sink.end_batch(id)?;
        if let Some(witness) = &mut self.witness {
            witness.end_batch()?;
            self.aside += witness.take_time();
        }
        batch.clock.add(Phase::Sink, start.elapsed());
        self.outcome.batches += 1;
        self.mark = Mark::of(&self.outcome, &self.counts);
        self.outcome.latencies.record(batch.clock.total());
        self.outcome.join_time += batch.clock.join();
        let event_time = self.watermark.as_mut().map(Watermark::end_batch);
        let since = self.opened_before.replace(batch.opened);
        let since = since.map(|before| batch.opened.duration_since(before).as_secs_f64());
        if self.counted == Counted::All && self.listener.wants_progress() {
            self.aside(|state| {
                let seconds = batch.clock.total().as_secs_f64();
                let progress = Progress {
                    batch_id: id,
                    num_input_rows: batch.rows,
                    input_rows_per_second: since
                        .filter(|seconds| *seconds > 0.0)
                        .map(|seconds| batch.rows as f64 / seconds),
                    processed_rows_per_second: (seconds > 0.0).then(|| batch.rows as f64 / seconds),
                    duration_ms: batch.clock.durations(false),
                    event_time,
                    dimension: state.pipeline.dimensions().map(Dimension::progress).collect(),
                    ..Progress::default()
                };
                state.listener.progress(&progress)
            })?;
        }
        Ok(())
    }

    /// Runs what only looks on, outside the pass's time.
    fn aside<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let start = Instant::now();
        let result = look(self);
        self.aside += start.elapsed();
        result
    }

    fn in_batch(&self, failure: Failure) -> Failure {
        failure.at(format!("batch {}", self.outcome.batches))
    }

    /// The outcome; its `elapsed` is the time of what only looked on.
    fn finish(mut self, ended: Result<()>) -> Result<PassOutcome> {
        let mark = std::mem::take(&mut self.mark);
        mark.close(ended, &mut self.outcome, &mut self.counts)?;
        if let Some(witness) = self.witness.take() {
            self.outcome.evidence.joins = self.pipeline.witnessed(witness);
        }
        let dimensions = || self.pipeline.dimensions();
        Ok(PassOutcome {
            rows_unmatched: match self.plan.output.unmatched {
                Unmatched::AsJoined => self.counts.iter().map(|counts| counts.unmatched).sum(),
                _ => self.outcome.rows_unmatched,
            },
            joins: self.counts.iter().map(|counts| (counts.matched, counts.unmatched)).collect(),
            build_time: dimensions().map(Dimension::build_time).sum(),
            table_bytes: dimensions().map(Dimension::peak_bytes).sum(),
            work: self.pipeline.work(&self.counts, self.outcome.work),
            elapsed: self.aside,
            ..self.outcome
        })
    }
}
