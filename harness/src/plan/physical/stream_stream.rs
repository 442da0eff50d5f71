//! Two streams that are joined with each other, as it runs.

use std::sync::Arc;

use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::time::DeclaredWatermarks;
use streamjoin_kernels::{
    Filter, JoinError, JoinType, KeyPair, OutputColumn, OutputMode, Side, SideColumn, Sides,
    stream_stream,
};

use super::carry::Carried;
use super::prepare::Needed;
use super::proof::{Proof, proofs};
use super::query::Query;
use super::side::{PlannedSide, SidePlan};
use super::stream::has_end;
use super::table_join::{TableJoinPlan, table_join_plans};
use super::table_joins::{Before, OutputPlan, TableJoins};
use super::uses::{self, FilterOnly};
use crate::error::{Failure, Result};
use crate::plan::bind::{BoundStreams, advice, side_column};
use crate::plan::strategy::{Grain, Strategy};
use crate::plan::timing::Timing;
use crate::scenario::{DisorderSpec, End, Merge, Trigger};

/// Two streams, joined with each other and then with tables.
#[derive(Debug)]
pub struct StreamStreamPlan {
    /// The stream on the left.
    pub left: SidePlan,
    /// The stream on the right.
    pub right: SidePlan,
    /// The join as the kernels take it.
    pub spec: stream_stream::Spec,
    /// The join's name and keys, for messages.
    pub place: String,
    /// The keys as text: the left's and the right's.
    pub on: Vec<(String, String)>,
    /// From the joined rows to those that the tables are joined with.
    pub joined: JoinedRows,
    /// Which row comes next.
    pub merge: Merge,
    /// Which rows are held back.
    pub disorder: Option<DisorderSpec>,
    /// Where a batch ends.
    pub trigger: Trigger,
    /// How fast rows of both come, and when they end.
    pub timing: Timing,
    /// The most rows of both streams to read.
    pub limit: Option<u64>,
    /// What becomes of the state at the end.
    pub end: End,
    /// The joins with tables, in order.
    pub joins: Vec<TableJoinPlan>,
    /// What is emitted.
    pub output: OutputPlan,
    /// Unmatched rows as they are written, if all joined columns are carried.
    pub carried: Option<Carried>,
    /// What the state holds for the output's `where` alone.
    pub filter_only: Option<FilterOnly>,
    /// What is suspicious about the join, though it can be run.
    pub warnings: Vec<String>,
    /// Which streams' rows never leave the state, and why.
    pub unbounded: Vec<String>,
}

/// From the join's output to the rows that follow.
#[derive(Clone, Debug)]
pub struct JoinedRows {
    /// Columns of the join's output that travel on.
    pub columns: usize,
    /// Columns of the output that are null only in a row that found no match:
    /// one of each side that may be missing. Empty where they are not needed.
    pub proofs: Vec<usize>,
}

impl StreamStreamPlan {
    /// `streams` with what follows them.
    ///
    /// # Errors
    /// A usage failure for a replay that cannot run, and for what the kernels refuse.
    pub(super) fn new(streams: &BoundStreams, query: Query) -> Result<Self> {
        let Query { tables, output, replay, limit, carry, mode } = query;
        let join = &streams.join;
        let before = before(join.join_type);
        let planned = TableJoins::new(&join.output, before, &tables, &output, mode, carry);
        let needed = (&planned.stream, &planned.stream_without_filter);
        let movable = |column: usize| !join.join_type.extends_with_nulls(join.sources[column].side);
        let filter_only = uses::of_first(&join.output, &tables, &output, needed, movable);
        let proofs = if planned.marked { proofs(streams, &planned.stream) } else { Vec::new() };
        let sides = Sides::new(|side| PlannedSide::new(streams, side, &planned.stream, &proofs));
        let (spec, joined) = kernel_spec(streams, &sides, &planned.stream, &proofs, mode)?;
        let timing = Timing::of(&replay)?;
        // A limit and a trigger are those of both.
        for (_, stream) in streams.sides.iter() {
            has_end(stream, &replay.trigger, limit, &timing)?;
        }
        let plan = Self {
            place: join
                .place(&streams.sides.left.relation.name, &streams.sides.right.relation.name),
            spec,
            left: sides.left.plan,
            right: sides.right.plan,
            on: join.keys.iter().map(|key| (key.left.to_string(), key.right.to_string())).collect(),
            joined,
            merge: *replay.merge,
            disorder: replay.disorder.map(|disorder| disorder.value),
            trigger: replay.trigger.value,
            timing,
            limit,
            end: replay.end,
            joins: table_join_plans(tables, planned.joins),
            output: planned.output,
            carried: carry.then(|| Carried::new(&join.output)),
            filter_only: filter_only.filter(|_| !carry),
            warnings: join.warnings.clone(),
            unbounded: streams.unbounded(),
        };
        // The kernels' refusals belong before the first row.
        let refused = |mut failure: Failure| {
            if join.time.key.is_none()
                && join.time.interval.is_unbounded()
                && let Some(advice) = advice(&streams.sides)
            {
                failure.message = format!("{}; {advice}", failure.message);
            }
            failure.at(streams.spec.left.place())
        };
        plan.operator(&Strategy::auto()?, None).map_err(refused)?;
        Ok(plan)
    }

