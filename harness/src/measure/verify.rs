//! Strategies against each other.

use crate::error::{Failure, Result};
use crate::record::{Ended, RunRecord};

/// Whether two strategies were given the same rows in the same batches, or such
/// that their answers must agree: they need not where time ended or cut the
/// stream.
#[must_use]
pub fn comparable(a: &RunRecord, b: &RunRecord) -> bool {
    let ended_by_time = [a, b].iter().any(|run| run.summary.ended == Ended::Duration);
    a.summary.batch_borders == b.summary.batch_borders
        && (a.summary.rows_in == b.summary.rows_in || !ended_by_time)
}

/// Checks that every strategy gave the same rows as the first, if it was given
/// the same.
///
/// # Errors
/// A wrong-result failure that says who gave what.
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
    fn only_what_was_given_the_same_must_agree() {
        let mut other = run("b", 2, "y");
        other.summary.rows_in = 7;
        assert!(verify(&[run("a", 1, "x"), other.clone()]).is_err(), "rows were lost");
        other.summary.ended = Ended::Duration;
        assert!(verify(&[run("a", 1, "x"), other.clone()]).is_ok());
        other.summary.rows_in = 0;
        assert!(verify(&[run("a", 1, "x"), other.clone()]).is_err());
        other.summary.batch_borders = Some("0".to_owned());
        assert!(verify(&[run("a", 1, "x"), other]).is_ok());
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
