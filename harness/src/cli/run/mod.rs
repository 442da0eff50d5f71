//! `run`: a scenario through its strategies.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

mod csv;
mod find_rate;
mod reporter;
mod unmatched;
mod vary;

use super::findings;
use super::measure_one::{Job, MEASURE_FOR};
use super::options::{ScenarioArgs, StrategyArgs, positive};
use super::output::{Results, allocator, complain};
use super::table;
use super::written::{self, ReportFile};
use crate::error::{Failure, Result};
use crate::interrupt;
use crate::measure::{Measured, Outputs, Worker, measure_with, verify};
use crate::plan::{Plan, Strategy, plan, strategies};
use crate::record::{Environment, Line, Report, SCHEMA_VERSION};
use crate::scenario::{self, Located, Scenario};
use crate::sink::SinkSpec;
use crate::text::duration::Micros;
use csv::{CsvFile, csv};
use find_rate::{FindRateArgs, Printing};
use reporter::Reporter;
pub(super) use unmatched::Unmatched;

/// Replay a scenario through its join strategies and measure each
///
/// Every strategy is checked to give the same rows, and short recordings are
/// repeated until two seconds are measured. Results go to standard output.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,

    #[command(flatten)]
    strategies: StrategyArgs,

    /// Write the joined rows to PATH (`-`: standard output), by its extension as Parquet, Arrow
    /// IPC, CSV or JSON lines
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Format of the joined rows: none, console, parquet, arrow, arrow-stream, csv or jsonl
    #[arg(long, value_name = "FORMAT")]
    output_format: Option<String>,

    /// Replace an existing output file, or a file that is no report where the report goes
    #[arg(long)]
    force: bool,

    /// Write the stream rows that found nothing, with what they missed, to FILE, by its extension
    #[arg(long, value_name = "FILE")]
    unmatched: Option<PathBuf>,

    /// Write the measurements as JSON to PATH
    #[arg(long, value_name = "PATH")]
    report: Option<PathBuf>,

    /// Write the measurements as CSV to PATH, one line a run
    #[arg(long, value_name = "PATH")]
    csv: Option<PathBuf>,

    /// Run with each of these values at KEY, such as `replay.trigger.rows=1000,10000`; given
    /// several times, with every combination
    #[arg(long, value_name = "KEY=A,B,...", value_parser = vary::axis)]
    vary: Vec<vary::Axis>,

    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// End after this time, such as `90s`: what was whole by then is reported, and the exit code
    /// is 1
    #[arg(long, value_name = "TIME")]
    timeout: Option<Micros>,

    /// Measure each strategy for this time at least: a recording that is shorter is replayed again
    #[arg(long, value_name = "TIME", default_value = "2s", env = MEASURE_FOR)]
    measure_for: Micros,

    /// End the replay after this time, such as `30s`, as if the recording ended there: at the next
    /// border of a batch, or with the rows that are due by then if they come at a pace
    #[arg(long, value_name = "TIME", value_parser = positive)]
    duration: Option<Micros>,

    #[command(flatten)]
    find_rate: FindRateArgs,

    /// No progress bar
    #[arg(long, short)]
    quiet: bool,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people
    #[default]
    Human,
    /// One JSON object: the report
    Json,
    /// JSON lines: one a batch and one a strategy, as they are done
    Jsonl,
    /// CSV: one line a run, or with --find-rate a strategy
    Csv,
}

