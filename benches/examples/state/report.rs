//! Measurements as a table.

use streamjoin_benches::state_workload::Meter;

use super::run::{Outcome, Plan};

/// Allowed for every row that expires, in the limit of a single eviction.
const NANOS_A_ROW: f64 = 3.0;

/// The middle of some numbers, and how far apart they are relative to it.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
    let middle = (low + high) / 2.0;
    (middle, (values[values.len() - 1] - values[0]) / middle)
}

pub(crate) fn print(plan: &Plan, outcomes: &[Outcome]) -> Result<(), String> {
    let shape = plan.setting.shape()?;
    println!(
        "{}, {} thread(s); {} keys, interval {:.3} s of {:.0} s",
        plan.setting,
        plan.threads,
        shape.distinct,
        shape.width as f64 / 1e6,
        shape.retention as f64 / 1e6,
    );
    println!(
        "{} repetitions of {} input rows, batches of {} (both sides)\n",
        plan.repeat, outcomes[0].repetitions[0].rows, plan.batch
    );
    println!(
        "{:<12} {:>8} {:>7} | {:>6} {:>6} {:>6} | {:>7} {:>9} {:>6} {:>8} | {:>7} {:>7} | {:>6} {:>6}",
        "store",
        "M rows/s",
        "ns/row",
        "probe",
        "insert",
        "evict",
        "ns/exp.",
        "longest ms",
        "rows",
        "over 3ns",
        "matches",
        "walked",
        "B/row",
        "spread"
    );
    for outcome in outcomes {
        let of = |value: fn(&Meter) -> f64| median(outcome.repetitions.iter().map(value));
        let (nanos, spread) = of(|m| m.total().as_nanos() as f64 / m.rows as f64);
        let per_row = |value: fn(&Meter) -> f64| of(value).0;
        let longest = outcome.repetitions.iter().map(|m| m.longest).max_by_key(|call| call.time);
        let longest = longest.unwrap_or_default();
        let millis = longest.time.as_secs_f64() * 1e3;
        println!(
            "{:<12} {:>8.1} {:>7.1} | {:>6.1} {:>6.1} {:>6.1} | {:>7.2} {:>10.3} {:>6} {:>8.3} | {:>7.2} {:>7.2} | {:>6.1} {:>5.0}%",
            outcome.store.name(),
            1e3 / nanos,
            nanos,
            per_row(|m| m.probe.as_nanos() as f64 / m.rows as f64),
            per_row(|m| m.insert.as_nanos() as f64 / m.rows as f64),
            per_row(|m| m.evict.as_nanos() as f64 / m.rows as f64),
            per_row(|m| m.evict.as_nanos() as f64 / m.evicted.max(1) as f64),
            millis,
            longest.rows,
            (millis - longest.rows as f64 * NANOS_A_ROW / 1e6).max(0.0),
            per_row(|m| m.pairs as f64 / m.rows as f64),
            per_row(|m| m.walked as f64 / m.rows as f64),
            outcome.size.bytes() as f64 / outcome.size.rows as f64,
            spread * 100.0,
        );
    }
    let interrupted: u64 =
        outcomes.iter().flat_map(|o| &o.repetitions).map(|meter| meter.interrupted).sum();
    let all = outcomes.iter().flat_map(|o| &o.repetitions).map(|m| m.longest_of_all.time).max();
    if let Some(all) = all.filter(|_| interrupted > 0) {
        println!(
            "\n{interrupted} evictions lost the processor and do not count as longest; \
             with them it is {:.3} ms",
            all.as_secs_f64() * 1e3
        );
    }
    Ok(())
}
