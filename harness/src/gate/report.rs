//! The report of a gate, for people and programs.

use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;

use super::baseline::{Bands, Entry};
use super::compare::{Difference, Verdict, compare, unwatched};
use super::figures::PassFigures;
use crate::error::{Failure, FailureKind, Result};

/// Version of the report's layout; grows when a field changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// A gate's report.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateReport {
    /// Version of the layout.
    pub schema_version: u32,
    /// Name of the baseline.
    pub baseline: String,
    /// The worst of the cases.
    pub verdict: Verdict,
    /// One case per strategy of a scenario.
    pub cases: Vec<CaseReport>,
}

/// One strategy of one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaseReport {
    /// As the baseline names it.
    pub scenario: String,
    /// The strategy's name.
    pub strategy: String,
    /// The verdict of the comparison.
    pub verdict: Verdict,
    /// A remark; null if there is none.
    pub message: Option<String>,
    /// Figures that are not as in the baseline, the worst first.
    pub differences: Vec<Difference>,
}

impl CaseReport {
    /// A case without a comparison.
    pub fn without(scenario: &str, strategy: &str, verdict: Verdict, message: String) -> Self {
        Self {
            scenario: scenario.to_owned(),
            strategy: strategy.to_owned(),
            verdict,
            message: Some(message),
            differences: Vec::new(),
        }
    }

    /// A case that was compared.
    pub fn compared(
        scenario: &str,
        strategy: &str,
        old: &PassFigures,
        new: &PassFigures,
        bands: Bands,
    ) -> Self {
        let differences = compare(old, new, bands);
        let verdict = differences.iter().map(|d| d.verdict).max().unwrap_or_default();
        let unwatched: Vec<String> = unwatched(old, new).into_iter().collect();
        let message = (!unwatched.is_empty())
            .then(|| format!("not compared, as the baseline is older: {}", unwatched.join(", ")));
        Self {
            scenario: scenario.to_owned(),
            strategy: strategy.to_owned(),
            verdict,
            message,
            differences,
        }
    }

    /// What changed, on one line.
    pub fn change(&self) -> String {
        let changes: Vec<String> = self
            .differences
            .iter()
            .map(|Difference { figure, old, new, .. }| format!("{figure} {old} -> {new}"))
            .chain(self.message.clone())
            .collect();
        format!("{} {}: {}", self.scenario, self.strategy, changes.join(", "))
    }
}

impl GateReport {
    /// The report over all cases.
    pub fn new(baseline: &str, cases: Vec<CaseReport>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            baseline: baseline.to_owned(),
            verdict: cases.iter().map(|case| case.verdict).max().unwrap_or_default(),
            cases,
        }
    }

    /// How many cases have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.verdict == verdict).count()
    }

    /// How many cases there are of each verdict, on one line.
    pub fn totals(&self) -> String {
        let verdicts = [
            Verdict::Same,
            Verdict::Better,
            Verdict::Inconclusive,
            Verdict::Failed,
            Verdict::Regression,
            Verdict::WrongAnswer,
        ];
        let counts = verdicts.into_iter().map(|verdict| (self.count(verdict), verdict.text()));
        let counts: Vec<String> =
            counts.filter(|(n, _)| *n > 0).map(|(n, text)| format!("{n} {text}")).collect();
        counts.join(", ")
    }

    /// The failure behind the exit code.
    ///
    /// # Errors
    /// Wrong answers, regressions, runs that failed, and cases without anything
    /// to compare with, the first of these that there is.
    pub fn outcome(&self) -> Result<()> {
        let accept =
            format!("if this is intended: streamjoin gate {} --accept \"why\"", self.baseline);
        let (kind, message) = match self.verdict {
            Verdict::Same | Verdict::Better => return Ok(()),
            Verdict::WrongAnswer => (FailureKind::WrongResult, "other answers than"),
            Verdict::Regression => (FailureKind::Regression, "worse than"),
            Verdict::Failed => {
                (FailureKind::Run, "a pass failed, so there is nothing to compare with")
            }
            Verdict::Inconclusive => (FailureKind::Inconclusive, "not comparable with"),
        };
        let mut message = format!(
            "{message} baseline `{}` in {} of {} cases",
            self.baseline,
            self.count(self.verdict),
            self.cases.len()
        );
        if self.verdict != Verdict::Failed {
            message += &format!("; {accept}");
        }
        Err(Failure::new(kind, message))
    }
}

/// Schema of what `gate --format json` prints.
pub fn gate_schema() -> Schema {
    schema_for!(GateReport)
}

/// Strategies that are on one side only.
pub fn unmatched(entry: &Entry, strategies: &[&str]) -> Vec<CaseReport> {
    let case = |strategy: &str, message: &str| {
        let message = message.to_owned();
        CaseReport::without(&entry.scenario, strategy, Verdict::Inconclusive, message)
    };
    let known = |name: &str| entry.strategies.iter().any(|case| case.strategy == name);
    let gone = entry.strategies.iter().filter(|case| !strategies.contains(&case.strategy.as_str()));
    let gone = gone.map(|gone| case(&gone.strategy, "the scenario no longer declares it"));
    let new = strategies.iter().filter(|name| !known(name));
    gone.chain(new.map(|name| case(name, "the baseline does not have it"))).collect()
}
