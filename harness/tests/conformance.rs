//! Every recorded case gives Spark's answer, or the right one where Spark's is
//! wrong.
//!
//! `data/` holds 284 stream-static and 426 stream-stream cases recorded from
//! Apache Spark 4.3.0 (PySpark, local mode, ANSI mode unless a case says
//! otherwise, session time zone UTC), one per line: the query, its input batch by
//! batch, and what Spark answered.

use streamjoin::conform::{self, Forms};
use streamjoin::plan::default_isa;

fn all_pass(expected: usize, kind: &str) {
    let mut cases = conform::shipped().expect("the shipped cases are readable");
    cases.retain(|case| case.kind() == kind);
    assert_eq!(cases.len(), expected);
    let results =
        conform::run(&cases, Forms::Usual(default_isa().expect("STREAMJOIN_ISA"))).unwrap();
    let failed: Vec<String> = results
        .iter()
        .filter(|result| !result.passed())
        .map(|result| format!("{}: {}", result.name, result.failures.join("\n")))
        .collect();
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn all_284_stream_static_cases_pass() {
    all_pass(284, "stream-static");
}

#[test]
fn all_426_stream_stream_cases_pass_over_every_store() {
    all_pass(426, "stream-stream");
}
