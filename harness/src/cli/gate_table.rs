//! A gate's comparison for people, and as JSON lines.

use serde::Serialize;
use serde_json::json;

use super::text_table::{or_dash, table};
use crate::gate::compare::Verdict;
use crate::gate::{CaseReport, Figure, GateReport};
use crate::text::number::grouped;

/// The lines of one strategy.
pub(super) fn lines(case: &CaseReport) -> Vec<String> {
    let verdict = case.verdict.text();
    let verdict = match case.verdict {
        // What the build fails of is to be seen among hundreds of lines.
        Verdict::Regression | Verdict::WrongAnswer | Verdict::Failed => verdict.to_uppercase(),
        Verdict::Same | Verdict::Better | Verdict::Inconclusive => verdict.to_owned(),
    };
    let mut lines = vec![format!("{} {}: {verdict}", case.scenario, case.strategy)];
    lines.extend(case.message.as_ref().map(|message| format!("  {message}")));
    if !case.differences.is_empty() {
        lines.push(differences(case));
    }
    if case.verdict == Verdict::Better {
        lines.push("  --accept \"why\" makes that the baseline".to_owned());
    }
    lines
}

fn differences(case: &CaseReport) -> String {
    let mut table = table(["figure", "old", "new", "change", "allowed", ""]);
    for difference in &case.differences {
        let percent = |share: f64| format!("{} %", (share * 1e4).round() / 1e2);
        let change = difference.percent();
        table.add_row([
            difference.figure.clone(),
            figure(&difference.old),
            figure(&difference.new),
            or_dash(change),
            if difference.band > 0.0 { percent(difference.band) } else { "-".to_owned() },
            difference.verdict.text().to_owned(),
        ]);
    }
    table.to_string()
}

fn figure(figure: &Figure) -> String {
    match figure {
        Figure::Count(count) => grouped(*count),
        Figure::None => "-".to_owned(),
        other => other.to_string(),
    }
}

/// A strategy as a JSON line: `event`, then its own fields, flat.
pub(super) fn case_line(case: &CaseReport) -> String {
    #[derive(Serialize)]
    struct Line<'a> {
        event: &'static str,
        #[serde(flatten)]
        case: &'a CaseReport,
    }
    // Plain structs of numbers and strings always serialise.
    serde_json::to_string(&Line { event: "case", case }).unwrap_or_else(|error| {
        json!({ "event": "error", "message": error.to_string() }).to_string()
    })
}

/// The last JSON line.
pub(super) fn summary_line(report: &GateReport) -> String {
    json!({
        "event": "summary",
        "baseline": report.baseline,
        "verdict": report.verdict,
        "cases": report.cases.len(),
        "same": report.count(Verdict::Same),
        "better": report.count(Verdict::Better),
        "inconclusive": report.count(Verdict::Inconclusive),
        "failed": report.count(Verdict::Failed),
        "regressions": report.count(Verdict::Regression),
        "wrongAnswers": report.count(Verdict::WrongAnswer),
    })
    .to_string()
}
