//! `--vary`: a scenario with every combination of some keys' values.

mod answers;
mod run;
mod vary_table;

use serde_json::{Value, json};

use super::args::RunArgs;
use super::axis::Setting;
use super::described::described;
use super::format::Format;
use super::own_process::{Files, measure_in_own_process};
use super::reporter::Reporter;
use super::summary_csv::{Line, csv};
use crate::cli::csv_file::CsvFile;
use crate::cli::output::{Results, allocator};
use crate::cli::preflight::{sink, warn};
use crate::cli::report_file::ReportFile;
use crate::cli::{findings_text, output_paths};
use crate::error::{Failure, Result};
use crate::interrupt;
use crate::plan::{Plan, Strategy, plan, strategies};
use crate::record::{Environment, SCHEMA_VERSION};
use crate::replay::ready;
use crate::scenario::{self, Scenario};
use crate::sink::SinkSpec;
use run::{Run, text};

/// More combinations than this are taken for a typing error.
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

/// Runs every strategy with every combination, each in a process of its own.
pub(super) fn execute(args: &RunArgs, scenario: &Scenario) -> Result<()> {
    let written = [
        ("--output", args.output.is_some() || args.output_format.is_some()),
        ("--unmatched", args.unmatched.is_some()),
    ];
    if let Some((flag, _)) = written.iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!(
            "{flag} with --vary: which combination's rows? Run that one alone, with --set in place of --vary"
        )));
    }
    let combinations = combinations(args, scenario)?;
    let report = args.report.as_deref();
    let report = report.map(|path| ReportFile::create(path, args.force)).transpose()?;
    let file = args.csv.as_deref().map(|path| CsvFile::create(path, args.force)).transpose()?;
    if let Some(limit) = args.timeout {
        interrupt::stop_after(limit.as_duration())?;
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
            "scenario": described(scenario, args.strategies.limit),
            "environment": Environment::detect(isa, allocator(), first.data_hash.clone()),
            "vary": &keys,
            "runs": runs.iter().map(Run::json).collect::<Result<Vec<Value>>>()?,
        });
        serde_json::to_string_pretty(&document).map_err(Failure::run)
    };
    match args.format {
        Format::Human => vary_table::lines(scenario, &keys, &runs, &may_change, verified.is_ok())
            .iter()
            .chain(&findings_text::lines(&runs.iter().map(Run::found).collect::<Vec<_>>()))
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
    // Nothing is written, but the output of the scenario has to be possible.
    ready(&plan, &strategies, &sink(&scenario, None, None, true)?)?;
    output_paths::check(&scenario, &plan, &SinkSpec::None, &args.written())?;
    let (rows, data_hash) = (plan.rows(), plan.data_hash());
    Ok(Combination { settings: settings.to_vec(), scenario, strategies, rows, data_hash })
}

/// The same failure, with the flag that it comes from.
fn of_vary(failure: Failure) -> Failure {
    let message = match failure.message.strip_prefix("--set ") {
        Some(rest) => format!("--vary {}", rest.replacen(" (with --set)", "", 1)),
        None => return failure,
    };
    failure.saying(message)
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
            let measured = measure_in_own_process(
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

/// Prints warnings that no earlier combination had.
fn warn_once(plan: &Plan, strategies: &[Strategy], warned: &[String]) -> Vec<String> {
    let new = |warning: &String| !warned.contains(warning);
    warn(plan, strategies, &new)
}
