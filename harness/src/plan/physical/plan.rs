//! What runs a scenario.

use arrow::datatypes::SchemaRef;
use streamjoin_datasets::Source;
use streamjoin_kernels::JoinType;

use super::carry::Carried;
use super::parts::with_parts;
use super::query::Query;
use super::side::SidePlan;
use super::stream::StreamPlan;
use super::stream_static::StreamStaticPlan;
use super::stream_stream::StreamStreamPlan;
use super::table_join::TableJoinPlan;
use super::table_joins::OutputPlan;
use super::table_rows::wanted;
use crate::error::{Failure, Result};
use crate::plan::bind::{Bound, BoundInput, bind};
use crate::plan::feed::{Feed, FeedRows};
use crate::plan::strategy::Strategy;
use crate::plan::timing::Timing;
use crate::scenario::{Refresh, Scenario, Trigger};

/// What runs a scenario; a kind of join is a variant.
#[derive(Debug)]
pub enum Plan {
    /// One stream, joined with tables one after the other.
    StreamStatic(Box<StreamStaticPlan>),
    /// Two streams, joined with each other and then with tables.
    StreamStream(Box<StreamStreamPlan>),
}

/// Plans `scenario`; `limit` replaces the scenario's own.
///
/// # Errors
/// A run failure for files that are missing or cannot be read, a usage failure
/// for everything else that can be known before the first row.
pub fn plan(scenario: &Scenario, limit: Option<u64>) -> Result<Plan> {
    plan_with(bind(scenario), limit, false)
}

/// As [`plan`], with all columns of the stream (of both, joined) carried up to
/// the last join, so that rows which find nothing can be written.
///
/// # Errors
/// As [`plan`]; a usage failure where no row can be said to have found nothing.
pub fn plan_carrying(scenario: &Scenario, limit: Option<u64>) -> Result<Plan> {
    let plan = plan_with(bind(scenario), limit, true)?;
    if let Plan::StreamStream(pair) = &plan
        && matches!(pair.spec.join_type, JoinType::Inner | JoinType::LeftSemi)
        && pair.joins.is_empty()
    {
        let form = match pair.spec.join_type {
            JoinType::Inner => "type = \"full outer\"",
            _ => "type = \"left anti\"",
        };
        return Err(Failure::usage(format!(
            "a {} join of two streams lets its state forget which rows found nothing, so they cannot be written: say {form} to have them",
            pair.spec.join_type
        ))
        .at(&scenario.text));
    }
    Ok(plan)
}

/// Plans what was bound.
///
/// # Errors
/// What stopped the binding, or the first refusal.
pub fn plan_bound(bound: Bound, limit: Option<u64>) -> Result<Plan> {
    plan_with(bound, limit, false)
}

fn plan_with(bound: Bound, limit: Option<u64>, carry: bool) -> Result<Plan> {
    let Bound { input, tables, output, failure, replay, mode } = bound;
    if let Some(failure) = failure {
        return Err(failure);
    }
    for table in &tables {
        if let Some(refusal) = &table.join.refusal {
            return Err(table.spec.name.refuse(refusal));
        }
    }
    let limit = limit.or(replay.limit);
    let (Some(input), Some(output)) = (input, output) else {
        return Err(Failure::usage("nothing to run"));
    };
    let (input, tables, output) = with_parts(input, tables, output);
    let query = Query { tables, output, replay, limit, carry, mode };
    let plan = match input {
        BoundInput::Stream(stream) => {
            StreamStaticPlan::new(&stream, query).map(|plan| Plan::StreamStatic(Box::new(plan)))
        }
        BoundInput::Streams(streams) => {
            StreamStreamPlan::new(&streams, query).map(|plan| Plan::StreamStream(Box::new(plan)))
        }
    }?;
    plan.check_columns()?;
    Ok(plan)
}

impl Plan {
    /// Schema of the rows that are emitted.
    pub fn output_schema(&self) -> &SchemaRef {
        self.output().columns.schema()
    }

    /// What is emitted.
    pub fn output(&self) -> &OutputPlan {
        match self {
            Self::StreamStatic(plan) => &plan.output,
            Self::StreamStream(plan) => &plan.output,
        }
    }

    /// Unmatched rows as they are written; none if their columns are not carried.
    pub fn carried(&self) -> Option<&Carried> {
        match self {
            Self::StreamStatic(plan) => plan.carried.as_ref(),
            Self::StreamStream(plan) => plan.carried.as_ref(),
        }
    }

    /// Every recording and table that the plan reads.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.feeds().filter_map(|feed| match &feed.from {
            FeedRows::Recording(source) => Some(source),
            FeedRows::Generated(_) | FeedRows::Memory(_) => None,
        })
    }

    /// Where all rows come from: the streams, then every version of every table.
    pub(super) fn feeds(&self) -> impl Iterator<Item = &Feed> {
        let streams = self.streams().into_iter().map(|stream| &stream.feed);
        let tables = self.joins().iter().flat_map(|join| &join.table.versions);
        streams.chain(tables.map(|version| &version.feed))
    }

    /// Checks that each column that is read is of one type in all files.
    fn check_columns(&self) -> Result<()> {
        for stream in self.streams() {
            stream.feed.check_columns(stream.prepare.read.as_slice())?;
        }
        for join in self.joins() {
            for version in &join.table.versions {
                let (feed, schema) = (&version.feed, join.table.schema());
                feed.check_columns(&wanted(feed, &schema, &join.kernel.table)?)?;
            }
        }
        Ok(())
    }

    fn streams(&self) -> Vec<&StreamPlan> {
        match self {
            Self::StreamStatic(plan) => vec![&plan.stream],
            Self::StreamStream(plan) => vec![&plan.left.stream, &plan.right.stream],
        }
    }

    /// The joins with tables, in order.
    pub fn joins(&self) -> &[TableJoinPlan] {
        match self {
            Self::StreamStatic(plan) => &plan.joins,
            Self::StreamStream(plan) => &plan.joins,
        }
    }

    /// What is suspicious about the query, though it can be run.
    pub fn warnings(&self) -> &[String] {
        match self {
            Self::StreamStatic(_) => &[],
            Self::StreamStream(plan) => &plan.warnings,
        }
    }

    /// Checks that `strategy` can run it.
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
    pub fn trigger(&self) -> &Trigger {
        match self {
            Self::StreamStatic(plan) => &plan.stream.trigger,
            Self::StreamStream(plan) => &plan.trigger,
        }
    }

    /// Cuts other batches; the stream must have what the trigger goes by.
    pub fn set_trigger(&mut self, trigger: Trigger) {
        match self {
            Self::StreamStatic(plan) => plan.stream.trigger = trigger,
            Self::StreamStream(plan) => plan.trigger = trigger,
        }
    }

    /// Whether other batches of the same rows may result in other joined rows: of
    /// two streams, whose watermark moves between batches, and of a table that
    /// changes between them.
    pub fn depends_on_batches(&self) -> bool {
        matches!(self, Self::StreamStream(_))
            || self.joins().iter().any(|join| join.table.refresh == Refresh::EveryBatch)
    }

    /// Rows that one pass reads, where it is known.
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
