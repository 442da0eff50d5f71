//! `streamjoin conform`: recorded answers against ours.

use std::path::PathBuf;

use clap::Args;

use super::output::print;
use crate::conform::{self, Case, CaseResult, Forms};
use crate::error::{Failure, Result};
use crate::plan::default_isa;

/// Run recorded cases and compare every batch with Spark's answer
#[derive(Clone, Debug, Args)]
pub(super) struct ConformArgs {
    /// Case files, one JSON object per line (.jsonl or .jsonl.zst) [default: the shipped cases,
    /// recorded from Apache Spark 4.3.0]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Run every case through every index, layout, state store, instruction set and block size, on
    /// one to four threads, in other encodings, and again on enlarged tables and streams
    #[arg(long)]
    all: bool,

    /// Run only the cases whose name contains NAME
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,
}

/// Forms of one case that are shown when several fail.
const SHOWN_FORMS: usize = 1;

impl ConformArgs {
    pub(super) fn execute(self) -> Result<()> {
        let mut cases = Vec::new();
        if self.files.is_empty() {
            cases = conform::shipped()?;
        }
        for file in &self.files {
            cases.extend(conform::read(file)?);
        }
        if let Some(name) = &self.filter {
            select(&mut cases, name)?;
        }
        let forms = if self.all { Forms::All } else { Forms::Usual(default_isa()?) };
        let results = conform::run(&cases, forms)?;
        let failed = results.iter().filter(|result| !result.passed()).count();
        let text = summary(&results);
        print(&text)?;
        match failed {
            0 => Ok(()),
            failed => {
                Err(Failure::wrong_result(format!("{failed} of {} cases failed", results.len())))
            }
        }
    }
}

fn select(cases: &mut Vec<Case>, name: &str) -> Result<()> {
    let nearest = cases
        .iter()
        .map(Case::name)
        .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)))
        .unwrap_or_default()
        .to_owned();
    cases.retain(|case| case.name().contains(name));
    if cases.is_empty() {
        return Err(Failure::usage(format!(
            "no case name contains `{name}`; the nearest is `{nearest}`"
        )));
    }
    Ok(())
}

/// What failed and how, then `N passed, N failed`.
fn summary(results: &[CaseResult]) -> String {
    let mut text = String::new();
    for result in results.iter().filter(|result| !result.passed()) {
        text += &format!("FAILED {}\n", result.name);
        for failure in result.failures.iter().take(SHOWN_FORMS) {
            text += &format!("  {}\n", failure.trim());
        }
        let more = result.failures.len().saturating_sub(SHOWN_FORMS);
        if more > 0 {
            text += &format!("  and {more} other forms of this case\n");
        }
    }
    let failed = results.iter().filter(|result| !result.passed()).count();
    text + &format!("{} passed, {failed} failed\n", results.len() - failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(name: &str, failures: &[&str]) -> CaseResult {
        CaseResult {
            name: name.to_owned(),
            failures: failures.iter().map(|&failure| failure.to_owned()).collect(),
        }
    }

    #[test]
    fn the_summary_ends_with_the_counts() {
        let text = summary(&[result("a", &[]), result("b", &["[x]\n    missing", "[y]"])]);
        let expected =
            "FAILED b\n  [x]\n    missing\n  and 1 other forms of this case\n1 passed, 1 failed\n";
        assert_eq!(text, expected);
        assert_eq!(summary(&[result("a", &[])]), "1 passed, 0 failed\n");
    }

    #[test]
    fn a_filter_that_finds_nothing_names_the_nearest() {
        let mut cases = conform::shipped().unwrap();
        let error = select(&mut cases, "st_fanout_iner").unwrap_err();
        assert!(error.message.contains("st_fanout_inner"), "{error}");
    }
}
