//! Strategies that agree and that do not.

use super::*;
use crate::error::FailureKind;
use crate::record::Summary;

fn run(strategy: &str, rows_out: u64, checksum: &str) -> RunRecord {
    RunRecord {
        strategy: strategy.to_owned(),
        summary: Summary { rows_out, checksum: Some(checksum.to_owned()), ..Summary::default() },
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
