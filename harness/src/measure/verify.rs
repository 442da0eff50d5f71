//! Strategies against each other.

use crate::error::{Failure, Result};
use crate::record::RunRecord;

/// Checks that every strategy gave the same rows as the first.
///
/// # Errors
/// A wrong-result failure that says who gave what.
pub fn verify(runs: &[RunRecord]) -> Result<()> {
    let Some((first, others)) = runs.split_first() else { return Ok(()) };
    let answer = |run: &RunRecord| (run.summary.rows_out, run.summary.checksum.clone());
    if others.iter().all(|run| answer(run) == answer(first)) {
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
mod tests {
    use super::*;
    use crate::error::FailureKind;
    use crate::record::Summary;

    fn run(strategy: &str, rows_out: u64, checksum: &str) -> RunRecord {
        RunRecord {
            strategy: strategy.to_owned(),
            summary: Summary {
                rows_out,
                checksum: Some(checksum.to_owned()),
                ..Summary::default()
            },
            progress: Vec::new(),
            warnings: Vec::new(),
            findings: Vec::new(),
        }
    }

    #[test]
    fn rows_and_checksums_must_agree() {
        assert!(verify(&[]).is_ok());
        assert!(verify(&[run("a", 1, "x"), run("b", 1, "x")]).is_ok());
        for other in [run("b", 2, "x"), run("b", 1, "y")] {
            let failure = verify(&[run("a", 1, "x"), other]).unwrap_err();
            assert_eq!(failure.kind, FailureKind::WrongResult);
            assert!(failure.message.contains("a: 1 rows") && failure.message.contains("b: "));
        }
    }
}
