//! `run`: a scenario through its strategies.

mod args;
mod axis;
mod described;
mod find_rate;
mod format;
mod own_process;
mod reporter;
mod summary_csv;
mod summary_table;
mod vary;

use super::csv_file::CsvFile;
use super::findings_text;
use super::output::{Results, allocator};
use super::output_paths;
use super::preflight::{sink, warn};
use super::report_file::ReportFile;
use super::unmatched::Unmatched;
use crate::error::{Failure, Result};
use crate::interrupt;
use crate::measure::{Measured, Outputs, measure_with, verify};
use crate::plan::{plan, strategies};
use crate::record::{Environment, Line, Report, SCHEMA_VERSION};
use crate::replay::ready;
use crate::sink::SinkSpec;
pub(super) use args::RunArgs;
use described::described;
use find_rate::Printing;
use format::Format;
use own_process::{Files, measure_in_own_process};
use reporter::Reporter;
use summary_csv::csv;

impl RunArgs {
    pub(super) fn execute(self) -> Result<()> {
        let scenario = self.scenario()?;
        if !self.vary.is_empty() {
            return vary::execute(&self, &scenario);
        }
        let plan = plan(&scenario, self.strategies.limit)?;
        let strategies = strategies(&scenario, &self.strategies.strategy, self.strategies.threads)?;
        // A search for a rate keeps no rows, so that no file stands in its way.
        let force = self.force || self.find_rate.find_rate;
        let sink = sink(&scenario, self.output.as_deref(), self.output_format.as_deref(), force)?;
        ready(&plan, &strategies, &sink)?;
        let mut warned = warn(&plan, &strategies, &|_| true);
        let unmatched = self
            .unmatched
            .as_deref()
            .map(|path| Unmatched::new(&scenario, self.strategies.limit, path, self.force));
        let unmatched = unmatched.transpose()?;
        output_paths::check(&scenario, &plan, &sink, &self.written())?;
        let report_file = self.report.as_deref();
        let report_file =
            report_file.map(|path| ReportFile::create(path, self.force)).transpose()?;
        let csv_file =
            self.csv.as_deref().map(|path| CsvFile::create(path, self.force)).transpose()?;
        if let Some(limit) = self.timeout {
            interrupt::stop_after(limit.as_duration())?;
        }
        if self.find_rate.find_rate {
            let printing = Printing { format: self.format, quiet: self.quiet, report: report_file };
            let limit = self.strategies.limit;
            return self.find_rate.execute(&scenario, plan, &strategies, &sink, limit, printing);
        }
        let mut results = Results::new(sink.uses_stdout());
        let mut runs = Vec::new();
        let mut cut_short = None;
        let least = self.measure_for.as_duration();
        for (position, strategy) in strategies.iter().enumerate() {
            let mut reporter =
                Reporter::new(&strategy.name, plan.rows(), self.quiet, &mut results, &mut warned);
            reporter.keeps = self.report.is_some() || self.format == Format::Json;
            reporter.prints = self.format == Format::Jsonl;
            // With several strategies the rows of the first one are written.
            let sink = if position == 0 { sink.clone() } else { SinkSpec::None };
            let measured = if strategies.len() == 1 || sink.uses_stdout() {
                let unmatched = unmatched.as_ref().filter(|_| position == 0).map(Unmatched::to);
                let outputs = Outputs { sink: &sink, unmatched, apart: strategies.len() > 1 };
                measure_with(&plan, strategy, outputs, least, &mut reporter)
            } else {
                let unmatched = self.unmatched.as_deref().filter(|_| position == 0);
                let files = Files { sink: &sink, unmatched, force: self.force };
                measure_in_own_process(&scenario, strategy, files, &self, &mut reporter)
            };
            let Measured { summary, cut_short: cut, findings } =
                measured.map_err(|failure| match strategies.len() {
                    1 => failure,
                    _ => failure.at(format!("strategy `{}`", strategy.name)),
                })?;
            let record = reporter.record(summary, findings);
            if self.format == Format::Jsonl {
                for finding in &record.findings {
                    let line = Line::Finding { strategy: &record.strategy, finding };
                    results.line(&line.json())?;
                }
                results.line(
                    &Line::Summary { strategy: &record.strategy, summary: &record.summary }.json(),
                )?;
            }
            runs.push(record);
            if cut.is_some() {
                cut_short = cut;
                break;
            }
        }
        // What was cut short differs from the others for no fault of its own.
        let verified = match cut_short {
            None => verify(&runs),
            Some(failure) => Err(failure),
        };
        let isa = strategies.first().map_or("none", |strategy| strategy.isa.name());
        let report = Report {
            schema_version: SCHEMA_VERSION,
            scenario: described(&scenario, self.strategies.limit),
            environment: Environment::detect(isa, allocator(), plan.data_hash()),
            runs,
        };
        let json = |report: &Report| serde_json::to_string_pretty(report).map_err(Failure::run);
        let lines = |report: &Report| {
            csv(&[], &report.runs.iter().map(|run| (Vec::new(), run)).collect::<Vec<_>>())
        };
        match self.format {
            Format::Human => {
                for line in summary_table::lines(&scenario, &report, verified.is_ok()) {
                    results.line(&line)?;
                }
                let found = report.runs.iter();
                let found = found.map(|run| (run.strategy.clone(), run.findings.as_slice()));
                for line in findings_text::lines(&found.collect::<Vec<_>>()) {
                    results.line(&line)?;
                }
            }
            Format::Json => results.line(&json(&report)?)?,
            Format::Jsonl => {}
            Format::Csv => results.line(lines(&report)?.trim_end())?,
        }
        if let Some(file) = csv_file {
            file.write(&lines(&report)?)?;
        }
        if let Some(file) = report_file {
            file.write(&json(&report)?)?;
        }
        verified
    }
}
