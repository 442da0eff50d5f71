//! One pass: from the first read to the last flush.

use std::sync::Arc;

use super::clock::{Clock, system_clock};
use super::joins::{Resources, stream_static, stream_stream};
use super::observe::{Counted, Observers, ProgressListener, TableJoinsObserver};
use super::outcome::PassOutcome;
use crate::error::Result;
use crate::plan::{Plan, Strategy};
use crate::sink::Sink;

/// A pass about to run.
#[derive(Debug)]
pub struct Pass<'p> {
    plan: &'p Plan,
    resources: Resources<'p>,
}

impl<'p> Pass<'p> {
    /// A pass over `plan` by `strategy`.
    pub fn new(
        plan: &'p Plan,
        strategy: &'p Strategy,
        pool: Option<Arc<rayon::ThreadPool>>,
    ) -> Self {
        Self { plan, resources: Resources { strategy, pool, clock: system_clock() } }
    }

    /// The same pass by another clock, which is waited by and read for
    /// everything but the phases of a batch.
    #[must_use]
    pub fn by_clock(self, clock: &'p dyn Clock) -> Self {
        Self { resources: Resources { clock, ..self.resources }, ..self }
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
        let counts = counted == Counted::All;
        let observer =
            counts.then(|| TableJoinsObserver::new(self.plan, unmatched, self.resources.clock));
        let observers = Observers { listener, observer, counted };
        match self.plan {
            Plan::StreamStatic(plan) => stream_static::run(&self.resources, plan, sink, observers),
            Plan::StreamStream(plan) => stream_stream::run(&self.resources, plan, sink, observers),
        }
    }
}
