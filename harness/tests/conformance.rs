//! Every recorded stream-static case gives Spark's answer.
//!
//! `data/stream-static.jsonl.zst` holds 284 cases recorded from Apache Spark
//! 4.3.0 (PySpark, local mode, ANSI mode unless a case says otherwise, session
//! time zone UTC), one a line: the query, its input batch by batch, and what
//! Spark answered.

use streamjoin::conform::{self, Forms};
use streamjoin::plan::default_isa;

#[test]
fn all_284_stream_static_cases_pass() {
    let cases = conform::shipped().expect("the shipped cases are readable");
    assert_eq!(cases.len(), 284);
    let verdicts = conform::run(&cases, Forms::Usual(default_isa().expect("STREAMJOIN_ISA")));
    let failed: Vec<String> = verdicts
        .iter()
        .filter(|verdict| !verdict.passed())
        .map(|verdict| format!("{}: {}", verdict.name, verdict.failures.join("\n")))
        .collect();
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
}
