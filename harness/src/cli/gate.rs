//! `gate`: the build fails on a wrong answer, a larger state or more work.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::baseline::{Folders, run};
use super::gate_table;
use super::output::Results;
use super::report_file::ReportFile;
use crate::error::{Failure, FailureKind, Result};
use crate::gate::compare::Verdict;
use crate::gate::input::{Asked, other_strategy};
use crate::gate::report::unmatched;
use crate::gate::{
    Baseline, BaselineFile, CaseReport, Change, Entry, GateReport, PassFigures, junit, measure,
};

/// Compare every strategy with a baseline, and fail if one became worse
///
/// Runs one pass over each recording per strategy. Answers, rows of state and counts of work must be
/// as they were, and bytes must stay within the band that the baseline states. Nothing is timed, so
/// a second run finds the same. Exit codes: 4 for a different answer; 3 for more state, bytes or
/// work; 5 if data, scenario or strategies differ from those of the baseline; 0 if nothing is worse.
#[derive(Debug, Args)]
pub(super) struct GateArgs {
    /// Name of the baseline, as `baseline save` made it
    name: String,

    #[command(flatten)]
    folders: Folders,

    /// Make the current figures the baseline, and keep the reason in its history
    #[arg(long, value_name = "REASON")]
    accept: Option<String>,

    /// Also write JUnit XML to FILE, one test case per strategy
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// How the comparison is printed
    #[arg(long, value_enum, default_value_t)]
    format: GateFormat,

    /// No progress bar
    #[arg(long, short)]
    quiet: bool,
}

/// How the comparison is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum GateFormat {
    /// One line per strategy, and tables of what differs
    #[default]
    Human,
    /// One JSON object
    Json,
    /// JSON lines: one per strategy when it is done, and one at the end
    Jsonl,
}

impl GateArgs {
    pub(super) fn execute(self) -> Result<()> {
        if self.accept.as_ref().is_some_and(|reason| reason.trim().is_empty()) {
            return Err(Failure::usage(
                "--accept takes a reason, such as \"keys are 16 bytes now\"",
            ));
        }
        let file = BaselineFile::new(&self.folders.baseline_dir, &self.name)?;
        let junit = self.junit.as_deref().map(ReportFile::junit).transpose()?;
        let mut results = Results::new(false);
        let mut cases = Vec::new();
        let mut during = self.name.clone();
        let ended = self.compare(&file, &mut results, &mut cases, &mut during);
        if let Err(failure) = &ended {
            // Nobody shall take the report of an earlier run for this one's.
            let message = failure.message.clone();
            let case = CaseReport::without(&during, "(all)", Verdict::Failed, message);
            if self.format == GateFormat::Jsonl {
                results.line(&gate_table::case_line(&case))?;
            }
            cases.push(case);
        }
        let report = GateReport::new(&self.name, cases);
        if let Some(junit) = junit {
            junit.write(&junit::xml(&report)?)?;
        }
        match self.format {
            GateFormat::Human if ended.is_err() => {}
            GateFormat::Human => results.line(&format!("{}: {}", self.name, report.totals()))?,
            GateFormat::Json => {
                results.line(&serde_json::to_string_pretty(&report).map_err(Failure::run)?)?;
            }
            GateFormat::Jsonl => results.line(&gate_table::summary_line(&report))?,
        }
        let (baseline, entries) = ended?;
        let Some(reason) = &self.accept else { return report.outcome() };
        let differing = report.cases.iter().filter(|case| case.verdict != Verdict::Same);
        let changed: Vec<String> = differing.map(CaseReport::change).collect();
        if entries == baseline.scenarios {
            super::output::complain("nothing differs: the baseline stays as it is");
            return Ok(());
        }
        let mut history = baseline.history;
        history.push(Change::now(reason.trim(), changed));
        file.write(&Baseline::new(baseline.bands, entries, history))?;
        super::output::complain(&format!("accepted: {}", file.path().display()));
        Ok(())
    }

    /// Compares every scenario of the baseline; `during` is the one that a
    /// failure is about. Gives the baseline, and what to accept.
    fn compare(
        &self,
        file: &BaselineFile,
        results: &mut Results,
        cases: &mut Vec<CaseReport>,
        during: &mut String,
    ) -> Result<(Baseline, Vec<Entry>)> {
        let baseline = file.read()?;
        // All of them first: what is missing or refused is reported before the first row.
        let data_dir = self.folders.data_dir.as_deref();
        let mut all = Vec::new();
        for entry in &baseline.scenarios {
            during.clone_from(&entry.scenario);
            all.push(Asked::reopen(entry, data_dir, file)?);
        }
        let mut entries = Vec::new();
        for (entry, asked) in baseline.scenarios.iter().zip(all) {
            during.clone_from(&entry.scenario);
            let (found, measured) = self.scenario(&baseline, entry, &asked)?;
            self.show(results, &found)?;
            cases.extend(found);
            if self.accept.is_some() {
                entries.push(measure::entry(asked, measured)?);
            }
        }
        Ok((baseline, entries))
    }

    /// Measures one scenario's strategies and compares them.
    fn scenario(
        &self,
        baseline: &Baseline,
        entry: &Entry,
        asked: &Asked,
    ) -> Result<(Vec<CaseReport>, Vec<PassFigures>)> {
        let other = asked.other_than(entry);
        let (mut cases, mut all) = (Vec::new(), Vec::new());
        for strategy in &asked.strategies {
            let name = &strategy.name;
            let known = entry.strategies.iter().find(|case| case.strategy == *name);
            let other = match (&other, known) {
                (None, Some(known)) => other_strategy(strategy, known)?,
                _ => other.clone(),
            };
            let without =
                |verdict, message| CaseReport::without(&entry.scenario, name, verdict, message);
            if self.accept.is_none() && (other.is_some() || known.is_none()) {
                cases.extend(other.map(|why| without(Verdict::Inconclusive, why)));
                continue;
            }
            let measured = match run(asked, strategy, self.quiet) {
                Ok(measured) => measured,
                // The others are still worth a look, unless there is nothing to accept.
                Err(failure)
                    if failure.kind != FailureKind::Interrupted && self.accept.is_none() =>
                {
                    cases.push(without(Verdict::Failed, failure.message));
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            cases.extend(match (known, other) {
                (_, Some(why)) => Some(without(Verdict::Inconclusive, why)),
                (Some(known), None) => Some(CaseReport::compared(
                    &entry.scenario,
                    name,
                    &known.figures,
                    &measured,
                    baseline.bands,
                )),
                (None, None) => None,
            });
            all.push(measured);
        }
        let names: Vec<&str> = asked.strategies.iter().map(|s| s.name.as_str()).collect();
        cases.extend(unmatched(entry, &names));
        Ok((cases, all))
    }

    fn show(&self, results: &mut Results, cases: &[CaseReport]) -> Result<()> {
        for case in cases {
            match self.format {
                GateFormat::Human => {
                    for line in gate_table::lines(case) {
                        results.line(&line)?;
                    }
                }
                GateFormat::Jsonl => results.line(&gate_table::case_line(case))?,
                GateFormat::Json => {}
            }
        }
        Ok(())
    }
}
