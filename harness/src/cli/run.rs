//! `run`: a scenario through its strategies.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::bar::Bar;
use super::measure_one::Job;
use super::options::{ScenarioArgs, StrategyArgs};
use super::output::{Results, allocator, complain};
use super::table;
use super::written::{self, ReportFile};
use crate::error::{Failure, Result};
use crate::measure::{LEAST_TIME, Worker, measure, verify};
use crate::plan::{Plan, Strategy, plan, strategies};
use crate::record::{
    Environment, Progress, Report, RunRecord, SCHEMA_VERSION, Summary, progress_line, summary_line,
    warning_line,
};
use crate::replay::Watcher;
use crate::scenario::Scenario;
use crate::sink::SinkSpec;

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

    /// Write the measurements as JSON to PATH
    #[arg(long, value_name = "PATH")]
    report: Option<PathBuf>,

    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,

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
}

impl RunArgs {
    pub(super) fn execute(self) -> Result<()> {
        let scenario = self.scenario.find()?;
        let plan = plan(&scenario, self.strategies.limit)?;
        let strategies = strategies(&scenario, &self.strategies.strategy, self.strategies.threads)?;
        let sink =
            sink(&scenario, self.output.as_deref(), self.output_format.as_deref(), self.force)?;
        check(&plan, &strategies, &sink)?;
        let mut warned = warn(&plan, &strategies);
        written::check(&scenario, &plan, &sink, self.report.as_deref())?;
        let report_file = self.report.as_deref();
        let report_file =
            report_file.map(|path| ReportFile::create(path, self.force)).transpose()?;
        let mut results = Results::new(sink.uses_stdout());
        let mut runs = Vec::new();
        for (position, strategy) in strategies.iter().enumerate() {
            let mut reporter = Reporter {
                strategy: &strategy.name,
                bar: Bar::new(&strategy.name, plan.rows(), self.quiet),
                lines: (self.format == Format::Jsonl).then_some(&mut results),
                keep: self.report.is_some() || self.format == Format::Json,
                kept: Vec::new(),
                warned: &mut warned,
                warnings: Vec::new(),
            };
            // With several strategies the first one's rows are given out.
            let sink = if position == 0 { sink.clone() } else { SinkSpec::None };
            let summary = if strategies.len() == 1 || sink.uses_stdout() {
                measure(&plan, strategy, &sink, LEAST_TIME, &mut reporter)
            } else {
                elsewhere(&scenario, strategy, &sink, &self.strategies, &mut reporter)
            };
            let summary = summary.map_err(|failure| match strategies.len() {
                1 => failure,
                _ => failure.at(format!("strategy `{}`", strategy.name)),
            })?;
            let record = reporter.record(summary);
            if self.format == Format::Jsonl {
                results.line(&summary_line(&record.strategy, &record.summary))?;
            }
            runs.push(record);
        }
        let verified = verify(&runs);
        let isa = strategies.first().map_or("none", |strategy| strategy.isa.name());
        let report = Report {
            schema_version: SCHEMA_VERSION,
            scenario: describe(&scenario, self.strategies.limit),
            environment: Environment::detect(isa, allocator(), plan.data_hash()),
            runs,
        };
        let json = |report: &Report| serde_json::to_string_pretty(report).map_err(Failure::run);
        match self.format {
            Format::Human => {
                for line in table::lines(&scenario, &report, verified.is_ok()) {
                    results.line(&line)?;
                }
            }
            Format::Json => results.line(&json(&report)?)?,
            Format::Jsonl => {}
        }
        if let Some(file) = report_file {
            file.write(&json(&report)?)?;
        }
        verified
    }
}

/// Refuses before the first row what any strategy, or the sink, cannot do.
pub(super) fn check(plan: &Plan, strategies: &[Strategy], sink: &SinkSpec) -> Result<()> {
    for strategy in strategies {
        plan.check(strategy)?;
    }
    sink.check(plan.output_schema())
}

/// Says what is odd about a plan; answers what it said.
pub(super) fn warn(plan: &Plan, strategies: &[Strategy]) -> Vec<String> {
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
    let output = &scenario.spec.output;
    let path = output.path.as_ref().map(|path| match path.get_ref().as_str() {
        "-" => PathBuf::from("-"),
        relative => scenario.path(relative),
    });
    let format = output.format.as_ref().map(|format| format.get_ref().to_string());
    SinkSpec::resolve(path.as_deref(), format.as_deref(), force).map_err(|failure| {
        let place = output.path.as_ref().map(|path| scenario.place(path));
        let place = place.or(output.format.as_ref().map(|format| scenario.place(format)));
        failure.at(place.unwrap_or_else(|| scenario.text.to_string()))
    })
}

/// Measures one strategy in a process of its own.
fn elsewhere(
    scenario: &Scenario,
    strategy: &Strategy,
    sink: &SinkSpec,
    args: &StrategyArgs,
    watcher: &mut Reporter<'_>,
) -> Result<Summary> {
    let job = Job {
        scenario,
        strategy: &strategy.name,
        threads: args.threads,
        limit: args.limit,
        progress: watcher.wants_progress(),
        output: match sink {
            SinkSpec::File { path, format, force } => Some((path, *format, *force)),
            SinkSpec::None | SinkSpec::Console => None,
        },
    };
    Worker::start(&strategy.name, job.command()?)?.follow(watcher)
}

/// Passes on what one strategy's first pass tells.
struct Reporter<'a> {
    strategy: &'a str,
    bar: Bar,
    lines: Option<&'a mut Results>,
    keep: bool,
    kept: Vec<Progress>,
    /// What was said already: strategies warn of the same things.
    warned: &'a mut Vec<String>,
    /// What this strategy's run warned of.
    warnings: Vec<String>,
}

impl Reporter<'_> {
    fn record(self, summary: Summary) -> RunRecord {
        let (progress, warnings) = (self.kept, self.warnings);
        RunRecord { strategy: self.strategy.to_owned(), summary, progress, warnings }
    }
}

impl Watcher for Reporter<'_> {
    fn wants_progress(&self) -> bool {
        self.keep || self.lines.is_some()
    }

    fn rows(&mut self, rows: u64) -> Result<()> {
        self.bar.add(rows);
        Ok(())
    }

    fn warning(&mut self, warning: &str) -> Result<()> {
        if !self.warnings.iter().any(|said| said == warning) {
            if let Some(results) = &mut self.lines {
                results.line(&warning_line(self.strategy, warning))?;
            }
            self.warnings.push(warning.to_owned());
        }
        if !self.warned.iter().any(|said| said == warning) {
            self.bar.aside(|| complain(&format!("warning: {warning}")));
            self.warned.push(warning.to_owned());
        }
        Ok(())
    }

    fn batch(&mut self, progress: Progress) -> Result<()> {
        if let Some(results) = &mut self.lines {
            results.line(&progress_line(self.strategy, &progress))?;
        }
        if self.keep {
            self.kept.push(progress);
        }
        Ok(())
    }
}

/// The scenario as it was run.
fn describe(scenario: &Scenario, limit: Option<u64>) -> serde_json::Value {
    serde_json::json!({
        "name": scenario.name,
        "description": scenario.spec.description,
        "path": scenario.text.path().display().to_string(),
        "limit": limit.or(scenario.spec.replay.limit),
        "text": scenario.text.text(),
    })
}
