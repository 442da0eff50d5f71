//! From a scenario to something that can run: sources opened, names bound,
//! columns that nobody needs left out.
//!
//! Binding ([`bind()`]) is logical and goes as far as it can, so that `explain`
//! has something to say about a scenario that is refused; laying out
//! ([`plan`]) is physical and needs all of it. Everything that can be told
//! before the first row is told here.

mod bind;
mod chain;
mod data_hash;
mod event_time;
pub mod explain;
mod feed;
mod join;
mod projector;
mod relation;
mod strategy;
mod table;

#[cfg(test)]
mod tests;

use streamjoin_datasets::Source;
use streamjoin_kernels::{IndexKind, JoinOptions, KeyHasher, Layout, StreamStaticJoin};

use crate::error::{Failure, Result};
use crate::scenario::{Choice, Micros, Scenario, Trigger};

pub use bind::{Bound, BoundDimension, BoundStream, bind, cast_mode};
pub use chain::{ChainJoin, ChainOutput, Unmatched};
pub use event_time::EventTime;

pub use feed::{Feed, FeedBatches};
pub use join::{BoundJoin, BoundKey, Residual};
pub use projector::{Computed, Item, Projector, keep_where};
pub use relation::{Needed, Origin, Prepare, Relation, Selected, Selection};
pub use strategy::{Resolved, Strategy, default_isa, strategies};
pub use table::{
    Fingerprint, Table, TableColumns, TableVersion, blame as blame_table, read as read_table,
};

/// Fixed, so that runs repeat.
const HASH_SEED: u64 = 0x5eed;

/// What a scenario comes to; a plan kind a variant.
#[derive(Debug)]
pub enum Plan {
    /// One stream, joined with tables one after the other.
    StreamStatic(StreamStaticPlan),
}

/// One stream, joined with tables one after the other.
#[derive(Debug)]
pub struct StreamStaticPlan {
    /// The stream.
    pub stream: StreamPlan,
    /// The joins in order.
    pub joins: Vec<JoinPlan>,
    /// What is given out.
    pub output: ChainOutput,
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
    /// How late a row may come, in microseconds.
    pub watermark: Option<Micros>,
    /// Where a batch ends.
    pub trigger: Trigger,
    /// The column of the trigger `column`, over rows as they are read.
    pub trigger_column: Option<Item>,
    /// Rows to read at most.
    pub limit: Option<u64>,
}

/// One join.
#[derive(Debug)]
pub struct JoinPlan {
    /// The dimension's name.
    pub name: String,
    /// The table's contents over time.
    pub table: Table,
    /// The join as the kernels take it.
    pub chain: ChainJoin,
    /// The join's name and keys, for messages.
    pub place: String,
    layout: Option<Choice<Layout>>,
    index: Option<Choice<IndexKind>>,
}

impl Plan {
    /// Schema of the rows that are given out.
    #[must_use]
    pub fn output_schema(&self) -> &arrow::datatypes::SchemaRef {
        match self {
            Self::StreamStatic(plan) => plan.output.columns.schema(),
        }
    }

    /// Every recording and table that the plan reads.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.feeds().filter_map(|feed| match feed {
            Feed::Recording(source) => Some(source),
            Feed::Generated(_) => None,
        })
    }

    /// Where all rows come from: the stream, then every version of every table.
    fn feeds(&self) -> impl Iterator<Item = &Feed> {
        let Self::StreamStatic(plan) = self;
        let tables = plan.joins.iter().flat_map(|join| &join.table.versions);
        std::iter::once(&plan.stream.feed).chain(tables.map(|version| &version.feed))
    }

    /// Rows that one pass reads, where it is known.
    #[must_use]
    pub fn rows(&self) -> Option<u64> {
        match self {
            Self::StreamStatic(plan) => {
                let limit = plan.stream.limit;
                match plan.stream.feed.rows() {
                    Some(rows) => Some(limit.map_or(rows, |limit| limit.min(rows))),
                    None => limit,
                }
            }
        }
    }
}

impl JoinPlan {
    /// What `strategy` comes to for this join.
    #[must_use]
    pub fn resolve(&self, strategy: &Strategy) -> Resolved {
        strategy.resolve(self.layout, self.index)
    }