    /// One of the streams.
    pub fn side(&self, side: Side) -> &SidePlan {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// The join as `strategy` runs it.
    ///
    /// # Errors
    /// A usage failure for what the kernels refuse.
    pub fn operator(
        &self,
        strategy: &Strategy,
        pool: Option<&Arc<rayon::ThreadPool>>,
    ) -> Result<stream_stream::Join> {
        let defaults = stream_stream::Options::default();
        let Grain { max_output_rows, blocks } = strategy.grain;
        let options = defaults
            .clone()
            .with_store(strategy.state)
            .with_hasher(strategy.hasher())
            .with_limit(strategy.state_limit)
            .with_pool(pool.cloned())
            .with_max_output_rows(max_output_rows.map_or(defaults.max_output_rows, usize::from))
            .with_blocks(blocks);
        let join = stream_stream::Join::new(self.spec.clone(), options);
        join.map_err(|error| {
            let is_refused = matches!(error, JoinError::Refused { .. });
            let failure = Failure::usage(error);
            let failure = match example(&self.spec).filter(|_| is_refused) {
                Some(example) => failure.with_hint(format_args!("in `on`, for example: {example}")),
                None => failure,
            };
            failure.at(&self.place)
        })
    }
}

/// What the condition of a refused join most likely lacks.
fn example(spec: &stream_stream::Spec) -> Option<&'static str> {
    if spec.output_mode != OutputMode::Append {
        return None;
    }
    if spec.keys.is_empty() || spec.join_type == JoinType::Cross {
        return Some("l.id = r.id");
    }
    let declared = DeclaredWatermarks { left: true, right: true };
    let stays = |side| !spec.time.expiry(side, declared).is_bounded();
    let (join_type, semi) = (spec.join_type, spec.join_type == JoinType::LeftSemi);
    if join_type.preserves(Side::Right) && stays(Side::Right) {
        Some("l.ts <= r.ts + INTERVAL 1 HOUR")
    } else if (join_type.preserves(Side::Left) || semi) && stays(Side::Left) {
        Some("r.ts <= l.ts + INTERVAL 1 HOUR")
    } else {
        None
    }
}

/// What the joins with tables must know about the join before them.
fn before(join_type: JoinType) -> Before {
    match join_type {
        JoinType::LeftOuter | JoinType::RightOuter | JoinType::FullOuter => Before::Outer,
        JoinType::LeftAnti => Before::Anti,
        JoinType::Inner | JoinType::Cross | JoinType::LeftSemi => Before::Matched,
    }
}

/// The join as the kernels take it, whose joined columns `needed` are needed.
///
/// # Errors
/// A usage failure for columns that do not exist.
fn kernel_spec(
    streams: &BoundStreams,
    sides: &Sides<PlannedSide>,
    needed: &Needed,
    proofs: &[Proof],
    mode: CastMode,
) -> Result<(stream_stream::Spec, JoinedRows)> {
    let (spec, join) = (&streams.spec, &streams.join);
    let column = |source: SideColumn| SideColumn {
        column: sides[source.side].needed.at(source.column),
        ..source
    };
    let mut output: Vec<OutputColumn<SideColumn>> = needed
        .positions()
        .map(|position| OutputColumn {
            source: column(join.sources[position]),
            name: join.output.columns[position].name.clone(),
        })
        .collect();
    let columns = output.len();
    let mut proving = Vec::with_capacity(proofs.len());
    for proof in proofs {
        let source = match *proof {
            Proof::Emitted(at) => {
                proving.push(at);
                continue;
            }
            Proof::Column(source) => column(source),
            Proof::True(of) => SideColumn { side: of, column: sides[of].true_column },
        };
        proving.push(output.len());
        output.push(OutputColumn { source, name: "matched".to_owned() });
    }
    let keys = join.keys.iter().zip(sides.left.keys.iter().zip(&sides.right.keys));
    let keys = keys.map(|(key, (&first, &second))| KeyPair {
        first,
        second,
        null_equality: key.null_equality,
    });
    let left_columns = streams.left_columns();
    let residual = join.residual.as_ref().map(|residual| {
        let columns = residual.columns().iter();
        let columns = columns.map(|&position| column(side_column(position, left_columns)));
        Filter { columns: columns.collect(), predicate: residual.to_predicate() }
    });
    let left = sides.left.input(join.filters.left.as_ref(), &join.not_null.left);
    let right = sides.right.input(join.filters.right.as_ref(), &join.not_null.right);
    let kernel = stream_stream::Spec::on(left, right, join.join_type, keys, join.time);
    let mut kernel = (kernel.map_err(Failure::usage)?)
        .with_policy(spec.watermark_policy)
        .with_no_data_batches(spec.no_data_batches)
        .with_output_mode(spec.output_mode)
        .with_cast_mode(mode);
    (kernel.residual, kernel.output) = (residual, output);
    Ok((kernel, JoinedRows { columns, proofs: proving }))
}
