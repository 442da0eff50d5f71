//! A pass over one stream: batch after batch through the tables.

use std::collections::VecDeque;
use std::time::Duration;

use arrow::array::RecordBatch;

use super::execution::{Batch, BatchDetails, Execution, Resources, Setup};
use super::table_joins::{JoinCounts, JoinTimes, Push};
use crate::error::{Failure, FailureKind, Result};
use crate::failing_row::first_failing_row;
use crate::plan::{StreamStaticPlan, Unmatched};
use crate::record::Dropped;
use crate::replay::clock::{Phase, timed};
use crate::replay::observe::{Observers, Watermark};
use crate::replay::outcome::PassOutcome;
use crate::replay::output::selected;
use crate::replay::source::{Part, Step, StreamBatches};
use crate::scenario::Trigger;
use crate::sink::Sink;

/// Runs a pass.
pub(crate) fn run<'p, 's>(
    resources: &Resources<'p>,
    plan: &'p StreamStaticPlan,
    sink: &'s mut dyn Sink,
    observers: Observers<'s>,
) -> Result<PassOutcome> {
    let setup = Setup {
        joins: &plan.joins,
        output: &plan.output,
        trigger: &plan.stream.trigger,
        timing: plan.timing,
        outcome: PassOutcome {
            dropped: Dropped {
                filtered: plan.stream.prepare.filters().then_some(0),
                ..Dropped::default()
            },
            ..PassOutcome::default()
        },
    };
    let mut pass = StreamStaticPass {
        execution: Execution::new(resources, setup, sink, observers)?,
        watermark: plan.stream.watermark.map(Watermark::new),
        reading: Duration::ZERO,
        plan,
    };
    let ended = pass.replay();
    pass.execution.finish(ended, plan.output.unmatched == Unmatched::AsJoined)
}

struct StreamStaticPass<'p, 's> {
    plan: &'p StreamStaticPlan,
    execution: Execution<'p, 's>,
    watermark: Option<Watermark>,
    /// Time of reading since the open batch took its last rows.
    reading: Duration,
}

impl StreamStaticPass<'_, '_> {
    fn replay(&mut self) -> Result<()> {
        let mut source = timed(&mut self.reading, || StreamBatches::new(self.plan))?;
        while let Some(mut waiting) = self.begin(&mut source)? {
            let mut open = None;
            while let Some(part) = self.next(&mut waiting, &mut source)? {
                let batch = match &mut open {
                    Some(batch) => batch,
                    none => none.insert(self.open(&part)?),
                };
                self.join(&part, batch)?;
                // One batch of everything has no border at which time could end it.
                if self.plan.stream.trigger == Trigger::Once && self.is_cut_off(&mut source) {
                    break;
                }
            }
            if let Some(batch) = open {
                self.end(batch)?;
                if self.is_cut_off(&mut source) {
                    break;
                }
            }
        }
        self.execution.outcome.out_of_time |= source.ended_by_time();
        // All rows are out: an index that comes too late takes none of their time.
        self.execution.aside(|execution| execution.tables.settle())
    }

    /// Begins the next batch; `None` at the end. A paced batch is collected, and
    /// waits until it is due; another one is joined as it is read.
    fn begin(&mut self, source: &mut StreamBatches<'_>) -> Result<Option<VecDeque<Part>>> {
        if !self.execution.schedule.is_paced() {
            return Ok((!self.at_end(source)).then(VecDeque::new));
        }
        while !self.at_end(source) {
            let is_first = self.execution.outcome.batches == 0;
            let start = if is_first { Duration::ZERO } else { self.execution.now() };
            source.take_at_most(self.execution.most());
            let mut parts = VecDeque::new();
            while let Some(part) = self.read(source)? {
                parts.push_back(part);
            }
            let at_end = self.at_end(source);
            if source.take_opened() {
                // Rows fall due from when the first is at hand.
                self.execution.opened_since(start);
            }
            let rows: u64 = parts.iter().map(|part| part.piece.rows() as u64).sum();
            if rows == 0 && (at_end || !self.execution.schedule.has_ticks()) {
                continue;
            }
            if !at_end && self.execution.is_over() {
                // What is still to come has arrived, but there is no time left for it.
                self.execution.outcome.out_of_time = true;
                break;
            }
            if self.execution.begin(rows)? && rows > 0 {
                return Ok(Some(parts));
            }
        }
        Ok(None)
    }

    /// The next rows of the open batch.
    fn next(
        &mut self,
        waiting: &mut VecDeque<Part>,
        source: &mut StreamBatches<'_>,
    ) -> Result<Option<Part>> {
        if self.execution.schedule.is_paced() {
            return Ok(waiting.pop_front());
        }
        self.read(source)
    }

