//! Rows without a match that wait for a stream which sends nothing more.

use super::few_keys_matched::name_of;
use super::finished_run::FinishedRun;
use super::watermark_stuck::why;
use crate::plan::Plan;
use crate::record::{Finding, Severity};
use crate::text::instant::iso_millis;
use crate::text::number::grouped;

/// Rows of the last moments wait in every run: fewer batches of silence than
/// these are none.
const SILENT_BATCHES: u64 = 3;

pub(super) fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let (Plan::StreamStream(plan), Some(pair)) = (run.plan, &run.evidence().stream_stream) else {
        return Vec::new();
    };
    let Some(held) = pair.held else { return Vec::new() };
    let silent = &pair.sides[held.by as usize];
    let long = silent.batches_since_time >= SILENT_BATCHES
        && silent.batches_since_time * 5 >= pair.batches
        || silent.times.is_none();
    if !long {
        return Vec::new();
    }
    let name = name_of(plan, held.by);
    let title = format!(
        "{} rows without a match were held back by `{name}`, which sent nothing more",
        grouped(held.rows)
    );
    let finding = Finding::new("outer-rows-held", Severity::Warning, title)
        .about(name)
        .saw(format!(
            "the oldest of them is from {}; they were emitted only with the last batch, and in an endless stream would wait forever",
            iso_millis(held.since)
        ))
        .with("rows", held.rows)
        .with("since", iso_millis(held.since))
        .with("batchesSilent", silent.batches_since_time);
    vec![why(plan, pair, held.by, finding)]
}
