//! JUnit XML, which build servers show: one test suite per scenario, one test
//! case per strategy.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::compare::{Difference, Verdict};
use super::report::{CaseReport, GateReport};
use crate::error::{Failure, Result};

/// The report as JUnit XML, without times.
///
/// # Errors
/// A run failure if it cannot be made.
pub fn xml(report: &GateReport) -> Result<String> {
    let mut junit = Report::new(format!("streamjoin gate {}", report.baseline));
    for cases in report.cases.chunk_by(|a, b| a.scenario == b.scenario) {
        let mut suite = TestSuite::new(cases[0].scenario.clone());
        suite.add_test_cases(cases.iter().map(test_case));
        junit.add_test_suite(suite);
    }
    junit.to_string().map_err(Failure::run)
}

fn test_case(case: &CaseReport) -> TestCase {
    let kind = match case.verdict {
        Verdict::Same | Verdict::Better => None,
        // It says nothing about the code.
        Verdict::Inconclusive | Verdict::Failed => Some(NonSuccessKind::Error),
        Verdict::Regression | Verdict::WrongAnswer => Some(NonSuccessKind::Failure),
    };
    let lines: Vec<String> =
        case.differences.iter().map(line).chain(case.message.clone()).collect();
    let mut status = kind.map_or_else(TestCaseStatus::success, TestCaseStatus::non_success);
    if kind.is_some() {
        status.set_type(case.verdict.text());
        status.set_message(lines.first().map_or("", String::as_str));
        status.set_description(lines.join("\n"));
    }
    let mut test = TestCase::new(case.strategy.clone(), status);
    test.set_classname(case.scenario.clone());
    if kind.is_none() && !lines.is_empty() {
        test.set_system_out(lines.join("\n"));
    }
    test
}

/// A difference on one line.
fn line(difference: &Difference) -> String {
    let Difference { figure, old, new, verdict, .. } = difference;
    let change = difference.percent().map_or(String::new(), |change| {
        format!(" ({change}, allowed {} %)", difference.band * 100.0)
    });
    format!("{}: {figure} was {old} and is {new}{change}", verdict.text())
}
