//! Findings for people.

use crate::record::Finding;

/// The lines that follow the tables, for runs by name. A finding that was printed
/// as a warning before is left out.
pub(super) fn lines(runs: &[(String, &[Finding])]) -> Vec<String> {
    let mut told: Vec<(&Finding, Vec<&str>)> = Vec::new();
    for (run, findings) in runs {
        for finding in findings.iter().filter(|finding| !finding.warned) {
            let same = |(other, _): &&mut (&Finding, Vec<&str>)| {
                (&other.id, &other.about, &other.title)
                    == (&finding.id, &finding.about, &finding.title)
            };
            match told.iter_mut().find(same) {
                Some((_, names)) => names.push(run),
                None => told.push((finding, vec![run])),
            }
        }
    }
    let mut lines = Vec::new();
    if !told.is_empty() {
        lines.push("findings".to_owned());
    }
    for (finding, names) in told {
        let of = match names.len() == runs.len() {
            true => String::new(),
            false => format!(" ({})", names.join(", ")),
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
    use crate::record::Severity;

    fn finding(id: &str) -> Finding {
        Finding::new(id, Severity::Problem, "Something".to_owned()).saw("a thing").remedy("do it")
    }

    #[test]
    fn what_all_strategies_found_is_told_once() {
        let name = |name: &str| name.to_owned();
        assert!(lines(&[(name("a"), &[]), (name("b"), &[])]).is_empty());
        let warned = Finding { warned: true, ..finding("w") };
        let (a, b) = ([finding("x"), warned], [finding("x"), finding("y")]);
        assert_eq!(
            lines(&[(name("a"), &a), (name("b"), &b)]),
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
