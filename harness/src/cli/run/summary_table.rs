//! The tables that `run` prints.

use comfy_table::Table;

use crate::cli::text_table::{millis, or_dash, table};
use crate::measure::comparable;
use crate::record::{Ended, Environment, Report, RunRecord, Summary};
use crate::scenario::Scenario;
use crate::text::duration::seconds;
use crate::text::number::{grouped, rate};
use crate::text::{bytes, percent};

/// The lines that `run` prints; `verified` = all strategies gave the same rows.
pub(super) fn lines(scenario: &Scenario, report: &Report, verified: bool) -> Vec<String> {
    let mut lines = vec![title(scenario)];
    if let Some(first) = report.runs.first() {
        lines.push(counts(&first.summary));
        if !first.summary.dimensions.is_empty() {
            lines.push(dimensions(&first.summary).to_string());
        }
    }
    lines.push(strategies(&report.runs).to_string());
    if report.runs.iter().any(|run| run.summary.state_rows.is_some()) {
        lines.push(state(&report.runs).to_string());
    }
    if report.runs.iter().any(|run| run.summary.pace.is_some()) {
        lines.push(pace(&report.runs).to_string());
    }
    for run in &report.runs {
        if run.summary.ended == Ended::Duration {
            let (name, rows) = (&run.strategy, grouped(run.summary.rows_in));
            lines.push(format!("{name}: the replay ended after its duration, with {rows} rows"));
        }
    }
    if let [first, others @ ..] = report.runs.as_slice()
        && !others.is_empty()
    {
        lines.push(ratios(first, others).to_string());
        if verified {
            let (same, apart): (Vec<&RunRecord>, Vec<&RunRecord>) =
                report.runs.iter().partition(|run| comparable(first, run));
            let names = |runs: &[&RunRecord]| -> String {
                runs.iter().map(|run| run.strategy.as_str()).collect::<Vec<_>>().join(", ")
            };
            if same.len() > 1 {
                lines.push(format!("verified: {} gave the same rows", names(&same)));
            }
            if !apart.is_empty() {
                lines.push(format!(
                    "not compared with {}: {}, because time cut other rows or other batches",
                    first.strategy,
                    names(&apart)
                ));
            }
        }
    }
    lines.push(machine(&report.environment));
    lines
}

/// The scenario's name and what it says of itself.
pub(super) fn title(scenario: &Scenario) -> String {
    match &scenario.description {
        Some(description) => format!("{}: {description}", scenario.name),
        None => scenario.name.clone(),
    }
}

/// Rows in, rows out, and how many of those are unmatched.
pub(super) fn rows(summary: &Summary) -> String {
    let text =
        format!("{} rows in, {} rows out", grouped(summary.rows_in), grouped(summary.rows_out));
    match summary.rows_out {
        0 => text,
        _ => format!(
            "{text}, {} of them unmatched in at least one join",
            grouped(summary.rows_unmatched)
        ),
    }
}

fn counts(summary: &Summary) -> String {
    let mut text = rows(summary);
    let batches = if summary.batches == 1 { "batch" } else { "batches" };
    text += &format!("; {} {batches}", grouped(summary.batches));
    if let Some(filtered) = summary.dropped.filtered.filter(|rows| *rows > 0) {
        text += &format!("; {} rows filtered out", grouped(filtered));
    }
    for (dropped, what) in [
        (summary.dropped.late, "late"),
        (summary.dropped.null_key, "without a key"),
        (summary.dropped.null_time, "without an event time"),
    ] {
        if let Some(rows) = dropped.filter(|rows| *rows > 0) {
            text += &format!("; {} rows dropped {what}", grouped(rows));
        }
    }
    if let Some(checksum) = &summary.checksum {
        text += &format!("; checksum {checksum}");
    }
    text
}

fn dimensions(summary: &Summary) -> Table {
    let mut table = table(["dimension", "matched", "unmatched", "unmatched rate"]);
    for dimension in &summary.dimensions {
        let rate = dimension.unmatched_rate.map(|rate| percent::decimals(rate, 2));
        table.add_row([
            dimension.name.clone(),
            grouped(dimension.rows_matched),
            grouped(dimension.rows_unmatched),
            or_dash(rate),
        ]);
    }
    table
}

