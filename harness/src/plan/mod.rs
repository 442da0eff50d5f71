//! From a scenario to something that can run: sources opened, names bound,
//! columns that nobody needs left out.
//!
//! Binding ([`bind()`]) is logical and goes as far as it can, so that `explain`
//! has something to say about a scenario that is refused; laying out
//! ([`plan`]) is physical and needs all of it. Everything that can be told
//! before the first row is told here.

mod bind;
mod event_time;
pub mod explain;
mod feed;
mod physical;
mod projector;
mod strategy;
mod table;
mod threads;
mod timing;

#[cfg(test)]
mod tests;

use crate::error::Result;
use crate::scenario::{DisorderSpec, Refresh, Trigger};
use crate::text::duration::Micros;
use streamjoin_datasets::Source;

pub use bind::stream_static::{BoundKey, BoundStreamStatic, Residual};
pub use bind::stream_stream::{BoundStreamStream, BoundStreams};
pub(crate) use bind::time_advice::timestamp_sql;
pub use bind::{Bound, BoundStream, BoundTable, bind, cast_mode};
pub use event_time::EventTime;

pub use bind::relation::{Needed, Origin, Prepare, Relation, Selected, Selection};
pub use feed::{Feed, FeedBatches};
pub use physical::carry::Carried;
pub(crate) use physical::data_hash::TYPES_OF;
pub use physical::stream_stream::{JoinedRows, SidePlan, StreamStreamPlan};
pub use physical::table_join::TableJoinPlan;
pub use physical::table_joins::{KernelJoin, OutputPlan, Unmatched};
pub use physical::uses::{FilterOnly, Uses};
pub use physical::{plan, plan_bound, plan_carrying};
pub use projector::{Computed, Item, Projector, keep_where};
pub use strategy::{Footing, Resolved, Strategy, default_isa, strategies};
pub use table::{
    Fingerprint, Table, TableColumns, TableVersion, blame as blame_table, read as read_table,
    scan as scan_table,
};
pub use threads::{pool, pool_with_caller};
pub use timing::Timing;
pub(crate) use timing::rows_due;

/// Fixed, so that runs repeat.
const HASH_SEED: u64 = 0x5eed;

/// What a scenario comes to; a plan kind a variant.
#[derive(Debug)]
pub enum Plan {
    /// One stream, joined with tables one after the other.
    StreamStatic(Box<StreamStaticPlan>),
    /// Two streams, joined with each other and then with tables.
    StreamStream(Box<StreamStreamPlan>),
}

/// One stream, joined with tables one after the other.
#[derive(Debug)]
pub struct StreamStaticPlan {
    /// The stream.
    pub stream: StreamPlan,
    /// How fast it comes, and when it ends.
    pub timing: Timing,
    /// Which rows are held back.
    pub disorder: Option<DisorderSpec>,
    /// Whether the recording begins again at its end, until time ends the stream.
    pub repeat: bool,
    /// The joins in order.
    pub joins: Vec<TableJoinPlan>,
    /// What is given out.
    pub output: OutputPlan,
    /// The stream's rows as they are written when they find nothing, if all
    /// their columns are carried along.
    pub carried: Option<Carried>,
}

/// The stream and how it is cut.
#[derive(Debug)]
pub struct StreamPlan {
    /// The stream's name.
    pub name: String,
    /// Rows.
    pub feed: Feed,
    /// What the joins see of them.
    pub prepare: Prepare,
    /// Event times, over rows as they are read.
    pub event_time: Option<EventTime>,
    /// Arrival times, over rows as they are read.
    pub arrival: Option<EventTime>,
    /// How late a row may come, in microseconds.
    pub watermark: Option<Micros>,
    /// Where a batch ends.
    pub trigger: Trigger,
    /// The column of the trigger `column`, over rows as they are read.
    pub trigger_column: Option<Item>,
    /// Rows to read at most.
    pub limit: Option<u64>,
}

impl Plan {
    /// Schema of the rows that are given out.
    #[must_use]
    pub fn output_schema(&self) -> &arrow::datatypes::SchemaRef {
        self.output().columns.schema()
    }

