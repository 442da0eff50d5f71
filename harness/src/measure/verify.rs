//! Whether strategies agree.

use crate::error::{Failure, Result};
use crate::record::{Ended, RunRecord};

/// Whether the answers of two strategies must agree: they need not where time
/// ended the stream or cut it into batches.
pub fn comparable(a: &RunRecord, b: &RunRecord) -> bool {
    let ended_by_time = [a, b].iter().any(|run| run.summary.ended == Ended::Duration);
    a.summary.batch_borders == b.summary.batch_borders
        && (a.summary.rows_in == b.summary.rows_in || !ended_by_time)
}

/// Checks that every strategy emitted the same rows as the first, if both got the
/// same input.
///
/// # Errors
/// A wrong-result failure with the answer of each.
pub fn verify(runs: &[RunRecord]) -> Result<()> {
    let Some((first, others)) = runs.split_first() else { return Ok(()) };
    let answer = |run: &RunRecord| (run.summary.rows_out, run.summary.checksum.clone());
    if others.iter().all(|run| answer(run) == answer(first) || !comparable(first, run)) {
        return Ok(());
    }
    let answers: Vec<String> = runs
        .iter()
        .map(|run| {
            format!(
                "{}: {} rows, checksum {}",
                run.strategy,
                run.summary.rows_out,
                run.summary.checksum.as_deref().unwrap_or("none")
            )
        })
        .collect();
    Err(Failure::wrong_result(format!(
        "the strategies gave different rows, so at least one of them is wrong ({})",
        answers.join("; ")
    )))
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
