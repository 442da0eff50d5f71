//! `--vary`: a scenario with every combination of some keys' values.

mod answers;
mod axis;
mod table;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::csv::{CsvFile, Line, csv};
use super::reporter::Reporter;
use super::{Files, Format, RunArgs, check, describe, elsewhere, sink, warn};
use crate::cli::findings;
use crate::cli::output::{Results, allocator};
use crate::cli::written::{self, ReportFile};
use crate::error::{Failure, Result};
use crate::interrupt;
use crate::plan::{Strategy, plan, strategies};
use crate::record::{Environment, Finding, RunRecord, SCHEMA_VERSION};
use crate::scenario::{self, Scenario};
use crate::sink::SinkSpec;
use axis::Setting;

pub(super) use axis::{Axis, axis};

/// Combinations of values beyond which somebody has mistyped.
const MOST: usize = 1_000;

/// The scenario with one value of each varied key.
#[derive(Debug)]
struct Combination {
    settings: Vec<Setting>,
    scenario: Scenario,
    strategies: Vec<Strategy>,
    /// Stream rows, where that is known.
    rows: Option<u64>,
    data_hash: Option<String>,
}

/// One strategy's run with the settings that mean something to it.
#[derive(Debug)]
struct Run {
    settings: Vec<Setting>,
    /// Whether a setting is about another strategy.
    elsewhere: Vec<bool>,
    record: RunRecord,
}

/// Runs every strategy with every combination, each in a process of its own.
pub(super) fn execute(args: &RunArgs, scenario: &Scenario) -> Result<()> {
    let written = [
        ("--output", args.output.is_some() || args.output_format.is_some()),
        ("--unmatched", args.unmatched.is_some()),
    ];
    if let Some((flag, _)) = written.iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!(
            "{flag} with --vary: the rows of which combination? Run that one alone, with --set in place of --vary"
        )));
    }
    if args.unmatched.is_some() {
        return Err(Failure::usage(
            "--unmatched with --vary: the rows of which combination? Run that one alone, with --set in place of --vary",
        ));
    }
    let combinations = combinations(args, scenario)?;
    let report = args.report.as_deref();
    let report = report.map(|path| ReportFile::create(path, args.force)).transpose()?;
    let file = args.csv.as_deref().map(|path| CsvFile::create(path, args.force)).transpose()?;
    if let Some(limit) = args.timeout {
        interrupt::after(limit.as_duration())?;
    }
    let mut results = Results::new(false);
    let mut warned = Vec::new();
    let (runs, cut_short) = measure(args, &combinations, &mut results, &mut warned)?;
    let may_change = answers::may_change(&args.vary, scenario);
    // What was cut short differs from the others for no fault of its own.
    let verified = match cut_short {
        None => answers::verify(&runs, &may_change),
        Some(failure) => Err(failure),
    };
    let keys: Vec<String> = args.vary.iter().map(|axis| axis.key.clone()).collect();
    let lines: Vec<Line<'_>> = runs.iter().map(|run| (run.values(), &run.record)).collect();
    let first = &combinations[0];
    let document = || {
        let isa = first.strategies.first().map_or("none", |strategy| strategy.isa.name());
        let document = json!({
            "schemaVersion": SCHEMA_VERSION,
            "scenario": describe(scenario, args.strategies.limit),
            "environment": Environment::detect(isa, allocator(), first.data_hash.clone()),
            "vary": &keys,
            "runs": runs.iter().map(Run::json).collect::<Result<Vec<Value>>>()?,
        });
        serde_json::to_string_pretty(&document).map_err(Failure::run)
    };
    match args.format {
        Format::Human => table::lines(scenario, &keys, &runs, &may_change, verified.is_ok())
            .iter()
            .chain(&findings::lines(&runs.iter().map(Run::found).collect::<Vec<_>>()))
            .try_for_each(|line| results.line(line))?,
        Format::Json => results.line(&document()?)?,
        Format::Jsonl => {}
        Format::Csv => results.line(csv(&keys, &lines)?.trim_end())?,
    }
    if let Some(file) = file {
        file.write(&csv(&keys, &lines)?)?;
    }
    if let Some(report) = report {
        report.write(&document()?)?;
    }
    verified
}

/// Every combination, checked before the first is run.
fn combinations(args: &RunArgs, scenario: &Scenario) -> Result<Vec<Combination>> {
    let mut all: Vec<(Vec<Setting>, Scenario)> = vec![(Vec::new(), scenario.clone())];
    for (at, axis) in args.vary.iter().enumerate() {
        if args.vary[..at].iter().any(|before| before.key == axis.key) {
            return Err(Failure::usage(format!(
                "--vary {} is given twice: put all its values behind one",
                axis.key
            )));
        }
        if all.len() * axis.values.len() > MOST {
            return Err(Failure::usage(format!(
                "--vary: more than {MOST} combinations; leave values out"
            )));
        }
        let mut more = Vec::new();
        for (settings, scenario) in &all {
            for value in &axis.values {
                let scenario = scenario::set(scenario, &axis.key, value).map_err(of_vary)?;
                let setting = Setting { key: axis.key.clone(), value: value.clone() };
                more.push(([settings.as_slice(), &[setting]].concat(), scenario));
            }
        }
        all = more;
    }
    let mut combinations = Vec::new();
    for (settings, scenario) in all {
        let made = combination(args, &settings, scenario);
        combinations.push(made.map_err(|failure| failure.at(text(&settings)))?);
    }
    Ok(combinations)
}

