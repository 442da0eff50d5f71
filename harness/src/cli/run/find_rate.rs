//! `run --find-rate`: the highest rate at which each strategy keeps up.

use clap::Args;
use serde::{Deserialize, Serialize};

use super::described::described;
use super::format::Format;
use super::summary_table::{machine, title};
use crate::cli::output::{Results, allocator};
use crate::cli::progress_bar::Bar;
use crate::cli::report_file::ReportFile;
use crate::cli::scenario_args::positive;
use crate::cli::text_table::{or_dash, table};
use crate::error::{Failure, FailureKind, Result};
use crate::measure::{Sustainable, SustainableRate, Trial, TrialOutcome, sustainable_rate};
use crate::plan::{Plan, Strategy};
use crate::record::{Environment, Quantiles, SCHEMA_VERSION, csv};
use crate::replay::system_clock;
use crate::scenario::{Located, Pace, Scenario};
use crate::sink::SinkSpec;
use crate::text::duration::{Micros, seconds};
use crate::text::number::{self, significant};

/// Looking for a sustainable rate.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct FindRateArgs {
    /// Find the highest rate at which each strategy keeps up, instead of measuring it: rows fall due
    /// at a rate, the backlog must not grow, and --p99 bounds the latency from the due time. Joined
    /// rows are not written
    #[arg(long, requires = "p99", conflicts_with_all = ["output", "output_format", "unmatched", "vary", "csv", "duration"])]
    pub(super) find_rate: bool,

    /// Upper bound of the 99th percentile of the latency, such as `100ms`
    #[arg(long, value_name = "TIME", requires = "find_rate", value_parser = positive)]
    p99: Option<Micros>,

    /// How long each rate is tried [default: 5s]
    #[arg(long, value_name = "TIME", requires = "find_rate", value_parser = positive)]
    probe: Option<Micros>,
}

/// What `--format json` and `--report` write.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RateReport {
    schema_version: u32,
    scenario: serde_json::Value,
    environment: Environment,
    p99_ms: f64,
    probe_seconds: f64,
    rates: Vec<SustainableRate>,
}

/// Where results go, and how.
pub(super) struct Printing {
    pub(super) format: Format,
    pub(super) quiet: bool,
    pub(super) report: Option<ReportFile>,
}

impl FindRateArgs {
    /// The scenario with a pace and an end, for those that need them; each probe
    /// sets its own. Where strategies look at the number of rows, it is large.
    pub(super) fn paced(self, mut scenario: Scenario) -> Scenario {
        let duration = Located::unwritten(self.asked().1, &scenario.text);
        scenario.replay.pace.value = Pace::RowsPerSecond(1e12);
        scenario.replay.duration = Some(duration);
        scenario
    }

    /// The bound and the length of a probe.
    fn asked(self) -> (Micros, Micros) {
        (self.p99.unwrap_or(Micros(100_000)), self.probe.unwrap_or(Micros(5_000_000)))
    }

    pub(super) fn execute(
        self,
        scenario: &Scenario,
        mut plan: Plan,
        strategies: &[Strategy],
        sink: &SinkSpec,
        limit: Option<u64>,
        printing: Printing,
    ) -> Result<()> {
        let Printing { format, quiet, report } = printing;
        let (p99, probe) = self.asked();
        let asked = Sustainable { p99: p99.as_duration(), trial: probe.as_duration() };
        let mut results = Results::new(false);
        let mut rates = Vec::new();
        let mut cut_short = None;
        for strategy in strategies {
            let bar = Bar::counting("probes", &strategy.name, None, quiet);
            let mut told = |trial: &Trial| {
                bar.add(1);
                match format {
                    Format::Jsonl => {
                        results.line(&json_line(&Line::Trial { strategy: &strategy.name, trial })?)
                    }
                    _ => Ok(()),
                }
            };
            let clock = system_clock();
            let rate = sustainable_rate(&mut plan, strategy, sink, asked, clock, &mut told);
            drop(bar);
            match rate {
                Ok(rate) => {
                    if format == Format::Jsonl {
                        results.line(&json_line(&Line::of(&rate))?)?;
                    }
                    rates.push(rate);
                }
                Err(failure) if failure.kind.was_asked_for() => {
                    // The results of the strategies before it are reported all the same.
                    cut_short = Some(failure);
                    break;
                }
                Err(failure) => return Err(failure.at(format!("strategy `{}`", strategy.name))),
            }
        }
        let isa = strategies.first().map_or("none", |strategy| strategy.isa.name());
        let found = RateReport {
            schema_version: SCHEMA_VERSION,
            scenario: described(scenario, limit),
            environment: Environment::detect(isa, allocator(), plan.data_hash()),
            p99_ms: asked.p99.as_secs_f64() * 1e3,
            probe_seconds: asked.trial.as_secs_f64(),
            rates,
        };
        let json = || serde_json::to_string_pretty(&found).map_err(Failure::run);
        match format {
            Format::Human => {
                lines(scenario, &found).iter().try_for_each(|line| results.line(line))?;
            }
            Format::Json => results.line(&json()?)?,
            Format::Csv => results.line(csv(&found.rates)?.trim_end())?,
            Format::Jsonl => {}
        }
        if let Some(file) = report {
            file.write(&json()?)?;
        }
        match (cut_short, inconclusive(&found.rates)) {
            (Some(failure), _) | (None, Some(failure)) => Err(failure),
            (None, None) => Ok(()),
        }
    }
}

