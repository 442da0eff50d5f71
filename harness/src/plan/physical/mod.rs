//! From what was bound to what runs.

pub(in crate::plan) mod carry;
pub(in crate::plan) mod data_hash;
pub(in crate::plan) mod stream_stream;
pub(in crate::plan) mod table_join;
pub(in crate::plan) mod table_joins;
pub(in crate::plan) mod uses;

use streamjoin_kernels::JoinType;

use crate::error::{Failure, Result};
use crate::plan::bind::{replay_order, time_advice};
use crate::plan::explain::stream_stream as explain_streams;
use crate::plan::physical::table_joins::Before;
use crate::plan::{
    Bound, BoundStream, BoundStreams, BoundTable, Carried, EventTime, KernelJoin, Origin, Plan,
    Selection, Strategy, StreamPlan, StreamStaticPlan, StreamStreamPlan, TableJoinPlan, Timing,
    bind, cast_mode,
};
use crate::scenario::{JoinSpec, Merge, Scenario, Trigger};

/// Plans `scenario`; `limit` replaces the scenario's own.
///
/// # Errors
/// A run failure for files that are missing or cannot be read, a usage failure
/// for everything else that can be told before the first row.
pub fn plan(scenario: &Scenario, limit: Option<u64>) -> Result<Plan> {
    plan_bound(scenario, bind(scenario), limit)
}

