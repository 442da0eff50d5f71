//! What a run shows in addition to its numbers: each finding has evidence and a
//! remedy.
//!
//! `RULES` is the registry: a new finding is one line there and one file here.
//! Rules look at the plan and at what the first pass observed. A second look at the
//! data takes bounded time and memory, and is not part of any measurement.

mod empty_table;
mod event_time_unit;
mod falling_behind;
mod few_keys_matched;
mod finished_run;
mod key_search;
mod large_broadcast;
mod late_rows;
mod no_rows_out;
mod outer_rows_held;
mod state_growing;
mod unused_columns;
mod watermark_stuck;

#[cfg(test)]
mod tests;

use crate::record::Finding;
pub use finished_run::FinishedRun;

type Rule = fn(&FinishedRun<'_>) -> Vec<Finding>;

/// Every rule, in the order in which findings are reported.
const RULES: [Rule; 11] = [
    no_rows_out::find,
    empty_table::find,
    few_keys_matched::find,
    event_time_unit::find,
    watermark_stuck::find,
    outer_rows_held::find,
    late_rows::find,
    state_growing::find,
    falling_behind::find,
    large_broadcast::find,
    unused_columns::find,
];

/// All findings, the most severe first.
pub fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(run)).collect();
    findings.sort_by_key(|finding| finding.severity);
    findings
}
