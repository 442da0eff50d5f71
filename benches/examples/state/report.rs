//! Measurements as a table.

use std::time::Duration;

use streamjoin::machine::Repeated;
use streamjoin_benches::state_workload::Meter;

use super::run::{Comparison, Outcome};

/// Allowed per row that expires, in the limit of a single eviction.
const NANOS_PER_EXPIRED_ROW: f64 = 3.0;

/// Column heads and widths; a bar goes before the wide ones.
const HEADS: [(&str, usize); 16] = [
    ("M rows/s", 8),
    ("first=1", 7),
    ("ns/row", 7),
    (" probe", 7),
    ("insert", 6),
    ("evict", 6),
    ("rest", 6),
    (" ns/exp.", 8),
    ("max ms", 7),
    ("rows", 6),
    ("over 3ns", 8),
    (" pairs/row", 10),
    ("walked", 8),
    ("B/live", 7),
    ("live", 8),
    ("spread", 6),
];

/// The setting.
pub(crate) fn print_heading(comparison: &Comparison) -> Result<(), String> {
    let shape = comparison.setting.shape()?;
    println!("{}", comparison.setting);
    println!(
        "{} live rows per side, {} keys, interval {:.3} of {:.1} s; {} repetitions of {} input rows \
         in batches of {}, both sides",
        comparison.setting.live,
        shape.distinct,
        shape.width as f64 / 1e6,
        shape.retention as f64 / 1e6,
        comparison.repeat,
        comparison.rows,
        comparison.batch
    );
    Ok(())
}

/// The results: medians over the repetitions, and the longest eviction of all
/// of them.
pub(crate) fn print(outcomes: &[Outcome]) {
    let name = outcomes.iter().map(|o| o.contender.to_string().len()).max().unwrap_or(0);
    print!("{:name$}", "");
    HEADS.iter().for_each(|(head, width)| print!(" {head:>width$}"));
    println!();
    let rate = |outcome: &Outcome| of(outcome, |m| 1e3 / per(m.total(), m.rows));
    for outcome in outcomes {
        let call = outcome.repetitions.iter().map(|m| m.longest).max_by_key(|call| call.time);
        let call = call.unwrap_or_default();
        let millis = call.time.as_secs_f64() * 1e3;
        let allowed = call.rows as f64 * NANOS_PER_EXPIRED_ROW / 1e6;
        let size = outcome.size;
        let values = [
            format!("{:.1}", rate(outcome).median),
            format!("{:.2}", rate(outcome).median / rate(&outcomes[0]).median),
            format!("{:.1}", of(outcome, |m| per(m.total(), m.rows)).median),
            format!("{:.1}", of(outcome, |m| per(m.probe, m.rows)).median),
            format!("{:.1}", of(outcome, |m| per(m.insert, m.rows)).median),
            format!("{:.1}", of(outcome, |m| per(m.evict, m.rows)).median),
            format!("{:.1}", of(outcome, |m| per(m.rest, m.rows)).median),
            format!("{:.2}", of(outcome, |m| per(m.evict, m.evicted)).median),
            format!("{millis:.3}"),
            call.rows.to_string(),
            format!("{:.3}", (millis - allowed).max(0.0)),
            format!("{:.2}", of(outcome, |m| m.pairs as f64 / m.rows as f64).median),
            format!("{:.2}", of(outcome, |m| m.walked as f64 / m.rows as f64).median),
            format!("{:.1}", size.bytes() as f64 / size.rows as f64),
            size.rows.to_string(),
            format!("{:.0}%", rate(outcome).spread * 100.0),
        ];
        print!("{:name$}", outcome.contender.to_string());
        HEADS.iter().zip(&values).for_each(|((_, width), value)| print!(" {value:>width$}"));
        println!();
    }
    let meters = || outcomes.iter().flat_map(|outcome| &outcome.repetitions);
    let interrupted: u64 = meters().map(|meter| meter.interrupted).sum();
    if let Some(longest) = meters().map(|m| m.longest_of_all.time).max()
        && interrupted > 0
    {
        println!(
            "{interrupted} evictions lost the processor and do not count for max; with them it is \
             {:.3} ms",
            longest.as_secs_f64() * 1e3
        );
    }
    println!();
}

/// Median and spread of a value over the repetitions.
fn of(outcome: &Outcome, value: impl Fn(&Meter) -> f64) -> Repeated {
    let values: Vec<f64> = outcome.repetitions.iter().map(value).collect();
    Repeated::of(&values)
}

/// Nanoseconds per row.
fn per(time: Duration, rows: u64) -> f64 {
    time.as_nanos() as f64 / rows.max(1) as f64
}
