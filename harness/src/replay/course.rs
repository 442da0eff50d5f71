//! What a pass over one stream and one over two have in common: tables, sink,
//! counts, time, and how a batch begins and ends.

use std::time::Duration;

use arrow::array::RecordBatch;

use super::clock::{BatchClock, Phase};
use super::dimension::Dimension;
use super::evidence::Backlog;
use super::give_out::Out;
use super::listener::ProgressListener;
use super::mark::Mark;
use super::pass::{Counted, LookingOn, Pass, PassOutcome};
use super::pipeline::{JoinCounts, JoinTimes, Pipeline, Run, timed};
use super::schedule::Schedule;
use super::timeline::Timeline;
use super::witness::Witness;
use crate::error::{Failure, Result};
use crate::interrupt::Attentive;
use crate::plan::{OutputPlan, TableJoinPlan, Timing};
use crate::record::{Checksum, EventTime, Idle, Progress, StateOperator};
use crate::scenario::Trigger;
use crate::sink::Sink;

/// What a pass carries out, but for its streams.
pub(super) struct Query<'p> {
    pub(super) joins: &'p [TableJoinPlan],
    pub(super) output: &'p OutputPlan,
    pub(super) trigger: &'p Trigger,
    pub(super) timing: Timing,
    /// What it begins with: a count that there is, is 0.
    pub(super) outcome: PassOutcome,
}

/// A pass while it runs, but for what reads its streams.
pub(super) struct Course<'p, 's> {
    pub(super) pipeline: Pipeline<'p>,
    output: &'p OutputPlan,
    sink: &'s mut dyn Sink,
    pub(super) listener: &'s mut dyn ProgressListener,
    /// Looks on, if this is the first pass.
    pub(super) witness: Option<Witness<'s>>,
    pub(super) counted: Counted,
    pub(super) counts: Vec<JoinCounts>,
    pub(super) outcome: PassOutcome,
    pub(super) attentive: Attentive,
    timeline: Timeline<'p>,
    pub(super) schedule: Schedule,
    /// Greatest event time so far.
    pub(super) max_time: Option<i64>,
    mark: Mark,
    /// When the batch before the open one was opened.
    opened_before: Option<Duration>,
}

/// The open batch.
pub(super) struct Batch {
    pub(super) clock: BatchClock,
    /// Rows as they were read.
    pub(super) rows: u64,
    opened: Duration,
}

/// What is told of a batch beside its times and its tables.
#[derive(Default)]
pub(super) struct Told {
    pub(super) event_time: Option<EventTime>,
    /// Of a join with state.
    pub(super) state: Option<StateOperator>,
    pub(super) no_data: bool,
    pub(super) end: bool,
}

impl<'p, 's> Course<'p, 's> {
    pub(super) fn new(
        pass: &Pass<'p>,
        query: Query<'p>,
        sink: &'s mut dyn Sink,
        looking_on: LookingOn<'s>,
    ) -> Result<Self> {
        let LookingOn { listener, witness, counted } = looking_on;
        let timeline = Timeline::new(pass.clock);
        let outcome = PassOutcome {
            checksum: (counted == Counted::All).then(Checksum::default),
            ..query.outcome
        };
        let counts = vec![JoinCounts::default(); query.joins.len()];
        Ok(Self {
            pipeline: Pipeline::new(query.joins, pass.strategy, pass.pool.as_ref())?,
            output: query.output,
            sink,
            listener,
            witness,
            counted,
            mark: Mark::of(&outcome, &counts),
            counts,
            outcome,
            attentive: Attentive::new(),
            schedule: Schedule::new(query.timing, query.trigger),
            timeline,
            max_time: None,
            opened_before: None,
        })
    }

    /// Rows that the next batch takes at most.
    pub(super) fn most(&mut self) -> u64 {
        self.schedule.most(self.timeline.now())
    }

    /// Time since the pass began.
    pub(super) fn now(&self) -> Duration {
        self.timeline.now()
    }

    /// Leaves the time since `start` out of the pace: a recording was opened.
    pub(super) fn opened_since(&mut self, start: Duration) {
        let opening = self.timeline.now().saturating_sub(start);
        self.schedule.begin_later(opening);
    }

    /// Whether the time of the replay is over.
    pub(super) fn is_over(&self) -> bool {
        self.schedule.is_over(self.timeline.now())
    }

    /// Waits until a batch of `rows` may start; false if there is none to start.
    pub(super) fn begin(&mut self, rows: u64) -> Result<bool> {
        let starts = self.schedule.begin(rows, &mut self.timeline, &self.attentive)?;
        if !starts {
            let idle = Idle {
                batch_id: self.outcome.batches,
                elapsed_ms: u64::try_from(self.timeline.now().as_millis()).unwrap_or(u64::MAX),
            };
            self.aside(|course| course.listener.idle(&idle))?;
        }
        Ok(starts)
    }

    /// Opens a batch of rows that were read.
    pub(super) fn open(&self, rows: u64) -> Batch {
        Batch { clock: BatchClock::default(), rows, opened: self.timeline.now() }
    }