fn inconclusive(rates: &[SustainableRate]) -> Option<Failure> {
    let unclear = rates.iter().filter_map(|rate| {
        let why = rate.inconclusive.as_ref()?;
        Some(format!("strategy `{}`: {why}", rate.strategy))
    });
    let message = unclear.collect::<Vec<_>>().join("; ");
    (!message.is_empty())
        .then(|| Failure::new(FailureKind::Inconclusive, format!("inconclusive: {message}")))
}

/// A line of `--format jsonl`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Line<'a> {
    /// A rate was tried.
    #[serde(rename = "probe")]
    Trial {
        strategy: &'a str,
        #[serde(flatten)]
        trial: &'a Trial,
    },
    /// A strategy's answer, without its probes.
    Rate {
        strategy: &'a str,
        rows_per_second: Option<f64>,
        fails_at_rows_per_second: Option<f64>,
        latency_ms: Option<Quantiles>,
        unthrottled_rows_per_second: f64,
        probes: usize,
        inconclusive: Option<&'a str>,
        note: Option<&'a str>,
    },
}

impl<'a> Line<'a> {
    fn of(rate: &'a SustainableRate) -> Self {
        Self::Rate {
            strategy: &rate.strategy,
            rows_per_second: rate.rows_per_second,
            fails_at_rows_per_second: rate.fails_at_rows_per_second,
            latency_ms: rate.latency_ms,
            unthrottled_rows_per_second: rate.unthrottled_rows_per_second,
            probes: rate.trials.len(),
            inconclusive: rate.inconclusive.as_deref(),
            note: rate.note.as_deref(),
        }
    }
}

fn json_line(line: &Line<'_>) -> Result<String> {
    serde_json::to_string(line).map_err(Failure::run)
}

fn csv(rates: &[SustainableRate]) -> Result<String> {
    const COLUMNS: &str = "strategy,rowsPerSecond,failsAtRowsPerSecond,p50Ms,p99Ms,maxMs,\
        unthrottledRowsPerSecond,probes,inconclusive,note";
    let lines = rates.iter().map(|rate| {
        let mut fields = serde_json::to_value(Line::of(rate)).map_err(Failure::run)?;
        for quantile in ["p50", "p99", "max"] {
            fields[format!("{quantile}Ms")] = fields["latencyMs"][quantile].clone();
        }
        let fields = csv::flat(fields);
        Ok(COLUMNS.split(',').map(|column| fields.get(column)).collect())
    });
    csv::text(COLUMNS.split(','), lines.collect::<Result<_>>()?)
}

fn lines(scenario: &Scenario, found: &RateReport) -> Vec<String> {
    let mut lines = vec![title(scenario)];
    lines.push(format!(
        "highest rate at which p99 from the due time stays within {} ms and the backlog does not grow; probes of {}",
        significant(found.p99_ms),
        seconds(found.probe_seconds)
    ));
    let header = "strategy|sustainable rows/s|p50 ms|p99 ms|max ms|fails at|unthrottled|\
        probes";
    let mut rows = table(header.split('|'));
    for rate in &found.rates {
        let latency = |pick: fn(&Quantiles) -> f64| {
            or_dash(rate.latency_ms.as_ref().map(|l| significant(pick(l))))
        };
        let held = match (rate.rows_per_second, &rate.inconclusive) {
            (Some(held), Some(_)) => format!(">= {}", number::rate(held)),
            (Some(held), None) => number::rate(held),
            (None, _) => "none".to_owned(),
        };
        rows.add_row([
            rate.strategy.clone(),
            held,
            latency(|latency| latency.p50),
            latency(|latency| latency.p99),
            latency(|latency| latency.max),
            or_dash(rate.fails_at_rows_per_second.map(number::rate)),
            number::rate(rate.unthrottled_rows_per_second),
            rate.trials.len().to_string(),
        ]);
    }
    lines.push(rows.to_string());
    for rate in &found.rates {
        let failed = rate.fails_at_rows_per_second.and_then(|at| {
            rate.trials.iter().rev().find(|trial| trial.rows_per_second.total_cmp(&at).is_eq())
        });
        if let Some(trial) = failed {
            lines.push(format!("{}: {}", rate.strategy, why(trial)));
        }
        let words = rate.note.iter().chain(&rate.inconclusive);
        lines.extend(words.map(|word| format!("{}: {word}", rate.strategy)));
    }
    lines.push(machine(&found.environment));
    lines
}

/// Why a trial failed.
fn why(trial: &Trial) -> String {
    let at = number::rate(trial.rows_per_second);
    let p99 = trial
        .latency_ms
        .map_or_else(String::new, |latency| format!("p99 {} ms", significant(latency.p99)));
    match trial.outcome {
        TrialOutcome::Late => format!("at {at} rows/s {p99}"),
        TrialOutcome::FallingBehind => format!(
            "at {at} rows/s it fell behind by {} s per second",
            significant(trial.falling_behind)
        ),
        TrialOutcome::TooShort => {
            format!("at {at} rows/s the recording lasts {}", seconds(trial.seconds))
        }
        TrialOutcome::TooFewBatches => {
            format!("at {at} rows/s a trial has {} batches", trial.batches)
        }
        TrialOutcome::Sustained => {
            format!("at {at} rows/s it held once, with {p99}, and failed more")
        }
    }
}
