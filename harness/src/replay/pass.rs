//! One pass: from the first read to the last flush.

use std::sync::Arc;
use std::time::Duration;

use super::evidence::Evidence;
use super::listener::ProgressListener;
use super::schedule::Kept;
use super::state_track::StateOutcome;
use super::timeline::{Clock, system_clock};
use super::witness::Witness;
use super::{one_stream, streams};
use crate::error::{Failure, Result};
use crate::measure::Latencies;
use crate::plan::{Plan, Strategy};
use crate::record::{Checksum, Dropped, Work};
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
    /// Of the batches: from their due time to their end if the pass is paced,
    /// else service times.
    pub latencies: Latencies,
    /// How a paced pass kept its pace.
    pub kept: Option<Kept>,
    /// A hash of the sizes of the batches, if time cuts them.
    pub borders: Option<u64>,
    /// Whether the replay's time was over before the recording was.
    pub out_of_time: bool,
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

/// What looks on while a pass runs.
pub(super) struct LookingOn<'s> {
    pub(super) listener: &'s mut dyn ProgressListener,
    /// In the first pass.
    pub(super) witness: Option<Witness<'s>>,
    pub(super) counted: Counted,
}

/// A pass about to run.
#[derive(Debug)]
pub struct Pass<'p> {
    plan: &'p Plan,
    pub(super) strategy: &'p Strategy,
    pub(super) pool: Option<Arc<rayon::ThreadPool>>,
    pub(super) clock: &'p dyn Clock,
}

impl<'p> Pass<'p> {
    /// A pass over `plan` by `strategy`.
    #[must_use]
    pub fn new(
        plan: &'p Plan,
        strategy: &'p Strategy,
        pool: Option<Arc<rayon::ThreadPool>>,
    ) -> Self {
        Self { plan, strategy, pool, clock: system_clock() }
    }

    /// The same pass by another clock, which is waited by and read for
    /// everything but the phases of a batch.
    #[must_use]
    pub fn by_clock(self, clock: &'p dyn Clock) -> Self {
        Self { clock, ..self }
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
        let witness = counts.then(|| Witness::new(self.plan, unmatched, self.clock));
        let looking_on = LookingOn { listener, witness, counted };
        match self.plan {
            Plan::StreamStatic(plan) => one_stream::run(self, plan, sink, looking_on),
            Plan::StreamStream(plan) => streams::run(self, plan, sink, looking_on),
        }
    }
}