impl RunArgs {
    /// The scenario as the flags change it.
    fn scenario(&self) -> Result<Scenario> {
        let scenario = self.scenario.find()?;
        match self.duration {
            _ if self.find_rate.find_rate => Ok(self.find_rate.paced(scenario)),
            Some(Micros(micros)) => {
                scenario::set(&scenario, "replay.duration", &format!("{micros} us"))
            }
            None => Ok(scenario),
        }
    }

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
        check(&plan, &strategies, &sink)?;
        let mut warned = warn(&plan, &strategies, &|_| true);
        let unmatched = self
            .unmatched
            .as_deref()
            .map(|path| Unmatched::new(&scenario, self.strategies.limit, path, self.force));
        let unmatched = unmatched.transpose()?;
        written::check(&scenario, &plan, &sink, &self.written())?;
        let report_file = self.report.as_deref();
        let report_file =
            report_file.map(|path| ReportFile::create(path, self.force)).transpose()?;
        let csv_file =
            self.csv.as_deref().map(|path| CsvFile::create(path, self.force)).transpose()?;
        if let Some(limit) = self.timeout {
            interrupt::after(limit.as_duration())?;
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
            // With several strategies the first one's rows are given out.
            let sink = if position == 0 { sink.clone() } else { SinkSpec::None };
            let measured = if strategies.len() == 1 || sink.uses_stdout() {
                let unmatched = unmatched.as_ref().filter(|_| position == 0).map(Unmatched::to);
                let outputs = Outputs { sink: &sink, unmatched, apart: strategies.len() > 1 };
                measure_with(&plan, strategy, outputs, least, &mut reporter)
            } else {
                let unmatched = self.unmatched.as_deref().filter(|_| position == 0);
                let files = Files { sink: &sink, unmatched, force: self.force };
                elsewhere(&scenario, strategy, files, &self, &mut reporter)
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
            scenario: describe(&scenario, self.strategies.limit),
            environment: Environment::detect(isa, allocator(), plan.data_hash()),
            runs,
        };
        let json = |report: &Report| serde_json::to_string_pretty(report).map_err(Failure::run);
        let lines = |report: &Report| {
            csv(&[], &report.runs.iter().map(|run| (Vec::new(), run)).collect::<Vec<_>>())
        };
        match self.format {
            Format::Human => {
                for line in table::lines(&scenario, &report, verified.is_ok()) {
                    results.line(&line)?;
                }
                let found = report.runs.iter();
                let found = found.map(|run| (run.strategy.clone(), run.findings.as_slice()));
                for line in findings::lines(&found.collect::<Vec<_>>()) {
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

impl RunArgs {
    /// Files that are written beside the rows.
    fn written(&self) -> [(&'static str, Option<&Path>); 3] {
        [
            ("unmatched", self.unmatched.as_deref()),
            ("report", self.report.as_deref()),
            ("CSV", self.csv.as_deref()),
        ]
    }
}

/// Refuses before the first row what any strategy, or the sink, cannot do.
pub(super) fn check(plan: &Plan, strategies: &[Strategy], sink: &SinkSpec) -> Result<()> {
    for strategy in strategies {
        plan.check(strategy)?;
    }
    sink.check(plan.output_schema())
}

/// Says what is odd about a plan, if it is news; answers what it said.
pub(super) fn warn(
    plan: &Plan,
    strategies: &[Strategy],
    is_news: &dyn Fn(&String) -> bool,
) -> Vec<String> {
    let mut warnings = plan.warnings().to_vec();
    let unlimited = strategies.iter().find(|strategy| !strategy.limits_state());
    if let (Some(strategy), Plan::StreamStream(plan)) = (unlimited, plan) {
        let growing = plan.unbounded.iter();
        warnings.extend(growing.map(|why| {
            format!(
                "{why}; strategy `{}` sets no `state_limit`, so only memory ends its growth",
                strategy.name
            )
        }));
    }
    warnings.retain(is_news);
    for warning in &warnings {
        complain(&format!("warning: {warning}"));
    }
    warnings
}

/// Where rows go: the arguments' word over the scenario's.
pub(super) fn sink(
    scenario: &Scenario,
    path: Option<&Path>,
    format: Option<&str>,
    force: bool,
) -> Result<SinkSpec> {
    if path.is_some() || format.is_some() {
        return SinkSpec::resolve(path, format, force);
    }
    let output = &scenario.output;
    let path = output.path.as_ref().map(|path| path.as_path());
    let format = output.format.as_ref().map(|format| format.to_string());
    SinkSpec::resolve(path, format.as_deref(), force).map_err(|failure| {
        let format = output.format.as_ref().map(Located::place);
        match output.path.as_ref().map(Located::place).or(format) {
            Some(place) => failure.at(place),
            None => failure.at(&scenario.text),
        }
    })
}

/// What one strategy writes.
#[derive(Clone, Copy)]
struct Files<'a> {
    sink: &'a SinkSpec,
    unmatched: Option<&'a Path>,
    force: bool,
}

/// Measures one strategy in a process of its own.
fn elsewhere(
    scenario: &Scenario,
    strategy: &Strategy,
    files: Files<'_>,
    args: &RunArgs,
    reporter: &mut Reporter<'_>,
) -> Result<Measured> {
    let job = Job {
        scenario,
        strategy: &strategy.name,
        threads: args.strategies.threads,
        limit: args.strategies.limit,
        measure_for: args.measure_for,
        progress: reporter.keeps || reporter.prints,
        unmatched: files.unmatched.map(|path| (path, files.force)),
        output: match files.sink {
            SinkSpec::File { path, format, force } => Some((path, *format, *force)),
            SinkSpec::None | SinkSpec::Console => None,
        },
    };
    Worker::start(&strategy.name, job.command()?)?.follow(reporter)
}

/// The scenario as it was run.
fn describe(scenario: &Scenario, limit: Option<u64>) -> serde_json::Value {
    serde_json::json!({
        "name": scenario.name,
        "description": scenario.description,
        "path": scenario.text.path().display().to_string(),
        "limit": limit.or(scenario.replay.limit),
        "text": scenario.text.text(),
    })
}