fn combination(args: &RunArgs, settings: &[Setting], scenario: Scenario) -> Result<Combination> {
    let plan = plan(&scenario, args.strategies.limit)?;
    let strategies = strategies(&scenario, &args.strategies.strategy, args.strategies.threads)?;
    // Nothing is given out, but what the scenario says has to be possible.
    check(&plan, &strategies, &sink(&scenario, None, None, true)?)?;
    written::check(&scenario, &plan, &SinkSpec::None, &args.written())?;
    let (rows, data_hash) = (plan.rows(), plan.data_hash());
    Ok(Combination { settings: settings.to_vec(), scenario, strategies, rows, data_hash })
}

/// The same failure, with the flag that it comes from.
fn of_vary(failure: Failure) -> Failure {
    let message = match failure.message.strip_prefix("--set ") {
        Some(rest) => format!("--vary {}", rest.replacen(" (with --set)", "", 1)),
        None => failure.message,
    };
    Failure { kind: failure.kind, message }
}

/// Runs what is not run yet; ends with the first run that was cut short.
fn measure(
    args: &RunArgs,
    combinations: &[Combination],
    results: &mut Results,
    warned: &mut Vec<String>,
) -> Result<(Vec<Run>, Option<Failure>)> {
    let mut runs: Vec<Run> = Vec::new();
    for combination in combinations {
        let settings = &combination.settings;
        let at = |failure: Failure, strategy: &Strategy| {
            failure.at(format!("{} with strategy `{}`", text(settings), strategy.name))
        };
        let plan = plan(&combination.scenario, args.strategies.limit)?;
        for warning in warn_once(&plan, &combination.strategies, warned) {
            warned.push(warning);
        }
        drop(plan);
        for strategy in &combination.strategies {
            let elsewhere_is: Vec<bool> =
                settings.iter().map(|setting| setting.is_of_another(&strategy.name)).collect();
            let is_same = |run: &Run| {
                run.record.strategy == strategy.name
                    && settings
                        .iter()
                        .zip(&run.settings)
                        .zip(&elsewhere_is)
                        .all(|((setting, known), other)| *other || setting.value == known.value)
            };
            if runs.iter().any(is_same) {
                continue;
            }
            let label = format!("{} {}", text(settings), strategy.name);
            let mut reporter = Reporter::new(&label, combination.rows, args.quiet, results, warned);
            reporter.keeps = args.report.is_some() || args.format == Format::Json;
            let measured = elsewhere(
                &combination.scenario,
                strategy,
                Files { sink: &SinkSpec::None, unmatched: None, force: false },
                args,
                &mut reporter,
            )
            .map_err(|failure| at(failure, strategy))?;
            let mut record = reporter.record(measured.summary, measured.findings);
            record.strategy.clone_from(&strategy.name);
            let run = Run { settings: settings.clone(), elsewhere: elsewhere_is, record };
            if args.format == Format::Jsonl {
                results.line(&run.line()?)?;
            }
            runs.push(run);
            if let Some(failure) = measured.cut_short {
                return Ok((runs, Some(at(failure, strategy))));
            }
        }
    }
    Ok((runs, None))
}

/// Says what no combination before was warned of.
fn warn_once(plan: &crate::plan::Plan, strategies: &[Strategy], warned: &[String]) -> Vec<String> {
    let new = |warning: &String| !warned.contains(warning);
    warn(plan, strategies, &new)
}

/// Settings for people.
fn text(settings: &[Setting]) -> String {
    settings.iter().map(Setting::to_string).collect::<Vec<_>>().join(", ")
}

impl Run {
    /// What it found, by its name.
    fn found(&self) -> (String, &[Finding]) {
        let name = format!("{} {}", text(&self.settings), self.record.strategy);
        (name, &self.record.findings)
    }

    /// A value a varied key, empty where it is about another strategy.
    fn values(&self) -> Vec<String> {
        let shown = |(setting, elsewhere): (&Setting, &bool)| match elsewhere {
            true => String::new(),
            false => setting.shown(),
        };
        self.settings.iter().zip(&self.elsewhere).map(shown).collect()
    }

    fn settings_json(&self) -> Value {
        let pairs = self.settings.iter().zip(&self.elsewhere).map(|(setting, elsewhere)| {
            let value = if *elsewhere { Value::Null } else { setting.json() };
            (setting.key.clone(), value)
        });
        Value::Object(pairs.collect::<Map<String, Value>>())
    }

    fn json(&self) -> Result<Value> {
        let mut run = serde_json::to_value(&self.record).map_err(Failure::run)?;
        run["settings"] = self.settings_json();
        Ok(run)
    }

    /// One line of JSON: `event`, `settings`, `strategy`, then the summary's fields.
    fn line(&self) -> Result<String> {
        #[derive(Serialize)]
        struct Flat<'a> {
            event: &'static str,
            settings: Value,
            strategy: &'a str,
            #[serde(flatten)]
            summary: &'a crate::record::Summary,
            warnings: &'a [String],
            findings: &'a [Finding],
        }
        serde_json::to_string(&Flat {
            event: "summary",
            settings: self.settings_json(),
            strategy: &self.record.strategy,
            summary: &self.record.summary,
            warnings: &self.record.warnings,
            findings: &self.record.findings,
        })
        .map_err(Failure::run)
    }
}
