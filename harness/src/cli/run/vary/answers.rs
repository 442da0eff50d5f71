//! Whether combinations that must give the same rows do.

use super::run::{Run, text};
use crate::cli::run::axis::{Axis, Setting};
use crate::error::Result;
use crate::measure;
use crate::record::RunRecord;
use crate::scenario::{Refresh, Scenario};

/// Of each varied key, whether another value may give other rows.
pub(super) fn may_change(axes: &[Axis], scenario: &Scenario) -> Vec<bool> {
    let by_batch = depends_on_batches(scenario);
    axes.iter()
        .map(|axis| {
            let path = axis.path();
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            match path.as_slice() {
                ["strategies" | "description", ..]
                | ["dimension", _, "layout" | "index"]
                | ["output", "path" | "format"] => false,
                ["replay", "trigger" | "pace", ..] => by_batch,
                _ => true,
            }
        })
        .collect()
}

/// Whether the rows that come out depend on how the stream is cut: late rows of
/// two streams do, and the tables that a batch sees if they change.
fn depends_on_batches(scenario: &Scenario) -> bool {
    scenario.join.is_some()
        || scenario.tables.iter().any(|table| {
            let versions = table.versions.iter().flatten();
            table.refresh == Refresh::EveryBatch || versions.into_iter().any(|v| v.from.is_some())
        })
}

/// Checks that runs gave the same rows if nothing differs that may change them.
///
/// # Errors
/// A wrong-result failure that says who gave what.
pub(super) fn verify(runs: &[Run], may_change: &[bool]) -> Result<()> {
    let mut groups: Vec<(Vec<&Setting>, Vec<RunRecord>)> = Vec::new();
    for run in runs {
        let decisive: Vec<&Setting> =
            run.settings.iter().zip(may_change).filter(|(_, may)| **may).map(|(s, _)| s).collect();
        let record = RunRecord {
            strategy: format!("{} with {}", run.record.strategy, text(&run.settings)),
            summary: run.record.summary.clone(),
            progress: Vec::new(),
            warnings: Vec::new(),
            findings: Vec::new(),
        };
        match groups.iter_mut().find(|(known, _)| *known == decisive) {
            Some((_, group)) => group.push(record),
            None => groups.push((decisive, vec![record])),
        }
    }
    groups.iter().try_for_each(|(_, group)| measure::verify(group))
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
