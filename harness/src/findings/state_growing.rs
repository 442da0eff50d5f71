//! State that grows and never reaches a plateau.

use streamjoin_kernels::Side;

use super::few_keys_matched::name_of;
use super::finished_run::FinishedRun;
use crate::plan::Plan;
use crate::record::{Finding, Severity};
use crate::replay::{StatePoint, plateaus};
use crate::text::bytes;
use crate::text::duration::seconds;
use crate::text::number::{grouped, significant};

/// Fewer batches tell nothing about growth.
const LEAST_BATCHES: usize = 8;

/// Microseconds of an hour.
const HOUR: f64 = 3.6e9;

pub(super) fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let (Plan::StreamStream(plan), Some(pair)) = (run.plan, &run.evidence().stream_stream) else {
        return Vec::new();
    };
    let unbounded: Vec<Side> = [Side::Left, Side::Right]
        .into_iter()
        .zip(&pair.sides)
        .filter_map(|(side, found)| found.never_leaves.then_some(side))
        .collect();
    // Until rows have left, a state that may reach a plateau only fills up.
    let points: Vec<StatePoint> =
        pair.state.iter().filter(|p| p.warm || !unbounded.is_empty()).copied().collect();
    let total = |point: &StatePoint| point.rows[0] + point.rows[1];
    let rows: Vec<u64> = points.iter().map(total).collect();
    if points.len() < LEAST_BATCHES || plateaus(&rows) != Some(false) {
        return Vec::new();
    }
    let half = &points[points.len() / 2..];
    let Some(a_batch) = slope(half, |p| Some(p.batch as f64), |p| total(p) as f64) else {
        return Vec::new();
    };
    if a_batch <= 0.0 {
        return Vec::new();
    }
    let an_hour = slope(half, |p| p.time.map(|time| time as f64 / HOUR), |p| total(p) as f64);
    let an_hour = an_hour.filter(|slope| *slope > 0.0 && slope.is_finite());
    let (first, last) = (&points[0], &points[points.len() - 1]);
    let title = format!(
        "The state grows by {} rows per batch and does not reach a plateau",
        significant(a_batch)
    );
    let mut finding = Finding::new("state-growing", Severity::Warning, title)
        .saw(format!(
            "{} rows after batch {}, {} after batch {} ({})",
            grouped(total(first)),
            first.batch,
            grouped(total(last)),
            last.batch,
            bytes::decimal(last.bytes)
        ))
        .with("rowsPerBatch", a_batch)
        .with("rowsPerHour", an_hour)
        .with("rows", total(last))
        .with("bytes", last.bytes);
    let of_sides = [Side::Left, Side::Right].map(|side| {
        let of = |p: &StatePoint| p.rows[side as usize] as f64;
        (side, slope(half, |p| Some(p.batch as f64), of).unwrap_or(0.0))
    });
    let shares = of_sides.iter().map(|(side, slope)| {
        format!("{} per batch from `{}`", significant(*slope), name_of(plan, *side))
    });
    finding = finding.saw(shares.collect::<Vec<_>>().join(", "));
    if let Some(an_hour) = an_hour {
        let row_bytes = last.bytes as f64 / (total(last).max(1)) as f64;
        let day = (an_hour * 24.0 * row_bytes).min(1e18) as u64;
        finding = finding.saw(format!(
            "{} rows per hour of event time: {} more after a day",
            grouped(an_hour.min(1e18) as u64),
            bytes::decimal(day)
        ));
        if let Some(memory) = run.memory {
            let left = memory.saturating_sub(last.bytes) as f64 / (an_hour * row_bytes).max(1.0);
            finding = finding
                .saw(format!(
                    "the {} of this machine are full after {} of event time",
                    bytes::decimal(memory),
                    seconds(left * 3600.0)
                ))
                .with("hoursUntilMemoryIsFull", left);
        }
    }
    let limit = format!(
        "state_limit = {{ rows = N }} under [strategies.{}] ends the run before memory does",
        run.strategy.name
    );
    let remedy = if unbounded.is_empty() {
        let marks = "a longer recording shows whether the state only follows the rate of the input";
        format!(
            "compare the rows per hour with the delays: a shorter `watermark` or interval keeps less (`streamjoin watermark SCENARIO`), and {marks}; {limit}"
        )
    } else {
        for why in &plan.unbounded {
            finding = finding.saw(why.clone());
        }
        let names = unbounded.iter().map(|side| format!("`{}`", name_of(plan, *side)));
        format!(
            "bound how long rows of {} are kept: compare the event times of both streams in `on` (such as clicks.at BETWEEN views.at AND views.at + INTERVAL 1 HOUR), and a `watermark` to both; {limit}",
            names.collect::<Vec<_>>().join(" and ")
        )
    };
    vec![finding.remedy(remedy)]
}

/// The slope of the line through the points by least squares; none without two
/// places on the axis.
fn slope(
    points: &[StatePoint],
    x: impl Fn(&StatePoint) -> Option<f64>,
    y: impl Fn(&StatePoint) -> f64,
) -> Option<f64> {
    let points: Vec<(f64, f64)> = points.iter().filter_map(|p| Some((x(p)?, y(p)))).collect();
    let count = points.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / count;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let over: f64 = points.iter().map(|(x, _)| (x - mx).powi(2)).sum();
    let with: f64 = points.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    (over > 0.0).then(|| with / over)
}
