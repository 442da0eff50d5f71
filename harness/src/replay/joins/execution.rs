//! What a pass over one stream and one over two have in common: tables, sink,
//! counts, time, and how a batch begins and ends.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;

use super::checkpoint::Checkpoint;
use super::live_table::LiveTable;
use super::table_joins::{JoinCounts, JoinTimes, Push, TableJoins};
use crate::error::{Failure, Result};
use crate::interrupt::StopCheck;
use crate::plan::{OutputPlan, Strategy, TableJoinPlan, Timing};
use crate::record::{Checksum, EventTime, Idle, Progress, StateOperator};
use crate::replay::clock::{Backlog, BatchClock, Clock, Phase, Schedule, Timeline, timed};
use crate::replay::observe::{Counted, Observers, ProgressListener, TableJoinsObserver};
use crate::replay::outcome::PassOutcome;
use crate::replay::output::Output;
use crate::scenario::Trigger;
use crate::sink::Sink;

/// By what a pass runs.
#[derive(Debug)]
pub(crate) struct Resources<'p> {
    pub(crate) strategy: &'p Strategy,
    pub(crate) pool: Option<Arc<rayon::ThreadPool>>,
    pub(crate) clock: &'p dyn Clock,
}

/// What a pass carries out, but for its streams.
pub(crate) struct Setup<'p> {
    pub(crate) joins: &'p [TableJoinPlan],
    pub(crate) output: &'p OutputPlan,
    pub(crate) trigger: &'p Trigger,
    pub(crate) timing: Timing,
    /// What it begins with: a count that there is, is 0.
    pub(crate) outcome: PassOutcome,
}

/// A pass while it runs, but for what reads its streams.
pub(crate) struct Execution<'p, 's> {
    pub(crate) tables: TableJoins<'p>,
    output: &'p OutputPlan,
    sink: &'s mut dyn Sink,
    pub(crate) listener: &'s mut dyn ProgressListener,
    /// Observes, if this is the first pass.
    pub(crate) observer: Option<TableJoinsObserver<'s>>,
    pub(crate) counted: Counted,
    pub(crate) counts: Vec<JoinCounts>,
    pub(crate) outcome: PassOutcome,
    pub(crate) stop_check: StopCheck,
    timeline: Timeline<'p>,
    pub(crate) schedule: Schedule,
    /// Greatest event time so far.
    pub(crate) max_time: Option<i64>,
    mark: Checkpoint,
    /// When the batch before the open one was opened.
    opened_before: Option<Duration>,
}

/// The open batch.
pub(crate) struct Batch {
    pub(crate) clock: BatchClock,
    /// Rows as they were read.
    pub(crate) rows: u64,
    opened: Duration,
}

/// What progress says of a batch in addition to its times and tables.
#[derive(Default)]
pub(crate) struct BatchDetails {
    pub(crate) event_time: Option<EventTime>,
    /// Of a join with state.
    pub(crate) state: Option<StateOperator>,
    pub(crate) no_data: bool,
    pub(crate) end: bool,
}

impl<'p, 's> Execution<'p, 's> {
    pub(crate) fn new(
        resources: &Resources<'p>,
        setup: Setup<'p>,
        sink: &'s mut dyn Sink,
        observers: Observers<'s>,
    ) -> Result<Self> {
        let Observers { listener, observer, counted } = observers;
        let timeline = Timeline::new(resources.clock);
        let outcome = PassOutcome {
            checksum: (counted == Counted::All).then(Checksum::default),
            ..setup.outcome
        };
        let counts = vec![JoinCounts::default(); setup.joins.len()];
        Ok(Self {
            tables: TableJoins::new(setup.joins, resources.strategy, resources.pool.as_ref())?,
            output: setup.output,
            sink,
            listener,
            observer,
            counted,
            mark: Checkpoint::of(&outcome, &counts),
            counts,
            outcome,
            stop_check: StopCheck::new(),
            schedule: Schedule::new(setup.timing, setup.trigger),
            timeline,
            max_time: None,
            opened_before: None,
        })
    }

    /// The most rows that the next batch takes.
    pub(crate) fn most(&mut self) -> u64 {
        self.schedule.most(self.timeline.now())
    }

    /// Time since the pass began.
    pub(crate) fn now(&self) -> Duration {
        self.timeline.now()
    }

    /// Leaves the time since `start` out of the pace: a recording was opened.
    pub(crate) fn opened_since(&mut self, start: Duration) {
        let opening = self.timeline.now().saturating_sub(start);
        self.schedule.begin_later(opening);
    }

    /// Whether the time of the replay is over.
    pub(crate) fn is_over(&self) -> bool {
        self.schedule.is_over(self.timeline.now())
    }

    /// Waits until a batch of `rows` may start; false if there is none to start.
    pub(crate) fn begin(&mut self, rows: u64) -> Result<bool> {
        let starts = self.schedule.begin(rows, &mut self.timeline, &self.stop_check)?;
        if !starts {
            let idle = Idle {
                batch_id: self.outcome.batches,
                elapsed_ms: u64::try_from(self.timeline.now().as_millis()).unwrap_or(u64::MAX),
            };
            self.aside(|execution| execution.listener.idle(&idle))?;
        }
        Ok(starts)
    }

