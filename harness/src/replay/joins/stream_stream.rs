//! The pass: batch after batch through the join and the tables.

use std::time::Duration;

use streamjoin_kernels::Sides;
use streamjoin_kernels::stream_stream::{self, BatchKind, BatchReport};
use streamjoin_kernels::time::Timestamp;

use super::execution::{Batch, BatchDetails, Execution, Resources, Setup};
use super::joined_rows::JoinedSchema;
use super::participation::Participation;
use super::state_progress;
use crate::error::{Failure, Result};
use crate::plan::{StreamStreamPlan, Unmatched};
use crate::record::{Dropped, Work};
use crate::replay::clock::{Phase, timed, waited};
use crate::replay::observe::{Counted, Observers, Outliers, StateTrack, StreamStreamObserver};
use crate::replay::outcome::PassOutcome;
use crate::replay::source::{MergedBatch, MergedBatches};
use crate::scenario::End;
use crate::sink::Sink;

/// Runs a pass.
pub(crate) fn run<'p, 's>(
    resources: &Resources<'p>,
    plan: &'p StreamStreamPlan,
    sink: &'s mut dyn Sink,
    observers: Observers<'s>,
) -> Result<PassOutcome> {
    let setup = Setup {
        joins: &plan.joins,
        output: &plan.output,
        trigger: &plan.trigger,
        timing: plan.timing,
        outcome: PassOutcome {
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
    };
    let mut join = plan.operator(resources.strategy, resources.pool.as_ref())?;
    let can_evict = Sides::new(|side| join.expiry(side).is_bounded());
    let mut pass = StreamStreamPass {
        joined: JoinedSchema::new(plan, &join),
        observer: observers.observer.is_some().then(|| StreamStreamObserver::new(&join)),
        execution: Execution::new(resources, setup, sink, observers)?,
        track: StateTrack::new(can_evict),
        outliers: Outliers::default(),
        participation: Participation::new(),
        reading: Duration::ZERO,
        ended: false,
        plan,
    };
    let ended = pass.replay(&mut join);
    let of_tables = plan.output.unmatched == Unmatched::AsJoined && !plan.joins.is_empty();
    let mut outcome = pass.execution.finish(ended, of_tables)?;
    if let Some(observer) = pass.observer {
        outcome.evidence.stream_stream = Some(observer.finish(plan, &pass.outliers));
    }
    Ok(PassOutcome { state: Some(pass.track.finish()), ..outcome })
}

/// A pass while it runs; the join is apart, for its output borrows it.
struct StreamStreamPass<'p, 's> {
    plan: &'p StreamStreamPlan,
    execution: Execution<'p, 's>,
    joined: JoinedSchema,
    track: StateTrack,
    observer: Option<StreamStreamObserver>,
    outliers: Outliers,
    participation: Participation,
    /// Time of reading since the last batch was opened.
    reading: Duration,
    /// Whether a stream has ended.
    ended: bool,
}

impl StreamStreamPass<'_, '_> {
    fn replay(&mut self, join: &mut stream_stream::Join) -> Result<()> {
        let mut source = timed(&mut self.reading, || MergedBatches::new(self.plan))?;
        while let Some(mut batch) = self.begin(&mut source)? {
            let open = self.open(&batch);
            self.join(join, &batch, open)?;
            let cut_off = self.is_cut_off(&mut batch);
            self.end(join, &batch)?;
            if cut_off {
                break;
            }
        }
        self.execution.outcome.out_of_time |= source.ended_by_time();
        let back = source.arrivals_back();
        if back > 0 && self.execution.counted == Counted::All {
            self.warn(&format!(
                "{back} rows have an arrival time before that of an earlier row; they counted as arrived with it"
            ))?;
        }
        if let Some(observer) = &mut self.observer {
            observer.before_end(join, self.plan);
        }
        if self.plan.end == End::Flush {
            self.flush(join)?;
        }
        // All rows are out: an index that comes too late takes none of their time.
        self.execution.aside(|execution| execution.tables.settle())
    }

    /// Begins the next batch, once it is due; `None` at the end.
    fn begin(&mut self, source: &mut MergedBatches<'_>) -> Result<Option<MergedBatch>> {
        loop {
            self.execution.stop_check.check()?;
            source.take_at_most(self.execution.most());
            let batch = timed(&mut self.reading, || source.next()).transpose();
            if source.take_opened() {
                // Rows fall due from when the first are at hand.
                self.execution.opened_since(Duration::ZERO);
            }
            let batch = batch.map_err(|failure| self.execution.in_batch(failure))?;
            let Some(batch) = batch else { return Ok(None) };
            let paced = self.execution.schedule.is_paced();
            if paced && self.execution.is_over() && !batch.is_last() {
                // What is still to come has arrived, but there is no time left for it.
                self.execution.outcome.out_of_time = true;
                return Ok(None);
            }
            if self.execution.begin(batch.rows())? {
                return Ok(Some(batch));
            }
        }
    }

    fn open(&mut self, batch: &MergedBatch) -> Batch {
        let mut open = self.execution.open(batch.rows());
        open.clock.add(Phase::Read, std::mem::take(&mut self.reading));
        self.ended |= batch.left.ended || batch.right.ended;
        open
    }

    /// Joins the rows of a batch.
    fn join(
        &mut self,
        join: &mut stream_stream::Join,
        batch: &MergedBatch,
        open: Batch,
    ) -> Result<()> {
        let Some(report) = self.data_batch(join, batch, open)? else { return Ok(()) };
        let warning = self.outliers.look(self.plan, batch, &report);
        if let Some(observer) = &mut self.observer {
            observer.data_batch(batch, &report, self.ended);
        }
        warning.map_or(Ok(()), |warning| self.warn(&warning))
    }

    /// Whether time ends the streams here; a paced batch asks when it begins.
    fn is_cut_off(&mut self, batch: &mut MergedBatch) -> bool {
        let execution = &mut self.execution;
        let cut_off = !execution.schedule.is_paced() && execution.is_over() && !batch.is_last();
        if cut_off {
            execution.outcome.out_of_time = true;
            // Both streams count as ended here.
            (batch.left.ended, batch.right.ended) = (true, true);
        }
        cut_off
    }

    /// Ends a batch: the watermark moves, and what that makes due runs.
    fn end(&mut self, join: &mut stream_stream::Join, batch: &MergedBatch) -> Result<()> {
        self.participation.update(self.plan, batch, |side, takes_part| {
            join.set_taking_part(side, takes_part);
        });
        self.no_data_batch(join)?;
        if let Some(observer) = &mut self.observer {
            observer.watermarks(join);
        }
        self.execution.aside(|execution| execution.listener.rows(batch.rows()))
    }

    fn warn(&mut self, warning: &str) -> Result<()> {
        self.execution.aside(|execution| execution.listener.warning(warning))
    }

    /// Empties the state at the end of the streams.
    fn flush(&mut self, join: &mut stream_stream::Join) -> Result<()> {
        let mut open = self.execution.open(0);
        self.refresh(&mut open, None)?;
        let mut wall = Duration::ZERO;
        let output = timed(&mut wall, || join.finish(stream_stream::End::Flush));
        let output = output.map_err(|error| self.execution.in_batch(self.failed(error)))?;
        let Some(output) = output else { return Ok(()) };
        let done = self.drain(output, open, wall);
        done.map(|_| ()).map_err(|failure| self.execution.in_batch(failure))
    }

    fn data_batch(
        &mut self,
        join: &mut stream_stream::Join,
        batch: &MergedBatch,
        mut open: Batch,
    ) -> Result<Option<BatchReport>> {
        self.execution.outcome.rows_in += open.rows;
        let mut read = Duration::ZERO;
        let sides = timed(&mut read, || {
            Ok((batch.left.prepare(&self.plan.left)?, batch.right.prepare(&self.plan.right)?))
        });
        let ((left, left_out), (right, right_out)) =
            sides.map_err(|failure: Failure| self.execution.in_batch(failure))?;
        if let Some(filtered) = &mut self.execution.outcome.dropped.filtered {
            *filtered += left_out + right_out;
        }
        if let Some(observer) = &mut self.observer {
            observer.read(batch, [left_out, right_out]);
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
        done.map_err(|failure| self.execution.in_batch(failure.at(batch.place(self.plan))))
    }

    fn no_data_batch(&mut self, join: &mut stream_stream::Join) -> Result<()> {
        let mut open = self.execution.open(0);
        let mut wall = Duration::ZERO;
        let output = timed(&mut wall, || join.advance());
        let output = output.map_err(|error| self.execution.in_batch(self.failed(error)))?;
        let Some(output) = output else { return Ok(()) };
        self.refresh(&mut open, None)?;
        let done = self.drain(output, open, wall);
        done.map(|_| ()).map_err(|failure| self.execution.in_batch(failure))
    }

    /// Brings the tables to what is in force in a batch that opens at this
    /// event time.
    fn refresh(&mut self, open: &mut Batch, opens_at: Option<i64>) -> Result<()> {
        let refreshed = self.execution.refresh(open, opens_at);
        refreshed.map_err(|failure| self.execution.in_batch(failure))
    }

    /// Takes the output of an executed batch to the sink, and ends the batch;
    /// the caller says where a failure was.
    fn drain(
        &mut self,
        mut output: stream_stream::Batch<'_>,
        mut open: Batch,
        mut wall: Duration,
    ) -> Result<BatchReport> {
        loop {
            let rows = timed(&mut wall, || output.next_batch());
            let rows = rows.map_err(|e| Failure::run(e).at(&self.plan.place))?;
            let Some(rows) = rows else { break };
            if let (Some(observer), Some(side)) =
                (&mut self.execution.observer, output.unmatched_of())
            {
                let missed = &self.plan.side(side.opposite()).stream.name;
                observer.unmatched_in_pair(missed, &rows)?;
            }
            self.execution.stop_check.check()?;
            self.execution.push(&self.joined.rows(rows)?, &mut open)?;
        }
        let report = output.report().clone();
        let times = report.times;
        open.clock.add(Phase::Keys, times.intake);
        open.clock.add(Phase::Probe, times.probe);
        open.clock.add(Phase::Insert, times.insert);
        open.clock.add(Phase::Evict, times.evict);
        open.clock.add(Phase::Materialise, times.materialise);
        let split = times.intake + times.probe + times.insert + times.evict + times.materialise;
        open.clock.add(Phase::Other, wall.saturating_sub(split));
        self.note(&report, output.outer_times());
        drop(output);
        let details = BatchDetails {
            event_time: state_progress::event_time(&report),
            state: Some(state_progress::state(&report)),
            no_data: report.kind == BatchKind::NoData,
            end: report.kind == BatchKind::End,
        };
        self.execution.end_batch(open, details)?;
        Ok(report)
    }

    /// Counts what a batch did.
    fn note(&mut self, report: &BatchReport, outer_times: &[Timestamp]) {
        let times = [report.left.event_time, report.right.event_time];
        let max_time = &mut self.execution.max_time;
        let greatest = times.iter().flatten().map(|times| times.max.as_micros()).max();
        *max_time = greatest.max(*max_time);
        if self.execution.counted == Counted::TimeOnly {
            return;
        }
        let outcome = &mut self.execution.outcome;
        let dropped = &mut outcome.dropped;
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
            outcome.rows_unmatched += report.rows_unmatched;
        }
        count_work(outcome, report);
        // The end is not a moment of the stream: its rows have waited for nothing.
        let now = max_time.filter(|_| report.kind != BatchKind::End);
        for waited in outer_times.iter().filter_map(|time| waited(now, time.as_micros())) {
            outcome.outer_delay.record(waited);
        }
        self.track.batch(report, self.ended);
        if let Some(observer) = &mut self.observer {
            observer.executed(report, outer_times);
        }
    }

    fn failed(&self, error: streamjoin_kernels::JoinError) -> Failure {
        Failure::run(error).at(&self.plan.place)
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