    /// The join as `strategy` carries it out.
    ///
    /// # Errors
    /// A usage failure for what the kernels refuse.
    pub fn operator(
        &self,
        strategy: &Strategy,
        pool: Option<&std::sync::Arc<rayon::ThreadPool>>,
    ) -> Result<StreamStaticJoin> {
        let resolved = self.resolve(strategy);
        let defaults = JoinOptions::default();
        let options = JoinOptions {
            layout: resolved.layout,
            index: resolved.index,
            hasher: KeyHasher::with_seed(strategy.isa, HASH_SEED),
            probe_rows: strategy.batch_rows.map_or(defaults.probe_rows, usize::from),
            pool: pool.cloned(),
            ..defaults
        };
        StreamStaticJoin::new(self.chain.spec.clone(), options)
            .map_err(|error| Failure::usage(error).at(&self.place))
    }
}

/// Plans `scenario`; `limit` replaces the scenario's own.
///
/// # Errors
/// A run failure for files that are missing or cannot be read, a usage failure
/// for everything else that can be told before the first row.
pub fn plan(scenario: &Scenario, limit: Option<u64>) -> Result<Plan> {
    lay_out(scenario, bind(scenario), limit)
}

/// Lays out what was bound.
///
/// # Errors
/// What stopped the binding, or the first refusal.
pub fn lay_out(scenario: &Scenario, bound: Bound, limit: Option<u64>) -> Result<Plan> {
    let Bound { stream, joins, output, failure } = bound;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let (Some(stream), Some(output)) = (stream, output) else {
        return Err(Failure::usage(format!("{}: nothing to run", scenario.text)));
    };
    for (joined, spec) in joins.iter().zip(&scenario.spec.dimension) {
        if let Some(refusal) = &joined.join.refusal {
            return Err(Failure::usage(refusal).at(scenario.place(&spec.get_ref().name)));
        }
    }
    let chain = chain::lay_out(&stream.relation, &joins, &output, cast_mode(scenario));
    let spec = scenario.spec.stream.0.first().map(|(_, spec)| spec);
    let watermark = spec.and_then(|spec| spec.watermark.as_ref()).map(|delay| *delay.get_ref());
    let trigger = scenario.spec.replay.trigger.as_ref();
    let trigger = trigger.map_or_else(Trigger::default, |trigger| trigger.get_ref().clone());
    let uses_time = watermark.is_some()
        || matches!(trigger, Trigger::EventTime(_))
        || joins.iter().any(|joined| joined.table.follows_time());
    let event_time = stream.event_time.as_ref().filter(|_| uses_time);
    let also = event_time.iter().flat_map(|(origin, _)| origin.columns());
    let also = also.chain(stream.trigger_column.iter().flat_map(Origin::columns));
    let prepare = stream.relation.prepare(&chain.stream, also.copied());
    let event_time = match (event_time, spec.and_then(|spec| spec.event_time.as_ref())) {
        (Some((origin, data_type)), Some(time)) => Some(
            EventTime::new(time.get_ref(), origin.item(|c| prepare.read.at(c)), data_type)
                .map_err(|message| Failure::usage(message).at(scenario.place(time)))?,
        ),
        _ => None,
    };
    let trigger_column =
        stream.trigger_column.as_ref().map(|origin| origin.item(|c| prepare.read.at(c)));
    let joins = joins.into_iter().zip(chain.joins).zip(&scenario.spec.dimension);
    let joins = joins.map(|((joined, chain), spec)| JoinPlan {
        place: joined.join.place(&joined.relation.name),
        name: joined.relation.name,
        table: joined.table,
        chain,
        layout: spec.get_ref().layout.as_ref().map(|layout| *layout.get_ref()),
        index: spec.get_ref().index.as_ref().map(|index| *index.get_ref()),
    });
    let stream = StreamPlan {
        name: stream.relation.name,
        feed: stream.feed,
        prepare,
        event_time,
        watermark,
        trigger,
        trigger_column,
        limit: limit.or(scenario.spec.replay.limit),
    };
    let plan = StreamStaticPlan { stream, joins: joins.collect(), output: chain.output };
    if matches!(plan.stream.feed, Feed::Generated(_))
        && plan.stream.limit.is_none()
        && plan.stream.feed.rows().is_none()
    {
        return Err(Failure::usage(format!(
            "[stream.{}] generates rows without end: give `[replay] limit`, or --limit",
            plan.stream.name
        ))
        .at(&scenario.text));
    }
    Ok(Plan::StreamStatic(plan))
}
