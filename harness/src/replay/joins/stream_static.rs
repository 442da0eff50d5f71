//! A pass over one stream: batch after batch through the tables.

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
use crate::replay::source::{Part, Reader, Step, failed, failed_row};
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
        let mut reader = timed(&mut self.reading, || Reader::new(self.plan))?;
        if self.execution.schedule.is_paced() {
            self.as_due(&mut reader)?;
        } else {
            self.as_read(&mut reader)?;
        }
        self.execution.outcome.out_of_time |= reader.ended_by_time();
        // All rows are out: an index that comes too late takes none of their time.
        self.execution.aside(|execution| execution.tables.settle())
    }

    /// Joins rows as they are read; no batch is held.
    fn as_read(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        // One batch of everything has no border at which time could end it.
        let never_ends = self.plan.stream.trigger == Trigger::Once;
        let mut open: Option<Batch> = None;
        while let Some(step) = self.next(reader)? {
            match step {
                Step::Rows(part) => {
                    let mut batch = match open.take() {
                        Some(batch) => batch,
                        None => self.open(&part)?,
                    };
                    self.take(&part, &mut batch)?;
                    if never_ends && self.execution.is_over() && !reader.at_end() {
                        self.execution.outcome.out_of_time = true;
                        return self.end_batch(batch);
                    }
                    open = Some(batch);
                }
                Step::Border => {
                    let Some(batch) = open.take() else { continue };
                    self.end_batch(batch)?;
                    if self.execution.is_over() && !reader.at_end() {
                        self.execution.outcome.out_of_time = true;
                        return Ok(());
                    }
                }
            }
        }
        open.map_or(Ok(()), |batch| self.end_batch(batch))
    }

    /// Collects a batch, waits until it is due and joins it.
    fn as_due(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let mut at_end = false;
        while !at_end {
            reader.take_at_most(self.execution.most());
            let first = self.execution.outcome.batches == 0;
            let start = if first { Duration::ZERO } else { self.execution.now() };
            let mut parts = Vec::new();
            let border = loop {
                match self.next(reader)? {
                    Some(Step::Rows(part)) => parts.push(part),
                    Some(Step::Border) => break true,
                    None => break false,
                }
            };
            at_end = !border || timed(&mut self.reading, || reader.at_end());
            if reader.take_opened() {
                // Rows fall due from when the first is at hand.
                self.execution.opened_since(start);
            }
            let rows: u64 = parts.iter().map(|part| part.rows() as u64).sum();
            if rows == 0 && (at_end || !self.execution.schedule.has_ticks()) {
                continue;
            }
            if !at_end && self.execution.is_over() {
                // What is still to come has arrived, but there is no time left for it.
                self.execution.outcome.out_of_time = true;
                return Ok(());
            }
            if !self.execution.begin(rows)? {
                continue;
            }
            let Some(first) = parts.first() else { continue };
            let mut batch = self.open(first)?;
            for part in &parts {
                self.take(part, &mut batch)?;
            }
            self.end_batch(batch)?;
        }
        Ok(())
    }

    fn next(&mut self, reader: &mut Reader<'_>) -> Result<Option<Step>> {
        self.execution.attentive.check()?;
        timed(&mut self.reading, || reader.next())
            .map_err(|failure| self.execution.in_batch(failure))
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

    /// Forgets what a recording's first reading told of time.
    fn begin_again(&mut self, part: &Part) {
        if part.again {
            self.execution.max_time = None;
            self.watermark = self.plan.stream.watermark.map(Watermark::new);
        }
    }

    /// Joins rows as they were read as part of the open batch.
    fn take(&mut self, part: &Part, batch: &mut Batch) -> Result<()> {
        self.begin_again(part);
        let rows = part.rows();
        let taken = self.join(part, batch).map_err(|failure| {
            let stream = &self.plan.stream;
            let places = &part.piece.places;
            let failure = match self.blame(&failure, &part.piece.batch) {
                Some((row, failure)) => failed_row(stream, places, failure, row),
                None if failure.kind == FailureKind::Run => {
                    failed(stream, places, failure, 0..rows)
                }
                None => failure,
            };
            self.execution.in_batch(failure)
        });
        taken?;
        self.execution.aside(|execution| execution.listener.rows(rows as u64))
    }

    fn join(&mut self, part: &Part, batch: &mut Batch) -> Result<()> {
        let rows = part.rows();
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
    /// gives nothing out.
    fn blame(&self, failure: &Failure, source: &RecordBatch) -> Option<(usize, Failure)> {
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
                    self.execution.attentive.check()?;
                    selected(&self.plan.output, rows).map(|_| ())
                },
            };
            self.execution.tables.push(&rows, &mut run)
        })
    }

    fn end_batch(&mut self, batch: Batch) -> Result<()> {
        let event_time = self.watermark.as_mut().map(Watermark::end_batch);
        self.execution.end_batch(batch, BatchDetails { event_time, ..BatchDetails::default() })
    }
}