/// As [`plan`], with all columns of the stream (of both, joined) carried up to
/// the last join, so that rows which find nothing can be written.
///
/// # Errors
/// As [`plan`]; a usage failure where no row can be said to have found nothing.
pub fn plan_carrying(scenario: &Scenario, limit: Option<u64>) -> Result<Plan> {
    let plan = plan_with(scenario, bind(scenario), limit, true)?;
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
pub fn plan_bound(scenario: &Scenario, bound: Bound, limit: Option<u64>) -> Result<Plan> {
    plan_with(scenario, bound, limit, false)
}

fn plan_with(scenario: &Scenario, bound: Bound, limit: Option<u64>, carry: bool) -> Result<Plan> {
    let Bound { stream, pair, joins, output, failure } = bound;
    if let Some(failure) = failure {
        return Err(failure);
    }
    for (joined, spec) in joins.iter().zip(&scenario.spec.dimension) {
        if let Some(refusal) = &joined.join.refusal {
            return Err(Failure::usage(refusal).at(scenario.place(&spec.get_ref().name)));
        }
    }
    let limit = limit.or(scenario.spec.replay.limit);
    match (stream, pair, output, &scenario.spec.join) {
        (Some(stream), _, Some(output), _) => {
            stream_static(scenario, stream, joins, &output, limit, carry)
        }
        (None, Some(pair), Some(output), Some(join)) => {
            stream_stream(scenario, join.get_ref(), &pair, joins, &output, limit, carry)
        }
        _ => Err(Failure::usage(format!("{}: nothing to run", scenario.text))),
    }
}

fn stream_static(
    scenario: &Scenario,
    stream: BoundStream,
    joins: Vec<BoundTable>,
    output: &Selection,
    limit: Option<u64>,
    carry: bool,
) -> Result<Plan> {
    let scope = &stream.relation.scope;
    let mode = cast_mode(scenario);
    let planned = table_joins::plan(scope, Before::Matched, &joins, output, mode, carry);
    let carried = carry.then(|| Carried::new(scope));
    let spec = scenario.spec.stream.0.first().map(|(_, spec)| spec);
    let watermark = spec.and_then(|spec| spec.watermark.as_ref()).map(|w| *w.get_ref());
    let trigger = trigger(scenario);
    let timing = Timing::of(scenario)?;
    let disorder = scenario.spec.replay.disorder.as_ref().map(|disorder| *disorder.get_ref());
    let uses_time = watermark.is_some()
        || disorder.is_some()
        || matches!(trigger, Trigger::EventTime(_))
        || joins.iter().any(|joined| joined.table.follows_time());
    let event_time = stream.event_time.as_ref().filter(|_| uses_time);
    let uses_arrival = disorder.is_some() || matches!(trigger, Trigger::Arrival(_));
    let arrival = stream.arrival.as_ref().filter(|_| uses_arrival);
    let also = event_time.iter().chain(&arrival).flat_map(|(origin, _)| origin.columns());
    let also = also.chain(stream.trigger_column.iter().flat_map(Origin::columns));
    let prepare = stream.relation.prepare(&planned.stream, also.copied());
    let event_time = match (event_time, spec.and_then(|spec| spec.event_time.as_ref())) {
        (Some((origin, data_type)), Some(time)) => Some(
            EventTime::new(time.get_ref(), origin.item(|c| prepare.read.at(c)), data_type)
                .map_err(|message| Failure::usage(message).at(scenario.place(time)))?,
        ),
        _ => None,
    };
    let arrival = arrival.map(|(origin, data_type)| {
        replay_order::arrival_time("arrival", origin.item(|c| prepare.read.at(c)), data_type)
    });
    let trigger_column =
        stream.trigger_column.as_ref().map(|origin| origin.item(|c| prepare.read.at(c)));
    let stream = StreamPlan {
        name: stream.relation.name,
        feed: stream.feed,
        prepare,
        event_time,
        arrival: arrival.transpose().map_err(Failure::usage)?,
        watermark,
        trigger,
        trigger_column,
        limit,
    };
    has_end(scenario, &stream, limit, &timing)?;
    let mut joins = join_plans(scenario, joins, planned.joins);
    let rows = stream.feed.rows().into_iter().chain(limit).chain(timing.rows()).min();
    for join in &mut joins {
        let versions = join.table.versions.len().max(1) as f64;
        join.probe_rows = rows.map(|rows| rows as f64 / versions);
    }
    let output = planned.output;
    let plan = StreamStaticPlan { stream, timing, disorder, repeat: false, joins, output, carried };
    Ok(Plan::StreamStatic(Box::new(plan)))
}

fn stream_stream(
    scenario: &Scenario,
    spec: &JoinSpec,
    pair: &BoundStreams,
    joins: Vec<BoundTable>,
    output: &Selection,
    limit: Option<u64>,
    carry: bool,
) -> Result<Plan> {
    let mode = cast_mode(scenario);
    let join = &pair.join;
    let before = stream_stream::before(join.join_type);
    let planned = table_joins::plan(&join.output, before, &joins, output, mode, carry);
    let needed = (&planned.stream, &planned.stream_without_filter);
    let movable = |column: usize| !join.join_type.extends_with_nulls(join.sources[column].side);
    let filter_only = uses::of_first(&join.output, &joins, output, needed, movable);
    let streams = stream_stream::plan(scenario, spec, pair, &planned.stream, planned.marked, mode)?;
    let timing = Timing::of(scenario)?;
    has_end(scenario, &streams.left.stream, limit, &timing)?;
    has_end(scenario, &streams.right.stream, limit, &timing)?;
    let replay = &scenario.spec.replay;
    let plan = StreamStreamPlan {
        place: join.place(&pair.left.relation.name, &pair.right.relation.name),
        left: streams.left,
        right: streams.right,
        spec: streams.spec,
        on: join.keys.iter().map(|key| (key.left.to_string(), key.right.to_string())).collect(),
        joined: streams.joined,
        merge: replay.merge.as_ref().map_or(Merge::default(), |merge| *merge.get_ref()),
        disorder: replay.disorder.as_ref().map(|disorder| *disorder.get_ref()),
        trigger: trigger(scenario),
        timing,
        limit,
        end: replay.end.unwrap_or_default(),
        joins: join_plans(scenario, joins, planned.joins),
        output: planned.output,
        carried: carry.then(|| Carried::new(&join.output)),
        filter_only: filter_only.filter(|_| !carry),
        warnings: join.warnings.clone(),
        unbounded: explain_streams::unbounded(scenario, pair),
    };
    // The kernels' refusals belong before the first row.
    let refused = |mut failure: Failure| {
        if join.time.key.is_none()
            && join.time.interval.is_unbounded()
            && let Some(advice) = time_advice::advice(scenario, [&pair.left, &pair.right])
        {
            failure.message = format!("{}; {advice}", failure.message);
        }
        failure.at(scenario.place(&spec.left))
    };
    plan.operator(&Strategy::auto()?, None).map_err(refused)?;
    Ok(Plan::StreamStream(Box::new(plan)))
}

fn trigger(scenario: &Scenario) -> Trigger {
    let trigger = scenario.spec.replay.trigger.as_ref();
    trigger.map_or_else(Trigger::default, |trigger| trigger.get_ref().clone())
}

fn join_plans(
    scenario: &Scenario,
    joins: Vec<BoundTable>,
    kernels: Vec<KernelJoin>,
) -> Vec<TableJoinPlan> {
    let joins = joins.into_iter().zip(kernels).zip(&scenario.spec.dimension);
    let joins = joins.map(|((joined, kernel), spec)| TableJoinPlan {
        on: joined
            .join
            .keys
            .iter()
            .map(|k| (k.stream.to_string(), k.dimension.to_string()))
            .collect(),
        place: joined.join.place(&joined.relation.name),
        name: joined.relation.name,
        table: joined.table,
        kernel,
        layout: spec.get_ref().layout.as_ref().map(|layout| *layout.get_ref()),
        index: spec.get_ref().index.as_ref().map(|index| *index.get_ref()),
        probe_rows: None,
    });
    joins.collect()
}

/// Refuses to read a stream without end.
fn has_end(
    scenario: &Scenario,
    stream: &StreamPlan,
    limit: Option<u64>,
    timing: &Timing,
) -> Result<()> {
    if stream.feed.is_endless() && limit.is_none() && timing.duration.is_none() {
        return Err(Failure::usage(format!(
            "[stream.{}] generates rows without end: give `[replay] limit` or `duration`, or --limit or --duration",
            stream.name
        ))
        .at(&scenario.text));
    }
    let once = matches!(trigger(scenario), Trigger::Once);
    if stream.feed.is_endless() && limit.is_none() && timing.rows().is_none() && once {
        return Err(Failure::usage(format!(
            "[stream.{}] generates rows without end, and with the trigger `once` no batch would end: cut it by {{ rows = N }}, or give a limit",
            stream.name
        ))
        .at(&scenario.text));
    }
    Ok(())
}
