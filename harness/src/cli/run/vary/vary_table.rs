//! Combinations for people: one line per run.

use comfy_table::Table;

use super::run::Run;
use crate::cli::run::summary_table::{rows, title};
use crate::cli::text_table::{millis, or_dash, table};
use crate::record::Quantiles;
use crate::scenario::Scenario;
use crate::text::number::{grouped, rate};
use crate::text::{bytes, percent};

/// The lines that `run --vary` prints; `verified` = the rows agreed where they must.
pub(super) fn lines(
    scenario: &Scenario,
    keys: &[String],
    runs: &[Run],
    may_change: &[bool],
    verified: bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    lines.push(title(scenario));
    let decisive: Vec<&str> =
        keys.iter().zip(may_change).filter(|(_, may)| **may).map(|(key, _)| key.as_str()).collect();
    if let (Some(first), true) = (runs.first(), decisive.is_empty()) {
        let summary = &first.record.summary;
        let checksum = summary.checksum.as_deref().unwrap_or("none");
        lines.push(format!("{}; checksum {checksum}", rows(summary)));
    }
    lines.push(runs_table(keys, runs, !decisive.is_empty()).to_string());
    if verified && runs.len() > 1 {
        lines.push(match decisive.as_slice() {
            [] => format!("verified: all {} runs gave the same rows", runs.len()),
            keys => {
                format!("verified: runs with the same {} gave the same rows", keys.join(" and "))
            }
        });
    }
    lines
}

fn runs_table(keys: &[String], runs: &[Run], answers: bool) -> Table {
    let any = |has: fn(&Run) -> bool| runs.iter().any(has);
    let tables = any(|run| run.record.summary.build_ms.is_some());
    let state = any(|run| run.record.summary.state_rows.is_some());
    let late = any(|run| run.record.summary.dropped.late.is_some());
    let mut header: Vec<&str> = keys.iter().map(String::as_str).collect();
    header.extend(["strategy", "rows/s", "join rows/s", "spread", "batches", "p50 ms", "p99 ms"]);
    for (shown, columns) in [
        (tables, &["build ms", "tables"][..]),
        (state, &["state peak rows", "state plateau", "state peak"]),
        (late, &["late"]),
        (true, &["peak anon"]),
        (answers, &["rows out", "checksum"]),
    ] {
        header.extend(columns.iter().filter(|_| shown));
    }
    let mut table = table(header);
    for run in runs {
        let summary = &run.record.summary;
        let latency = |pick: fn(&Quantiles) -> f64| {
            or_dash(summary.latency_ms.as_ref().map(|latency| millis(pick(latency))))
        };
        let dash = |text: String| if text.is_empty() { "-".to_owned() } else { text };
        let mut cells: Vec<String> = run.values().into_iter().map(dash).collect();
        cells.extend([
            run.record.strategy.clone(),
            or_dash(summary.rows_per_second.map(rate)),
            or_dash(summary.join_rows_per_second.map(rate)),
            or_dash(summary.spread.map(|spread| percent::decimals(spread, 1))),
            grouped(summary.batches),
            latency(|latency| latency.p50),
            latency(|latency| latency.p99),
        ]);
        if tables {
            cells.push(or_dash(summary.build_ms.map(millis)));
            cells.push(or_dash(summary.table_bytes.map(bytes::decimal)));
        }
        if state {
            let rows = summary.state_rows.as_ref();
            cells.push(or_dash(rows.map(|rows| grouped(rows.peak))));
            cells.push(or_dash(rows.and_then(|rows| rows.plateau).map(grouped)));
            cells.push(or_dash(summary.state_bytes.map(|state| bytes::decimal(state.peak))));
        }
        if late {
            cells.push(or_dash(summary.dropped.late.map(grouped)));
        }
        cells.push(or_dash(summary.peak_anon_bytes.map(bytes::decimal)));
        if answers {
            cells.push(grouped(summary.rows_out));
            cells.push(or_dash(summary.checksum.clone()));
        }
        table.add_row(cells);
    }
    table
}