    /// Opens a batch of rows that were read.
    pub(crate) fn open(&self, rows: u64) -> Batch {
        Batch { clock: BatchClock::default(), rows, opened: self.timeline.now() }
    }

    /// Brings the tables to what is in force in a batch whose first event time
    /// is this.
    pub(crate) fn refresh(&mut self, batch: &mut Batch, opens_at: Option<i64>) -> Result<()> {
        let mut build = Duration::ZERO;
        self.max_time = self.max_time.max(opens_at);
        let (id, time) = (self.outcome.batches, self.max_time);
        let start = self.timeline.now();
        timed(&mut build, || self.tables.refresh(id, time))?;
        if id == 0 {
            let loading = self.timeline.now().saturating_sub(start);
            self.schedule.begin_later(loading);
        }
        batch.clock.add(Phase::Build, build);
        self.aside(|execution| execution.tables.warn(execution.listener))
    }

    /// Joins rows with the tables and writes the result.
    pub(crate) fn push(&mut self, rows: &RecordBatch, batch: &mut Batch) -> Result<()> {
        let mut out = Output {
            output: self.output,
            batch_id: self.outcome.batches,
            sink: &mut *self.sink,
            outcome: &mut self.outcome,
            counted: self.counted,
            timeline: &mut self.timeline,
            time: Duration::ZERO,
        };
        let mut run = Push {
            counts: &mut self.counts,
            times: JoinTimes::default(),
            observer: self.observer.as_mut(),
            emit: &mut |rows| {
                self.stop_check.check()?;
                out.emit(rows)
            },
        };
        self.tables.push(rows, &mut run)?;
        let JoinTimes { keys, probe, materialise } = run.times;
        batch.clock.add(Phase::Keys, keys);
        batch.clock.add(Phase::Probe, probe);
        batch.clock.add(Phase::Materialise, materialise);
        batch.clock.add(Phase::Sink, out.time);
        self.set_observer_time_aside();
        Ok(())
    }

    /// Ends a batch, which is whole.
    pub(crate) fn end_batch(&mut self, mut batch: Batch, details: BatchDetails) -> Result<()> {
        let id = self.outcome.batches;
        let mut sink = Duration::ZERO;
        timed(&mut sink, || self.sink.end_batch(id))?;
        batch.clock.add(Phase::Sink, sink);
        if let Some(observer) = &mut self.observer {
            observer.end_batch()?;
        }
        self.set_observer_time_aside();
        self.outcome.batches += 1;
        self.mark = Checkpoint::of(&self.outcome, &self.counts);
        // Nothing was due at the end of the stream: what it flushes waited for nothing.
        let since_due = self.schedule.latency(self.timeline.now()).filter(|_| !details.end);
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
                duration_ms: batch.clock.durations(details.state.is_some()),
                event_time: details.event_time,
                state_operators: details.state.into_iter().collect(),
                dimension: Vec::new(),
                no_data: details.no_data,
                end: details.end,
            };
            self.aside(|execution| {
                let dimension = execution.tables.dimensions().map(LiveTable::progress).collect();
                execution.listener.progress(&Progress { dimension, ..progress })
            })?;
        }
        Ok(())
    }

    /// Leaves out the time that the observer took.
    pub(crate) fn set_observer_time_aside(&mut self) {
        let took = self.observer.as_mut().map_or(Duration::ZERO, TableJoinsObserver::take_time);
        self.timeline.leave_out(took);
    }

    /// Observes outside the pass's time.
    pub(crate) fn aside<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.timeline.now();
        let result = look(self);
        self.timeline.set_aside(start);
        result
    }

    pub(crate) fn in_batch(&self, failure: Failure) -> Failure {
        failure.at(format!("batch {}", self.outcome.batches))
    }

    /// The outcome, as it is or as it was at the last batch that was whole.
    /// `unmatched_by_tables`: the tables' joins say which rows are unmatched.
    pub(crate) fn finish(
        mut self,
        ended: Result<()>,
        unmatched_by_tables: bool,
    ) -> Result<PassOutcome> {
        let elapsed = self.timeline.now();
        let mark = std::mem::take(&mut self.mark);
        mark.close(ended, &mut self.outcome, &mut self.counts)?;
        if let Some(observer) = self.observer.take() {
            self.outcome.evidence.joins = self.tables.evidence(observer);
            self.outcome.evidence.backlog = self.backlog();
        }
        let dimensions = || self.tables.dimensions();
        Ok(PassOutcome {
            rows_unmatched: if unmatched_by_tables {
                self.counts.iter().map(|counts| counts.unmatched).sum()
            } else {
                self.outcome.rows_unmatched
            },
            joins: self.counts.iter().map(|counts| (counts.matched, counts.unmatched)).collect(),
            build_time: dimensions().map(|table| table.build_time).sum(),
            table_bytes: dimensions().map(LiveTable::peak_bytes).sum(),
            work: self.tables.work(&self.counts, self.outcome.work),
            pace: self.schedule.pace(&self.timeline),
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
