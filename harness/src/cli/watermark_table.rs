//! The report on watermark delays, for people.

use comfy_table::Table;

use super::text_table::{or_dash, table};
use crate::record::Quantiles;
use crate::text::duration::{exact_millis, seconds};
use crate::text::number::grouped;
use crate::text::percent;
use crate::watermark::{PointReport, SideReport, WatermarkReport};

/// The lines that `watermark` prints.
pub(super) fn lines(report: &WatermarkReport) -> Vec<String> {
    let mut lines = Vec::new();
    lines.push(match &report.description {
        Some(description) => format!("{}: {description}", report.scenario),
        None => report.scenario.clone(),
    });
    lines.push(format!(
        "{} of {} ({} rows) and {} ({} rows); {}",
        report.join_type,
        report.left.name,
        grouped(report.left.rows),
        report.right.name,
        grouped(report.right.rows),
        varies(report)
    ));
    lines.push(delays_table(report).to_string());
    lines.push(knee(report));
    lines.extend(lateness(report));
    let passes = match report.passes {
        1 => "one pass over the recording",
        _ => "one pass over the recording, and one before it that chose the delays",
    };
    lines.push(format!("each line is what `run` reports with that delay; {passes}"));
    lines
}

fn varies(report: &WatermarkReport) -> String {
    let (left, right) = (&report.left, &report.right);
    let stays = |varies: &str, stays: &str, delay: Option<i64>| match delay {
        Some(delay) => {
            format!("the delay of {varies} varies, that of {stays} stays {}", exact_millis(delay))
        }
        None => format!("the delay of {varies} varies, {stays} declares no watermark"),
    };
    match (report.varies.as_str(), left.delay_ms, right.delay_ms) {
        ("left", _, other) | ("both", _, other @ None) => stays(&left.name, &right.name, other),
        ("right", other, _) | ("both", other @ None, _) => stays(&right.name, &left.name, other),
        _ => "both have the same delay".to_owned(),
    }
}

fn delays_table(report: &WatermarkReport) -> Table {
    let (left, right) = (&report.left.name, &report.right.name);
    let waits = report.points.iter().any(|point| point.outer_delay.is_some());
    let mut header: Vec<String> = ["", "delay", "late"].map(str::to_owned).into();
    header.extend([left, right].map(|name| format!("late {name}")));
    header.extend(["peak rows", "plateau"].map(str::to_owned));
    header.extend([left, right].map(|name| format!("plateau {name}")));
    if waits {
        header.extend(["outer delay p50", "p99", "max"].map(str::to_owned));
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = table(header);
    for point in &report.points {
        table.add_row(row(point, waits));
    }
    table
}

fn row(point: &PointReport, waits: bool) -> Vec<String> {
    let marks: Vec<&str> = point.marks.iter().map(|mark| mark.name()).collect();
    let mut row = vec![
        marks.join(", "),
        point.delay.clone(),
        or_dash(point.late_share.map(|share| percent::two_decimals(share, false))),
    ];
    let late = |side: &SideReport| or_dash(side.delay_ms.map(|_| grouped(side.late)));
    row.extend([&point.left, &point.right].map(late));
    row.push(grouped(point.state_rows.peak));
    row.push(or_dash(point.state_rows.plateau.map(grouped)));
    row.extend([&point.left, &point.right].map(|side| or_dash(side.plateau.map(grouped))));
    if waits {
        let delay = |pick: fn(&Quantiles) -> f64| {
            or_dash(point.outer_delay.as_ref().map(|delay| seconds(pick(delay) / 1000.0)))
        };
        row.extend([delay(|d| d.p50), delay(|d| d.p99), delay(|d| d.max)]);
    }
    row
}

fn knee(report: &WatermarkReport) -> String {
    let Some(knee) = &report.knee else {
        return "no knee: at no point does more delay start to buy less".to_owned();
    };
    let rows = |point: &PointReport| match knee.by.as_str() {
        "plateau" => point.state_rows.plateau.unwrap_or_default(),
        _ => point.state_rows.peak,
    };
    let point = report.points.get(knee.point);
    let at = point.map(|point| {
        let late = or_dash(point.late_share.map(|share| percent::two_decimals(share, false)));
        format!(" ({late} of the rows late, {} of state)", grouped(rows(point)))
    });
    format!(
        "knee: {}{}: more delay buys little; of late rows over {} rows of state it lies farthest below the straight line between the ends (Kneedle, Satopaa et al. 2011)",
        exact_millis(knee.delay_ms),
        at.unwrap_or_default(),
        knee.by
    )
}

fn lateness(report: &WatermarkReport) -> Vec<String> {
    let Some(lateness) = &report.lateness else { return Vec::new() };
    let least = exact_millis(lateness.least_delay_ms);
    let mut lines = Vec::new();
    match (lateness.late_without_delay, lateness.late_always) {
        (0, 0) => lines.push("no row is late, whatever the delay".to_owned()),
        (_, 0) => lines.push(format!("nothing is late from {least} on, and not with 1 ms less")),
        (late, always) => {
            lines.push(format!(
                "{} rows are late whatever the delay: at or before 1970, or behind a watermark that it does not move",
                grouped(always)
            ));
            if late > 0 {
                lines.push(format!("nothing else is late from {least} on, and not with 1 ms less"));
            }
        }
    }
    lines
}
