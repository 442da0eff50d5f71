//! The pass: batch after batch through the join and the tables.

use std::sync::Arc;
use std::time::{Duration, Instant};

use streamjoin_kernels::{BatchKind, BatchReport, Side, StreamBatch, StreamStreamJoin};

use super::ends::TakingPart;
use super::joined::JoinedSchema;
use super::merge::{MergedBatch, Merger};
use super::notice::Notice;
use super::outlier::Outliers;
use super::progress;
use crate::error::{Failure, Result};
use crate::interrupt::Attentive;
use crate::plan::{Strategy, StreamStreamPlan, Unmatched};
use crate::record::{Checksum, Dropped, Progress, Work};
use crate::replay::clock::{BatchClock, Phase};
use crate::replay::dimension::Dimension;
use crate::replay::give_out::Out;
use crate::replay::listener::ProgressListener;
use crate::replay::mark::Mark;
use crate::replay::pass::{Counted, PassOutcome};
use crate::replay::pipeline::{JoinCounts, JoinTimes, Pipeline, Run, timed};
use crate::replay::state_track::StateTrack;
use crate::replay::witness::Witness;
use crate::scenario::End;
use crate::sink::Sink;

/// Runs a pass; `elapsed` of the outcome is the time of what only looked on.
pub(in crate::replay) fn run<'s>(
    plan: &'s StreamStreamPlan,
    strategy: &Strategy,
    pool: Option<&Arc<rayon::ThreadPool>>,
    sink: &'s mut dyn Sink,
    listener: &'s mut dyn ProgressListener,
    counted: Counted,
    witness: Option<Witness<'s>>,
) -> Result<PassOutcome> {
    let mut join = plan.operator(strategy, pool)?;
    let pipeline = Pipeline::new(&plan.joins, strategy, pool)?;
    let can_evict = [Side::Left, Side::Right].map(|side| join.expiry(side).is_bounded());
    let mut pass = PairPass {
        joined: JoinedSchema::new(plan, &join),
        counts: vec![JoinCounts::default(); plan.joins.len()],
        outcome: PassOutcome {
            checksum: (counted == Counted::All).then(Checksum::default),
            dropped: Dropped {
                late: Some(0),
                null_key: Some(0),
                filtered: Some(0),
                null_time: Some(0),
            },
            evicted: Some(0),
            work: Work {
                rows_walked: Some(0),
                rows_visited: Some(0),
                blocks_visited: Some(0),
                rows_moved: Some(0),
                index_resizes: Some(0),
                ..Work::default()
            },
            ..PassOutcome::default()
        },
        track: StateTrack::new(can_evict),
        notice: witness.is_some().then(|| Notice::new(&join)),
        witness,
        outliers: Outliers::default(),
        attentive: Attentive::new(),
        mark: Mark::default(),
        aside: Duration::ZERO,
        max_time: None,
        opened_before: None,
        ended: false,
        plan,
        pipeline,
        sink,
        listener,
        counted,
    };
    pass.mark = Mark::of(&pass.outcome, &pass.counts);
    let ended = pass.replay(&mut join);
    pass.finish(ended)
}

/// A pass while it runs; the join is apart, for its output borrows it.
struct PairPass<'p, 's> {
    plan: &'p StreamStreamPlan,
    pipeline: Pipeline<'p>,
    joined: JoinedSchema,
    sink: &'s mut dyn Sink,
    listener: &'s mut dyn ProgressListener,
    counted: Counted,
    counts: Vec<JoinCounts>,
    outcome: PassOutcome,
    track: StateTrack,
    witness: Option<Witness<'s>>,
    notice: Option<Notice>,
    outliers: Outliers,
    attentive: Attentive,
    mark: Mark,
    aside: Duration,
    /// Greatest event time of both streams so far.
    max_time: Option<i64>,
    opened_before: Option<Instant>,
    /// Whether a stream has ended.
    ended: bool,
}

/// A batch about to run.
struct Open {
    opened: Instant,
    clock: BatchClock,
    /// Rows as they were read.
    rows: u64,
}

