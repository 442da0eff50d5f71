//! A join of two streams as text: the interval, what each side's state waits
//! for, how large it will be.

use std::fmt::Write;

use streamjoin_kernels::time::TimeKey;
use streamjoin_kernels::{Side, Sides};

use super::condition::{Key, describe_filters, describe_keys};
use super::read::describe_read;
use super::replay::describe_merge;
use super::state::{expected, expiry};
use crate::error::Result;
use crate::plan::bind::{BoundStreamStream, BoundStreams};
use crate::plan::physical::StreamStreamPlan;
use crate::plan::strategy::Strategy;
use crate::scenario::Replay;
use crate::text::duration::exact;
use crate::text::number::grouped;

/// What the join asks for.
pub(super) fn describe(text: &mut String, replay: &Replay, streams: &BoundStreams) {
    describe_merge(text, replay, &streams.sides);
    let join = &streams.join;
    let Sides { left, right } = streams.sides.as_ref().map(|stream| &stream.relation.name);
    let _ = writeln!(text, "join of streams: {left} {} {right}", join.join_type);
    describe_condition(text, join);
    for (_, stream) in streams.sides.iter() {
        let watermark = match &stream.spec.watermark {
            Some(delay) => format!("greatest event time - {}", exact(delay.0)),
            None => "none, so none of its rows is ever late".to_owned(),
        };
        let _ = writeln!(text, "  watermark of {}: {watermark}", stream.relation.name);
    }
    let declared = streams.declared();
    if declared.left && declared.right {
        let policy = streams.spec.watermark_policy;
        let _ = writeln!(text, "  watermark W in force: the {policy} of both, from batch to batch");
    }
    for (side, stream) in streams.sides.iter() {
        let name = &stream.relation.name;
        let _ = writeln!(text, "  state of {name}: {}", expiry(streams, side));
    }
    for warning in &join.warnings {
        let _ = writeln!(text, "  warning: {warning}");
    }
}

fn describe_condition(text: &mut String, join: &BoundStreamStream) {
    let keys = join
        .keys
        .iter()
        .map(|key| Key { sides: [&key.left, &key.right], null_equality: key.null_equality });
    describe_keys(text, join.using.as_deref(), keys);
    let time = match join.time.key {
        Some(TimeKey::EventTime) => "equal".to_owned(),
        Some(TimeKey::Window { width }) => {
            format!("in the same window of {}", exact(width.as_micros()))
        }
        Some(_) => "a key".to_owned(),
        None if join.time.interval.is_unbounded() => "no condition".to_owned(),
        None => join.time.interval.to_string(),
    };
    let _ = writeln!(text, "  event time: {time}");
    let filters = [("left", &join.filters.left), ("right", &join.filters.right)];
    describe_filters(text, filters, join.residual.as_ref());
}

/// What is read and kept of both streams.
pub(super) fn describe_columns(text: &mut String, plan: &StreamStreamPlan) -> Result<()> {
    let join = plan.operator(&Strategy::auto()?, None)?;
    for side in Side::BOTH {
        describe_read(text, &plan.side(side).stream);
        let schema = plan.side(side).input.schema();
        let kept: Vec<&str> = join
            .kept_columns(side)
            .iter()
            .map(|&column| schema.field(column).name().as_str())
            .collect();
        let _ = writeln!(
            text,
            "kept in state of {}: keys, event time and {} column{} ({})",
            plan.side(side).stream.name,
            kept.len(),
            if kept.len() == 1 { "" } else { "s" },
            kept.join(", ")
        );
        let _ = writeln!(text, "  {}", expected(plan, side));
    }
    Ok(())
}

/// How a strategy stores the state.
pub(super) fn store(plan: &StreamStreamPlan, strategy: &Strategy) -> Result<String> {
    plan.operator(strategy, None)?;
    let limit = match (strategy.state_limit.rows, strategy.state_limit.bytes) {
        (Some(rows), _) => format!(", at most {} rows", grouped(rows)),
        (_, Some(bytes)) => format!(", at most {} bytes", grouped(bytes as u64)),
        _ => String::new(),
    };
    let parts = match strategy.threads.get() {
        1 => String::new(),
        threads => format!(", {threads} parts by the keys' hash, each joined by one thread"),
    };
    Ok(format!("{}{parts}{limit}", strategy.state))
}
