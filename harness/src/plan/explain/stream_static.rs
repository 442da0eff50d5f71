//! A join with a table as text.

use std::fmt::Write;

use streamjoin_kernels::Side;

use super::condition::{Key, describe_filters, describe_keys};
use crate::error::Result;
use crate::plan::bind::{BoundStreamStatic, BoundTable};
use crate::plan::physical::TableJoinPlan;
use crate::plan::strategy::Strategy;
use crate::scenario::{Refresh, Swap, VersionStart};
use crate::text::number::grouped;

/// What join `ordinal` asks for.
pub(super) fn describe(text: &mut String, ordinal: usize, bound: &BoundTable) {
    let BoundTable { table, relation, join, .. } = bound;
    let (left, right) = match join.stream_side {
        Side::Left => ("stream", relation.name.as_str()),
        Side::Right => (relation.name.as_str(), "stream"),
    };
    let _ = writeln!(text, "join {ordinal}: {left} {} {right}", join.join_type);
    for version in &table.versions {
        let from = match version.from {
            None => String::new(),
            Some(VersionStart::Batch(batch)) => format!("from batch {batch} on: "),
            Some(VersionStart::Time(time)) => {
                format!("from {} on: ", crate::text::instant::iso_millis(time))
            }
        };
        let rows = version.feed.rows();
        let rows = rows.map_or(String::new(), |rows| format!(", {} rows", grouped(rows)));
        let _ = writeln!(text, "  table: {from}{}{rows}", version.feed.describe());
    }
    let refresh = match table.refresh {
        Refresh::Once => "read and built once, before the first batch",
        Refresh::EveryBatch => "checked before each batch, built again when it has changed",
    };
    let _ = writeln!(text, "  refresh: {refresh}");
    if let Some(filter) = &relation.filter {
        let _ = writeln!(text, "  where: {filter}");
    }
    describe_condition(text, join);
    if let Some(refusal) = &join.refusal {
        let _ = writeln!(text, "  refused: {refusal}");
    }
}

fn describe_condition(text: &mut String, join: &BoundStreamStatic) {
    let keys = join
        .keys
        .iter()
        .map(|key| Key { sides: [&key.stream, &key.table], null_equality: key.null_equality });
    describe_keys(text, join.using.as_deref(), keys);
    if join.keys.is_empty() {
        let _ = writeln!(text, "  no equality: every stream row meets every table row");
    }
    let filters = [("stream", &join.stream_filter), ("table", &join.table_filter)];
    let residual = join.residual.as_ref().map(|residual| &residual.predicate);
    describe_filters(text, filters, residual);
}

/// What `strategy` chooses for a join, and why.
pub(super) fn choice(join: &TableJoinPlan, strategy: &Strategy) -> String {
    let resolved = join.resolve(strategy);
    let has_index = resolved.layout.has_index() && join.has_keys();
    match swap(strategy).filter(|_| has_index) {
        Some(swap) => format!("{resolved} ({})\n  {swap}", resolved.why),
        None => format!("{resolved} ({})", resolved.why),
    }
}

/// When the index is there, if not at once.
fn swap(strategy: &Strategy) -> Option<String> {
    let first = "the index that costs least to build serves";
    match (strategy.swap, strategy.threads.get()) {
        (Swap::Now, _) => None,
        (Swap::Never, _) => Some(format!("swap never: {first} throughout")),
        (Swap::Background, 1) => Some(format!(
            "swap background: {first} the first batch; with one thread the other one is built after it"
        )),
        (Swap::Background, _) => {
            Some(format!("swap background: {first} until the other one is built on another thread"))
        }
    }
}

/// What the cost model says, for the largest version of the table.
///
/// # Errors
/// As the kernels refuse.
pub(super) fn costs(join: &TableJoinPlan, strategy: &Strategy) -> Result<Option<String>> {
    let operator = join.operator(strategy, None)?;
    let Some(rows) = join.expected_rows() else { return Ok(None) };
    let estimates = operator.estimates(usize::try_from(rows).unwrap_or(usize::MAX));
    if estimates.is_empty() {
        return Ok(None);
    }
    let mut text = format!(
        "by cost, for {} rows if their keys are distinct and far apart (all in ns):",
        grouped(rows)
    );
    for estimate in estimates {
        let _ = write!(
            text,
            "\n  {}: {:.1} per row to build, {:.1} per row to probe, {} in all",
            estimate.candidate,
            estimate.build_ns,
            estimate.probe_ns,
            grouped(estimate.total_ns.round() as u64)
        );
    }
    Ok(Some(text))
}