    /// Brings the tables to what is in force in a batch whose first event time
    /// is this.
    pub(super) fn refresh(&mut self, batch: &mut Batch, opens_at: Option<i64>) -> Result<()> {
        let mut build = Duration::ZERO;
        self.max_time = self.max_time.max(opens_at);
        let (id, time) = (self.outcome.batches, self.max_time);
        let start = self.timeline.now();
        timed(&mut build, || self.pipeline.refresh(id, time))?;
        if id == 0 {
            let loading = self.timeline.now().saturating_sub(start);
            self.schedule.begin_later(loading);
        }
        batch.clock.add(Phase::Build, build);
        self.aside(|course| course.pipeline.warn(course.listener))
    }

    /// Joins rows with the tables, and gives out what comes of it.
    pub(super) fn push(&mut self, rows: &RecordBatch, batch: &mut Batch) -> Result<()> {
        let mut out = Out {
            output: self.output,
            batch_id: self.outcome.batches,
            sink: &mut *self.sink,
            outcome: &mut self.outcome,
            counted: self.counted,
            timeline: &mut self.timeline,
            time: Duration::ZERO,
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
        batch.clock.add(Phase::Keys, keys);
        batch.clock.add(Phase::Probe, probe);
        batch.clock.add(Phase::Materialise, materialise);
        batch.clock.add(Phase::Sink, out.time);
        self.witnessed();
        Ok(())
    }

    /// Ends a batch, which is whole.
    pub(super) fn end_batch(&mut self, mut batch: Batch, told: Told) -> Result<()> {
        let id = self.outcome.batches;
        let mut sink = Duration::ZERO;
        timed(&mut sink, || self.sink.end_batch(id))?;
        batch.clock.add(Phase::Sink, sink);
        if let Some(witness) = &mut self.witness {
            witness.end_batch()?;
        }
        self.witnessed();
        self.outcome.batches += 1;
        self.mark = Mark::of(&self.outcome, &self.counts);
        // Nothing was due at the end of the stream: what it flushes waited for nothing.
        let since_due = self.schedule.latency(self.timeline.now()).filter(|_| !told.end);
        if let Some(latency) = since_due {
            self.schedule.done(latency);
        }
        self.outcome.latencies.record(since_due.unwrap_or(batch.clock.total()));
        self.outcome.join_time += batch.clock.join();
        let since = self.opened_before.replace(batch.opened);
        let since = since.map(|before| batch.opened.saturating_sub(before).as_secs_f64());
        if self.counted == Counted::All && self.listener.wants_progress() {
            let rate = |seconds: f64| (seconds > 0.0).then(|| batch.rows as f64 / seconds);
            let progress = Progress {
                batch_id: id,
                num_input_rows: batch.rows,
                input_rows_per_second: since.and_then(rate),
                processed_rows_per_second: rate(batch.clock.total().as_secs_f64()),
                duration_ms: batch.clock.durations(told.state.is_some()),
                event_time: told.event_time,
                state_operators: told.state.into_iter().collect(),
                dimension: Vec::new(),
                no_data: told.no_data,
                end: told.end,
            };
            self.aside(|course| {
                let dimension = course.pipeline.dimensions().map(Dimension::progress).collect();
                course.listener.progress(&Progress { dimension, ..progress })
            })?;
        }
        Ok(())
    }

    /// Leaves out the time that the witness took.
    pub(super) fn witnessed(&mut self) {
        let took = self.witness.as_mut().map_or(Duration::ZERO, Witness::take_time);
        self.timeline.leave_out(took);
    }

    /// Runs what only looks on, outside the pass's time.
    pub(super) fn aside<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.timeline.now();
        let result = look(self);
        self.timeline.set_aside(start);
        result
    }

    pub(super) fn in_batch(&self, failure: Failure) -> Failure {
        failure.at(format!("batch {}", self.outcome.batches))
    }

    /// The outcome, as it is or as it was at the last batch that was whole.
    /// `unmatched_by_tables`: the tables' joins say which rows are unmatched.
    pub(super) fn finish(
        mut self,
        ended: Result<()>,
        unmatched_by_tables: bool,
    ) -> Result<PassOutcome> {
        let elapsed = self.timeline.now();
        let mark = std::mem::take(&mut self.mark);
        mark.close(ended, &mut self.outcome, &mut self.counts)?;
        if let Some(witness) = self.witness.take() {
            self.outcome.evidence.joins = self.pipeline.witnessed(witness);
            self.outcome.evidence.backlog = self.backlog();
        }
        let dimensions = || self.pipeline.dimensions();
        Ok(PassOutcome {
            rows_unmatched: if unmatched_by_tables {
                self.counts.iter().map(|counts| counts.unmatched).sum()
            } else {
                self.outcome.rows_unmatched
            },
            joins: self.counts.iter().map(|counts| (counts.matched, counts.unmatched)).collect(),
            build_time: dimensions().map(Dimension::build_time).sum(),
            table_bytes: dimensions().map(Dimension::peak_bytes).sum(),
            work: self.pipeline.work(&self.counts, self.outcome.work),
            kept: self.schedule.kept(&self.timeline),
            borders: self.schedule.borders(),
            elapsed,
            ..self.outcome
        })
    }

    /// How far behind a paced pass was when it ended.
    fn backlog(&self) -> Option<Backlog> {
        let cut_off = self.outcome.out_of_time;
        self.schedule.backlog(&self.timeline, self.outcome.batches, cut_off)
    }
}
