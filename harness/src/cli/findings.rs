//! Findings for people.

use crate::record::{Finding, RunRecord};

/// The lines that follow the tables; none without a finding that was not told
/// as a warning before.
pub(super) fn lines(runs: &[RunRecord]) -> Vec<String> {
    let mut told: Vec<(&Finding, Vec<&str>)> = Vec::new();
    for run in runs {
        for finding in run.findings.iter().filter(|finding| !finding.warned) {
            let same = |(other, _): &&mut (&Finding, Vec<&str>)| {
                (&other.id, &other.about, &other.title)
                    == (&finding.id, &finding.about, &finding.title)
            };
            match told.iter_mut().find(same) {
                Some((_, strategies)) => strategies.push(&run.strategy),
                None => told.push((finding, vec![&run.strategy])),
            }
        }
    }
    let mut lines = Vec::new();
    if !told.is_empty() {
        lines.push("findings".to_owned());
    }
    for (finding, strategies) in told {
        let of = match strategies.len() == runs.len() {
            true => String::new(),
            false => format!(" ({})", strategies.join(", ")),
        };
        lines.push(format!("  {} {}{of}: {}", finding.severity, finding.id, finding.title));
        lines.extend(finding.evidence.iter().map(|sentence| format!("    - {sentence}")));
        lines.push(format!("    remedy: {}", finding.remedy));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Severity, Summary};

    fn run(strategy: &str, findings: Vec<Finding>) -> RunRecord {
        RunRecord {
            strategy: strategy.to_owned(),
            summary: Summary::default(),
            progress: Vec::new(),
            warnings: Vec::new(),
            findings,
        }
    }

    fn finding(id: &str) -> Finding {
        Finding::new(id, Severity::Problem, "Something".to_owned()).saw("a thing").remedy("do it")
    }

    #[test]
    fn what_all_strategies_found_is_told_once() {
        assert!(lines(&[run("a", vec![]), run("b", vec![])]).is_empty());
        let warned = Finding { warned: true, ..finding("w") };
        let runs =
            [run("a", vec![finding("x"), warned]), run("b", vec![finding("x"), finding("y")])];
        assert_eq!(
            lines(&runs),
            [
                "findings",
                "  problem x: Something",
                "    - a thing",
                "    remedy: do it",
                "  problem y (b): Something",
                "    - a thing",
                "    remedy: do it",
            ]
        );
    }
}