fn strategies(runs: &[RunRecord]) -> Table {
    let header = "strategy|rows/s|join rows/s|spread|passes|p50 ms|p99 ms|max ms|build ms|\
        tables|peak anon";
    let mut table = table(header.split('|'));
    for RunRecord { strategy, summary, .. } in runs {
        let latency = |pick: fn(&crate::record::Quantiles) -> f64| {
            or_dash(summary.latency_ms.as_ref().map(|latency| millis(pick(latency))))
        };
        table.add_row([
            strategy.clone(),
            or_dash(summary.rows_per_second.map(rate)),
            or_dash(summary.join_rows_per_second.map(rate)),
            or_dash(summary.spread.map(|spread| percent::decimals(spread, 1))),
            summary.passes.to_string(),
            latency(|latency| latency.p50),
            latency(|latency| latency.p99),
            latency(|latency| latency.max),
            or_dash(summary.build_ms.map(millis)),
            or_dash(summary.table_bytes.map(bytes::decimal)),
            or_dash(summary.peak_anon_bytes.map(bytes::decimal)),
        ]);
    }
    table
}

/// The state of a join of two streams.
fn state(runs: &[RunRecord]) -> Table {
    let header = "state|peak rows|plateau|plateaus|left at end|right at end|peak|\
        bytes/row|outer delay p50|p99|max";
    let mut table = table(header.split('|'));
    for RunRecord { strategy, summary, .. } in runs {
        let Some(rows) = &summary.state_rows else { continue };
        let delay = |pick: fn(&crate::record::Quantiles) -> f64| {
            or_dash(summary.outer_delay.as_ref().map(|delay| seconds(pick(delay) / 1000.0)))
        };
        table.add_row([
            strategy.clone(),
            grouped(rows.peak),
            or_dash(rows.plateau.map(grouped)),
            or_dash(rows.plateaus.map(|yes| if yes { "yes" } else { "no" }.to_owned())),
            grouped(rows.left),
            grouped(rows.right),
            or_dash(summary.state_bytes.map(|state| bytes::decimal(state.peak))),
            or_dash(summary.bytes_per_live_row.map(|bytes| format!("{bytes:.0}"))),
            delay(|delay| delay.p50),
            delay(|delay| delay.p99),
            delay(|delay| delay.max),
        ]);
    }
    table
}

/// How the pace was kept.
fn pace(runs: &[RunRecord]) -> Table {
    let header = "pace|rows/s due|busy|late batches|idle ticks|behind at end|at most";
    let mut table = table(header.split('|'));
    for RunRecord { strategy, summary, .. } in runs {
        let Some(pace) = &summary.pace else { continue };
        table.add_row([
            strategy.clone(),
            rate(pace.rows_per_second),
            percent::decimals(pace.busy_share, 0),
            format!("{} of {}", grouped(pace.late_batches), grouped(summary.batches)),
            grouped(pace.idle_ticks),
            seconds(pace.behind_ms / 1000.0),
            seconds(pace.most_behind_ms / 1000.0),
        ]);
    }
    table
}

/// How the strategies compare with the first.
fn ratios(first: &RunRecord, others: &[RunRecord]) -> Table {
    let against = format!("against {}", first.strategy);
    let mut table = table([&*against, "rows/s", "join rows/s", "p50 latency", "build", "tables"]);
    let ratio = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) if b > 0.0 => format!("{:.2}x", a / b),
        _ => "-".to_owned(),
    };
    let base = &first.summary;
    for RunRecord { strategy, summary, .. } in others {
        let p50 = |s: &Summary| s.latency_ms.map(|latency| latency.p50);
        let size = |s: &Summary| s.table_bytes.map(|bytes| bytes as f64);
        table.add_row([
            strategy.clone(),
            ratio(summary.rows_per_second, base.rows_per_second),
            ratio(summary.join_rows_per_second, base.join_rows_per_second),
            ratio(p50(summary), p50(base)),
            ratio(summary.build_ms, base.build_ms),
            ratio(size(summary), size(base)),
        ]);
    }
    table
}

/// The machine and the build, in a line.
pub(super) fn machine(environment: &Environment) -> String {
    let machine = &environment.machine;
    format!(
        "{}, {} cores, {}; {} build of streamjoin {}, {}",
        machine.cpu.as_deref().unwrap_or("unknown processor"),
        machine.cores,
        environment.isa,
        environment.profile,
        environment.version,
        environment.allocator
    )
}