impl Open {
    fn new(rows: u64) -> Self {
        Self { opened: Instant::now(), clock: BatchClock::default(), rows }
    }
}

impl PairPass<'_, '_> {
    fn replay(&mut self, join: &mut StreamStreamJoin) -> Result<()> {
        let mut reading = Duration::ZERO;
        let mut merger = timed(&mut reading, || Merger::new(self.plan))?;
        let mut taking_part = TakingPart::new();
        loop {
            self.attentive.check()?;
            let batch = timed(&mut reading, || merger.next_batch());
            let Some(batch) = batch.map_err(|failure| self.in_batch(failure))? else { break };
            let mut open = Open::new(batch.rows());
            let rows = open.rows;
            open.clock.add(Phase::Read, std::mem::take(&mut reading));
            self.ended |= batch.left.ended || batch.right.ended;
            if let Some(report) = self.data_batch(join, &batch, open)? {
                let warning = self.outliers.look(self.plan, &batch, &report);
                if let Some(notice) = &mut self.notice {
                    notice.data_batch(&batch, &report, self.ended);
                }
                if let Some(warning) = warning {
                    self.aside(|pass| pass.listener.warning(&warning))?;
                }
            }
            taking_part.look(self.plan, &batch, |side, takes_part| {
                join.set_taking_part(side, takes_part);
            });
            self.no_data_batch(join)?;
            if let Some(notice) = &mut self.notice {
                notice.watermarks(join);
            }
            self.aside(|pass| pass.listener.rows(rows))?;
        }
        let back = merger.arrivals_back();
        if back > 0 && self.counted == Counted::All {
            let warning = format!(
                "{back} rows have an arrival time before that of an earlier row; they counted as arrived with it"
            );
            self.aside(|pass| pass.listener.warning(&warning))?;
        }
        if let Some(notice) = &mut self.notice {
            notice.before_end(join, self.plan);
        }
        if self.plan.end == End::Flush {
            let mut open = Open::new(0);
            self.refresh(&mut open, None)?;
            let mut wall = Duration::ZERO;
            let output = timed(&mut wall, || join.finish(streamjoin_kernels::End::Flush));
            if let Some(output) = output.map_err(|error| self.in_batch(self.failed(error)))? {
                let done = self.drain(output, open, wall);
                done.map_err(|failure| self.in_batch(failure))?;
            }
        }
        // All rows are out: an index that comes too late takes none of their time.
        self.aside(|pass| pass.pipeline.settle())
    }

    fn data_batch(
        &mut self,
        join: &mut StreamStreamJoin,
        batch: &MergedBatch,
        mut open: Open,
    ) -> Result<Option<BatchReport>> {
        self.outcome.rows_in += open.rows;
        let mut read = Duration::ZERO;
        let sides = timed(&mut read, || {
            Ok((batch.left.prepare(&self.plan.left)?, batch.right.prepare(&self.plan.right)?))
        });
        let ((left, left_out), (right, right_out)) =
            sides.map_err(|failure: Failure| self.in_batch(failure))?;
        if let Some(filtered) = &mut self.outcome.dropped.filtered {
            *filtered += left_out + right_out;
        }
        if let Some(notice) = &mut self.notice {
            notice.read(batch, [left_out, right_out]);
        }
        open.clock.add(Phase::Read, read);
        self.refresh(&mut open, batch.opens_at)?;
        let mut wall = Duration::ZERO;
        let output = timed(&mut wall, || join.push(&left, &right));
        let done = match output.map_err(|error| self.failed(error)) {
            Ok(Some(output)) => self.drain(output, open, wall).map(Some),
            // `where` left nothing: nothing runs.
            Ok(None) => Ok(None),
            Err(failure) => Err(failure),
        };
        done.map_err(|failure| self.in_batch(failure.at(batch.place(self.plan))))
    }

    fn no_data_batch(&mut self, join: &mut StreamStreamJoin) -> Result<()> {
        let mut open = Open::new(0);
        let mut wall = Duration::ZERO;
        let output = timed(&mut wall, || join.advance());
        let Some(output) = output.map_err(|error| self.in_batch(self.failed(error)))? else {
            return Ok(());
        };
        self.refresh(&mut open, None)?;
        self.drain(output, open, wall).map(|_| ()).map_err(|failure| self.in_batch(failure))
    }