    /// What is given out.
    #[must_use]
    pub fn output(&self) -> &OutputPlan {
        match self {
            Self::StreamStatic(plan) => &plan.output,
            Self::StreamStream(plan) => &plan.output,
        }
    }

    /// Rows that found nothing as they are written; none if their columns are
    /// not carried along.
    #[must_use]
    pub fn carried(&self) -> Option<&Carried> {
        match self {
            Self::StreamStatic(plan) => plan.carried.as_ref(),
            Self::StreamStream(plan) => plan.carried.as_ref(),
        }
    }

    /// Every recording and table that the plan reads.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.feeds().filter_map(|feed| match feed {
            Feed::Recording(source) => Some(source),
            Feed::Generated(_) | Feed::Memory(_) => None,
        })
    }

    /// Where all rows come from: the streams, then every version of every table.
    fn feeds(&self) -> impl Iterator<Item = &Feed> {
        let streams = match self {
            Self::StreamStatic(plan) => vec![&plan.stream.feed],
            Self::StreamStream(plan) => vec![&plan.left.stream.feed, &plan.right.stream.feed],
        };
        let tables = self.joins().iter().flat_map(|join| &join.table.versions);
        streams.into_iter().chain(tables.map(|version| &version.feed))
    }

    /// The joins with tables, in order.
    #[must_use]
    pub fn joins(&self) -> &[TableJoinPlan] {
        match self {
            Self::StreamStatic(plan) => &plan.joins,
            Self::StreamStream(plan) => &plan.joins,
        }
    }

    /// What is odd about the query, though it can be run.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        match self {
            Self::StreamStatic(_) => &[],
            Self::StreamStream(plan) => &plan.warnings,
        }
    }

    /// Checks that `strategy` can carry it out.
    ///
    /// # Errors
    /// A usage failure for what the kernels refuse.
    pub fn check(&self, strategy: &Strategy) -> Result<()> {
        if let Self::StreamStream(plan) = self {
            plan.operator(strategy, None)?;
        }
        self.joins().iter().try_for_each(|join| join.operator(strategy, None).map(|_| ()))
    }

    /// How fast rows come, and when the stream ends.
    #[must_use]
    pub fn timing(&self) -> &Timing {
        match self {
            Self::StreamStatic(plan) => &plan.timing,
            Self::StreamStream(plan) => &plan.timing,
        }
    }

    /// Replays at another pace, or for another time.
    pub fn set_timing(&mut self, timing: Timing) {
        match self {
            Self::StreamStatic(plan) => plan.timing = timing,
            Self::StreamStream(plan) => plan.timing = timing,
        }
    }

    /// Where a batch ends.
    #[must_use]
    pub fn trigger(&self) -> &Trigger {
        match self {
            Self::StreamStatic(plan) => &plan.stream.trigger,
            Self::StreamStream(plan) => &plan.trigger,
        }
    }

    /// Cuts other batches; the stream must have what the trigger looks at.
    pub fn set_trigger(&mut self, trigger: Trigger) {
        match self {
            Self::StreamStatic(plan) => plan.stream.trigger = trigger,
            Self::StreamStream(plan) => plan.trigger = trigger,
        }
    }

    /// Whether other batches of the same rows may give other joined rows: of
    /// two streams, whose watermark moves between batches, and of a table that
    /// changes between them.
    #[must_use]
    pub fn depends_on_batches(&self) -> bool {
        matches!(self, Self::StreamStream(_))
            || self.joins().iter().any(|join| join.table.refresh == Refresh::EveryBatch)
    }

    /// Rows that one pass reads, where it is known.
    #[must_use]
    pub fn rows(&self) -> Option<u64> {
        let (rows, limit) = match self {
            Self::StreamStatic(plan) => (plan.stream.feed.rows(), plan.stream.limit),
            Self::StreamStream(plan) => {
                let rows = |side: &SidePlan| side.stream.feed.rows();
                let both = rows(&plan.left).zip(rows(&plan.right));
                (both.map(|(left, right)| left.saturating_add(right)), plan.limit)
            }
        };
        rows.into_iter().chain(limit).chain(self.timing().rows()).min()
    }
}