    /// Reads on; `None` where the batch ends.
    fn read(&mut self, source: &mut StreamBatches<'_>) -> Result<Option<Part>> {
        self.execution.stop_check.check()?;
        let step = timed(&mut self.reading, || source.next()).transpose();
        match step.map_err(|failure| self.execution.in_batch(failure))? {
            Some(Step::Rows(part)) => Ok(Some(part)),
            Some(Step::Border) | None => Ok(None),
        }
    }

    fn at_end(&mut self, source: &mut StreamBatches<'_>) -> bool {
        timed(&mut self.reading, || source.at_end())
    }

    /// Whether time ends the stream here; a paced batch asks when it begins.
    fn is_cut_off(&mut self, source: &mut StreamBatches<'_>) -> bool {
        let execution = &mut self.execution;
        let cut_off = !execution.schedule.is_paced() && execution.is_over() && !source.at_end();
        execution.outcome.out_of_time |= cut_off;
        cut_off
    }

    fn open(&mut self, part: &Part) -> Result<Batch> {
        self.begin_again(part);
        let mut batch = self.execution.open(0);
        // A version by time is in force from the time at which the batch opens.
        let time = part.times.as_ref().and_then(|times| times.iter().flatten().next());
        let refreshed = self.execution.refresh(&mut batch, time);
        refreshed.map_err(|failure| self.execution.in_batch(failure))?;
        Ok(batch)
    }

    /// Forgets the event times of the reading before.
    fn begin_again(&mut self, part: &Part) {
        if part.again {
            self.execution.max_time = None;
            self.watermark = self.plan.stream.watermark.map(Watermark::new);
        }
    }

    /// Joins rows of the open batch.
    fn join(&mut self, part: &Part, batch: &mut Batch) -> Result<()> {
        self.begin_again(part);
        let joined = self.push(part, batch).map_err(|failure| {
            let (stream, piece) = (&self.plan.stream, &part.piece);
            let failure = match self.failing_row(&failure, &piece.batch) {
                Some((row, failure)) => piece.failed_row(stream, failure, row),
                None if failure.kind == FailureKind::Run => piece.failed(stream, failure),
                None => failure,
            };
            self.execution.in_batch(failure)
        });
        joined?;
        self.execution.aside(|execution| execution.listener.rows(part.piece.rows() as u64))
    }

    fn push(&mut self, part: &Part, batch: &mut Batch) -> Result<()> {
        let rows = part.piece.rows();
        let mut read = std::mem::take(&mut self.reading);
        let prepared = timed(&mut read, || {
            if let Some(times) = &part.times {
                self.execution.max_time = self.execution.max_time.max(arrow::compute::max(times));
                if let Some(watermark) = &mut self.watermark {
                    watermark.see(times);
                }
            }
            self.plan.stream.prepare.apply(part.piece.batch.clone()).map_err(Failure::run)
        })?;
        if let (Some(times), true) = (&part.times, self.execution.observer.is_some()) {
            self.execution.aside(|execution| execution.outcome.evidence.see(times));
        }
        let outcome = &mut self.execution.outcome;
        outcome.rows_in += rows as u64;
        if let Some(filtered) = &mut outcome.dropped.filtered {
            *filtered += (rows - prepared.num_rows()) as u64;
        }
        batch.rows += rows as u64;
        batch.clock.add(Phase::Read, read);
        self.execution.push(&prepared, batch)
    }

    /// Which of the rows, as they were read, failed; joins them again and
    /// writes nothing.
    fn failing_row(&self, failure: &Failure, source: &RecordBatch) -> Option<(usize, Failure)> {
        if failure.kind != FailureKind::Run {
            return None;
        }
        first_failing_row(source.num_rows(), |range| {
            let rows = source.slice(range.start, range.len());
            let rows = self.plan.stream.prepare.apply(rows).map_err(Failure::run)?;
            let mut run = Push {
                counts: &mut vec![JoinCounts::default(); self.plan.joins.len()],
                times: JoinTimes::default(),
                observer: None,
                emit: &mut |rows| {
                    self.execution.stop_check.check()?;
                    selected(&self.plan.output, rows).map(|_| ())
                },
            };
            self.execution.tables.push(&rows, &mut run)
        })
    }

    fn end(&mut self, batch: Batch) -> Result<()> {
        let event_time = self.watermark.as_mut().map(Watermark::end_batch);
        self.execution.end_batch(batch, BatchDetails { event_time, ..BatchDetails::default() })
    }
}
