//! A table without rows.

use std::time::{Duration, Instant};

use super::finished_run::FinishedRun;
use crate::plan::TableJoinPlan;
use crate::record::{Finding, Severity};
use crate::text::number::grouped;

/// Limits of counting the rows that `where` removed.
const MOST_ROWS: u64 = 10_000_000;
const MOST_TIME: Duration = Duration::from_secs(1);

pub(super) fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let joins = run.plan.joins().iter().zip(&run.evidence().joins).zip(&run.outcome.joins);
    let empty = joins.filter_map(|((join, evidence), &(matched, unmatched))| {
        let from = evidence.table.empty_from?;
        let always = evidence.table.most_rows == 0;
        let feed = &join.table.versions[evidence.table.last_version].feed;
        let title = match always {
            true => format!("The table of dimension `{}` is empty", join.name),
            false => format!("The table of dimension `{}` is sometimes empty", join.name),
        };
        let mut finding = Finding::new("empty-table", Severity::Problem, title)
            .about(&join.name)
            .with("emptyFromBatch", from)
            .with("mostRows", evidence.table.most_rows);
        if !always {
            finding = finding.saw(format!(
                "it had no rows from batch {from} on, and at most {} before",
                grouped(evidence.table.most_rows)
            ));
        }
        let removed = rows_read(join, evidence.table.last_version).filter(|rows| *rows > 0);
        let filter = join.kernel.table.rows.filter_text();
        finding = match (removed.filter(|_| always), filter) {
            (Some(rows), Some(filter)) => finding
                .saw(format!(
                    "{} has {} rows, and its `where` ({filter}) keeps none of them",
                    feed.describe(),
                    grouped(rows)
                ))
                .with("rowsRead", rows)
                .remedy(format!("correct or remove `where` under [[dimension]] `{}`", join.name)),
            _ => finding.saw(format!("{} has no rows", feed.describe())).remedy(format!(
                "point `table` of [[dimension]] `{}` to a file with rows",
                join.name
            )),
        };
        Some(finding.saw(format!(
            "{} rows reached the join, {} of them matched",
            grouped(matched + unmatched),
            grouped(matched)
        )))
    });
    empty.collect()
}

/// Rows of a version before `where`, as far as they were counted.
fn rows_read(join: &TableJoinPlan, version: usize) -> Option<u64> {
    let feed = join.table.reopen(version).ok()?;
    if let Some(rows) = feed.rows() {
        return Some(rows);
    }
    let start = Instant::now();
    let mut rows = 0;
    for batch in feed.read(&[0]).ok()? {
        rows += batch.ok()?.batch.num_rows() as u64;
        if rows >= MOST_ROWS || start.elapsed() > MOST_TIME {
            break;
        }
    }
    Some(rows)
}
