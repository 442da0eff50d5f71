//! A sweep for people: a table a workload.

use comfy_table::Table;

use super::text_table::{or_dash, table};
use crate::record::Environment;
use crate::sweep::SweepLine;
use crate::text::number::{grouped, significant};
use crate::text::{bytes, percent};

/// What is printed of the lines of one workload.
pub(super) fn lines(lines: &[SweepLine]) -> Vec<String> {
    let Some(first) = lines.first() else { return Vec::new() };
    let mut text = vec![title(first)];
    if let Some(why) = &first.skipped {
        text.push(format!("not measured: {why}\n"));
        return text;
    }
    text.push(cells(lines).to_string());
    for line in lines {
        if let Some(why) = &line.fallback {
            text.push(format!("{}: {why}", name(line)));
        }
    }
    text.push(String::new());
    text
}

fn title(line: &SweepLine) -> String {
    let mut text = format!("{} build rows, key {}", grouped(line.build_rows), line.key);
    if line.duplicates != 1 {
        text += &format!(", {} rows per key", grouped(line.duplicates));
    }
    text += &format!(", {} % hits", line.hit_rate * 100.0);
    if line.zipf != 0.0 {
        text += &format!(", Zipf {}", line.zipf);
    }
    if line.null_share != 0.0 {
        text += &format!(", {} % nulls", line.null_share * 100.0);
    }
    let columns = if line.payload == 1 { "column" } else { "columns" };
    text + &format!(
        ", {} payload {columns}, batches of {} rows",
        line.payload,
        grouped(line.batch_rows)
    )
}

fn cells(lines: &[SweepLine]) -> Table {
    let header = "ns per row|build|pairs|sum|payload|exists|per match|\
        against\nrow-at-a-time|spread|cycles,\npairs|limit,\nsum|of limit|bytes/row|peak";
    let mut table = table(header.split('|'));
    let number = |value: Option<f64>| or_dash(value.map(nanos));
    let percent = |value: Option<f64>| or_dash(value.map(|value| percent::decimals(value, 0)));
    for line in lines {
        table.add_row([
            name(line),
            number(line.ns_per_build_row),
            number(line.ns_per_probe_pairs),
            number(line.ns_per_probe_sum),
            number(line.ns_per_probe_payload),
            number(line.ns_per_probe_exists),
            number(line.ns_per_match),
            or_dash(line.vs_row_at_a_time.map(|ratio| format!("{ratio:.2}x"))),
            percent(line.spread),
            or_dash(line.cycles_per_probe.map(|cycles| format!("{cycles:.1}"))),
            number(line.limit_ns),
            percent(line.share_of_limit),
            or_dash(line.bytes_per_row.map(|bytes| format!("{bytes:.1}"))),
            or_dash(line.peak_bytes.map(bytes::decimal)),
        ]);
    }
    table
}

/// `broadcast/chained avx512`, with the threads if there are several.
fn name(line: &SweepLine) -> String {
    let threads = match line.threads {
        1 => String::new(),
        threads => format!(" x{threads}"),
    };
    let index = line.index.as_ref().map_or(String::new(), |index| format!("/{index}"));
    format!("{}{index} {}{threads}", line.layout, line.isa)
}

/// Two digits behind the point below 10.
fn nanos(value: f64) -> String {
    if value < 10.0 { format!("{value:.2}") } else { significant(value) }
}

/// What the figures were measured on, and how.
pub(super) fn footer(environment: &Environment) -> String {
    let machine = &environment.machine;
    format!(
        "medians of interleaved repetitions; pairs against row-at-a-time of the same run; every \
         answer was checked\n{}, {} cores, {} build of streamjoin {}, {}",
        machine.cpu.as_deref().unwrap_or("unknown processor"),
        machine.cores,
        environment.profile,
        environment.version,
        environment.allocator
    )
}