    /// Brings the tables to what is in force in a batch that opens at this
    /// event time.
    fn refresh(&mut self, open: &mut Open, opens_at: Option<i64>) -> Result<()> {
        let mut build = Duration::ZERO;
        self.max_time = self.max_time.max(opens_at);
        let (batch, time) = (self.outcome.batches, self.max_time);
        timed(&mut build, || self.pipeline.refresh(batch, time))
            .map_err(|failure| self.in_batch(failure))?;
        open.clock.add(Phase::Build, build);
        self.aside(|pass| pass.pipeline.warn(pass.listener))
    }

    /// Takes the output of an executed batch to the sink, and ends the batch;
    /// the caller says where a failure was.
    fn drain(
        &mut self,
        mut output: StreamBatch<'_>,
        mut open: Open,
        mut wall: Duration,
    ) -> Result<BatchReport> {
        let id = self.outcome.batches;
        let joined = self.joined.clone();
        let attentive = &self.attentive;
        let mut out = Out {
            output: &self.plan.output,
            batch_id: id,
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
                attentive.check()?;
                out.give(rows)
            },
        };
        loop {
            let rows = timed(&mut wall, || output.next_batch());
            let rows = rows.map_err(|e| Failure::run(e).at(&self.plan.place))?;
            let Some(rows) = rows else { break };
            if let (Some(witness), Some(side)) = (&mut run.witness, output.unmatched_of()) {
                let missed = &self.plan.side(side.opposite()).stream.name;
                witness.unmatched_in_pair(missed, &rows)?;
            }
            attentive.check()?;
            let rows = joined.rows(rows)?;
            self.pipeline.push(&rows, &mut run)?;
        }
        let JoinTimes { keys, probe, materialise } = run.times;
        let (sink, aside) = (out.time, out.aside);
        self.aside += aside + self.witness.as_mut().map_or(Duration::ZERO, Witness::take_time);
        let report = output.report().clone();
        let clock = &mut open.clock;
        clock.add(Phase::Keys, keys + report.times.intake);
        clock.add(Phase::Probe, probe + report.times.probe);
        clock.add(Phase::Insert, report.times.insert);
        clock.add(Phase::Evict, report.times.evict);
        clock.add(Phase::Materialise, materialise + report.times.materialise);
        clock.add(Phase::Sink, sink);
        let times = report.times;
        let split = times.intake + times.probe + times.insert + times.evict + times.materialise;
        clock.add(Phase::Other, wall.saturating_sub(split));
        self.note(&report, output.outer_times());
        drop(output);
        self.end_batch(open, &report)?;
        Ok(report)
    }

    /// Counts what a batch did.
    fn note(&mut self, report: &BatchReport, outer_times: &[i64]) {
        let times = [report.left.event_time, report.right.event_time];
        self.max_time = times.iter().flatten().map(|times| times.max).max().max(self.max_time);
        if self.counted == Counted::TimeOnly {
            return;
        }
        let dropped = &mut self.outcome.dropped;
        for side in [&report.left, &report.right] {
            let counts = [side.late, side.null_key, side.filtered, side.null_time];
            let totals = [
                &mut dropped.late,
                &mut dropped.null_key,
                &mut dropped.filtered,
                &mut dropped.null_time,
            ];
            for (total, count) in totals.into_iter().zip(counts) {
                *total = total.map(|total| total + count);
            }
        }
        if self.plan.output.unmatched == Unmatched::AsJoined && self.plan.joins.is_empty() {
            self.outcome.rows_unmatched += report.rows_unmatched;
        }
        count_work(&mut self.outcome, report);
        // The end is no moment of the stream: its rows have waited for nothing.
        let now = self.max_time.filter(|_| report.kind != BatchKind::End);
        for waited in outer_times.iter().filter_map(|time| waited(now, *time)) {
            self.outcome.outer_delay.record(waited);
        }
        self.track.batch(report, self.ended);
        if let Some(notice) = &mut self.notice {
            notice.executed(report, outer_times);
        }
    }

    fn end_batch(&mut self, mut open: Open, report: &BatchReport) -> Result<()> {
        let id = self.outcome.batches;
        let mut sink = Duration::ZERO;
        timed(&mut sink, || self.sink.end_batch(id))?;
        if let Some(witness) = &mut self.witness {
            witness.end_batch()?;
            self.aside += witness.take_time();
        }
        open.clock.add(Phase::Sink, sink);
        self.outcome.batches += 1;
        self.mark = Mark::of(&self.outcome, &self.counts);
        self.outcome.latencies.record(open.clock.total());
        self.outcome.join_time += open.clock.join();
        let since = self.opened_before.replace(open.opened);
        let since = since.map(|before| open.opened.duration_since(before).as_secs_f64());
        if self.counted == Counted::All && self.listener.wants_progress() {
            self.aside(|pass| {
                let seconds = open.clock.total().as_secs_f64();
                let progress = Progress {
                    batch_id: id,
                    num_input_rows: open.rows,
                    input_rows_per_second: since
                        .filter(|seconds| *seconds > 0.0)
                        .map(|seconds| open.rows as f64 / seconds),
                    processed_rows_per_second: (seconds > 0.0).then(|| open.rows as f64 / seconds),
                    duration_ms: open.clock.durations(true),
                    event_time: progress::event_time(report),
                    state_operators: vec![progress::state(report)],
                    dimension: pass.pipeline.dimensions().map(Dimension::progress).collect(),
                    no_data: report.kind == BatchKind::NoData,
                    end: report.kind == BatchKind::End,
                };
                pass.listener.progress(&progress)
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

    fn failed(&self, error: streamjoin_kernels::JoinError) -> Failure {
        Failure::run(error).at(&self.plan.place)
    }

    fn finish(mut self, ended: Result<()>) -> Result<PassOutcome> {
        let mark = std::mem::take(&mut self.mark);
        mark.close(ended, &mut self.outcome, &mut self.counts)?;
        if let (Some(witness), Some(notice)) = (self.witness.take(), self.notice.take()) {
            self.outcome.evidence.joins = self.pipeline.witnessed(witness);
            self.outcome.evidence.pair = Some(notice.finish(self.plan, &self.outliers));
        }
        let dimensions = || self.pipeline.dimensions();
        let of_tables =
            self.plan.output.unmatched == Unmatched::AsJoined && !self.counts.is_empty();
        Ok(PassOutcome {
            rows_unmatched: match of_tables {
                true => self.counts.iter().map(|counts| counts.unmatched).sum(),
                false => self.outcome.rows_unmatched,
            },
            joins: self.counts.iter().map(|counts| (counts.matched, counts.unmatched)).collect(),
            build_time: dimensions().map(Dimension::build_time).sum(),
            table_bytes: dimensions().map(Dimension::peak_bytes).sum(),
            work: self.pipeline.work(&self.counts, self.outcome.work),
            state: Some(self.track.finish()),
            elapsed: self.aside,
            ..self.outcome
        })
    }
}

/// Adds what a batch did to the totals.
fn count_work(outcome: &mut PassOutcome, report: &BatchReport) {
    let work = &mut outcome.work;
    for side in [&report.left, &report.right] {
        for (total, count) in [
            (&mut outcome.evicted, side.evicted),
            (&mut work.rows_walked, side.rows_walked),
            (&mut work.rows_visited, side.rows_visited),
            (&mut work.blocks_visited, side.blocks_visited),
            (&mut work.rows_moved, side.rows_moved),
            (&mut work.index_resizes, side.index_resizes),
        ] {
            *total = Some(total.unwrap_or(0) + count);
        }
    }
    work.residual_pairs += report.residual_pairs;
    work.values_gathered += report.values_gathered;
}

/// How long a row of this event time has waited when the greatest event time is
/// `now`; none while there is none.
pub(super) fn waited(now: Option<i64>, time: i64) -> Option<Duration> {
    let micros = i128::from(now?) - i128::from(time);
    Some(Duration::from_micros(u64::try_from(micros.max(0)).unwrap_or(u64::MAX)))
}
