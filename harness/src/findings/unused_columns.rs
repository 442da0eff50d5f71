//! Columns that tables and state hold though the output does not need them.

use super::finished_run::FinishedRun;
use crate::plan::{FilterOnly, Plan};
use crate::record::{Finding, Severity};
use crate::text::bytes;
use crate::text::number::grouped;

const ID: &str = "unused-columns";

pub(super) fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (join, evidence) in run.plan.joins().iter().zip(&run.evidence().joins) {
        let rows = evidence.table.most_rows;
        if rows == 0 {
            continue;
        }
        let uses = &join.kernel.uses;
        if uses.gives_nothing {
            let effect = match evidence.table.unique {
                true => "each row is emitted once, unchanged",
                false => "rows are emitted once per match, unchanged",
            };
            let title = format!(
                "Dimension `{}` is joined, but none of its columns is in the output",
                join.name
            );
            findings.push(
                Finding::new(ID, Severity::Note, title)
                    .about(&join.name)
                    .saw(format!("{} join with {} rows: {effect}", join.kernel.spec.join_type, grouped(rows)))
                    .with("rows", rows)
                    .with("tableBytes", run.outcome.table_bytes)
                    .remedy(format!(
                        "select a column of `{0}` in [output], or remove [[dimension]] `{0}`; to keep only rows with a match, set type = \"semi\"",
                        join.name
                    )),
            );
        }
        if let Some(only) = &uses.filter_only {
            let place = format!("[[dimension]] `{}`", join.name);
            findings.push(filter_only(only, "table", rows, &place).about(&join.name));
        }
    }
    if let (Plan::StreamStream(plan), Some(state)) = (run.plan, run.outcome.state)
        && let Some(only) = &plan.filter_only
        && state.rows.peak > 0
    {
        findings.push(filter_only(only, "state", state.rows.peak, "the stream that they are of"));
    }
    findings
}

fn filter_only(only: &FilterOnly, held_in: &str, rows: u64, place: &str) -> Finding {
    let names = only.columns.join(", ");
    let size = rows.saturating_mul(only.row_bytes);
    let title =
        format!("The {held_in} holds columns that only the `where` of [output] needs: {names}");
    Finding::new(ID, Severity::Note, title)
        .saw(format!(
            "about {} bytes per row, {} for {} rows; the rows are joined first and then removed",
            only.row_bytes,
            bytes::decimal(size),
            grouped(rows)
        ))
        .with("columns", only.columns.clone())
        .with("rows", rows)
        .with("bytes", size)
        .remedy(format!(
            "move the condition ({}) from [output] to `where` under {place}: the output stays the same",
            only.condition
        ))
}
