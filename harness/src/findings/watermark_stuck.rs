//! A watermark that stands still, and what holds it.

use streamjoin_kernels::Side;
use streamjoin_kernels::time::WatermarkPolicy;

use super::few_keys_matched::name_of;
use super::finished_run::FinishedRun;
use crate::plan::{Plan, StreamPlan, StreamStreamPlan};
use crate::record::{Finding, Severity};
use crate::replay::{SideEvidence, StreamStreamEvidence};
use crate::scenario::Finished;
use crate::text::duration::seconds;
use crate::text::instant::iso_millis;
use crate::text::number::grouped;

pub(super) const ID: &str = "watermark-stuck";

const SIDES: [Side; 2] = [Side::Left, Side::Right];

pub(super) fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let (Plan::StreamStream(plan), Some(pair)) = (run.plan, &run.evidence().stream_stream) else {
        return Vec::new();
    };
    // Rows that wait for a silent stream are reported together with what holds them.
    if pair.held.is_some() {
        return Vec::new();
    }
    let Some(watermark) = pair.watermark else { return Vec::new() };
    if let Some(finding) = poison(plan, pair) {
        return vec![finding];
    }
    let stands = pair.batches_since_move >= 3 && pair.batches_since_move * 5 >= pair.batches;
    if !stands {
        return Vec::new();
    }
    let Some(side) = holder(plan, pair) else { return Vec::new() };
    let found = &pair.sides[side as usize];
    let name = name_of(plan, side);
    let title = format!("The watermark stands still, held by `{name}`");
    let finding = Finding::new(ID, Severity::Warning, title)
        .about(name)
        .saw(format!(
            "it is {} and has not moved in the last {} batches",
            iso_millis(watermark.saturating_mul(1000)),
            grouped(pair.batches_since_move)
        ))
        .with("watermark", iso_millis(watermark.saturating_mul(1000)))
        .with("batchesSinceMove", pair.batches_since_move)
        .with("rows", found.rows)
        .with(
            "nextWatermark",
            other_mark(pair, side).map(|ms| iso_millis(ms.saturating_mul(1000))),
        );
    vec![why(plan, pair, side, finding)]
}

/// The stream whose own watermark is the global one.
pub(super) fn holder(plan: &StreamStreamPlan, pair: &StreamStreamEvidence) -> Option<Side> {
    let marks = pair.sides.each_ref().map(|side| side.watermark);
    match marks {
        [Some(left), Some(right)] => {
            let left_decides = match plan.spec.policy {
                WatermarkPolicy::Min => left <= right,
                WatermarkPolicy::Max => left >= right,
            };
            Some(if left_decides { Side::Left } else { Side::Right })
        }
        [Some(_), None] => Some(Side::Left),
        [None, Some(_)] => Some(Side::Right),
        [None, None] => None,
    }
}

fn other_mark(pair: &StreamStreamEvidence, side: Side) -> Option<i64> {
    pair.sides[side.opposite() as usize].watermark
}

/// Why a stream says nothing new, and what to do about it.
pub(super) fn why(
    plan: &StreamStreamPlan,
    pair: &StreamStreamEvidence,
    side: Side,
    finding: Finding,
) -> Finding {
    let found = &pair.sides[side as usize];
    let name = name_of(plan, side);
    let finding = ahead_of(plan, pair, side, finding);
    match found.times {
        None if found.rows == 0 => finding.saw(format!("`{name}` has no rows")).remedy(format!(
            "finished = \"leaves\" under [stream.{name}] lets an ended stream leave the watermark; or point its `recording` to files with rows"
        )),
        None => finding
            .saw(format!("none of the {} rows of `{name}` has an event time", grouped(found.rows)))
            .remedy(format!(
                "name another column in event_time under [stream.{name}], or correct its `unit` or `format`"
            )),
        Some(times) => {
            let finding = finding.saw(format!(
                "its greatest event time is {} and has not grown in the last {} batches{}",
                iso_millis(times.max),
                grouped(found.batches_since_time),
                if found.ended { ", because it has ended" } else { "" }
            ));
            finding.remedy(remedy(plan, found, side))
        }
    }
}

fn ahead_of(
    plan: &StreamStreamPlan,
    pair: &StreamStreamEvidence,
    side: Side,
    finding: Finding,
) -> Finding {
    let marks = (pair.sides[side as usize].watermark, other_mark(pair, side));
    let (Some(own), Some(other)) = marks else { return finding };
    finding.saw(format!(
        "the watermark of `{}` is {} ahead of it",
        name_of(plan, side.opposite()),
        seconds(other.saturating_sub(own) as f64 / 1000.0)
    ))
}

fn remedy(plan: &StreamStreamPlan, found: &SideEvidence, side: Side) -> String {
    let stream = plan.side(side);
    let name = &stream.stream.name;
    if found.ended && stream.finished == Finished::Stays {
        return format!(
            "finished = \"leaves\" under [stream.{name}] lets the ended stream leave the watermark"
        );
    }
    let arrival = if stream.stream.arrival.is_none() {
        " (it is counted in arrival time: name the column in `arrival` of both streams)"
    } else {
        ""
    };
    format!(
        "idle_timeout = \"10 minutes\" under [stream.{name}] lets a silent stream leave the watermark{arrival}"
    )
}

/// Which condition leaves it out, where the column is a time.
fn keeps_others(stream: &StreamPlan, others: i64) -> String {
    let Some(time) = stream.event_time.as_ref().filter(|time| time.unit().is_none()) else {
        return String::new();
    };
    let next = iso_millis(others.saturating_add(86_400_000_000));
    format!(
        ", such as \"{} < TIMESTAMP '{}'\"",
        time.column(),
        next.trim_end_matches('Z').replace('T', " ")
    )
}

/// A row far ahead of the others: the watermark leapt to it, and stays.
fn poison(plan: &StreamStreamPlan, pair: &StreamStreamEvidence) -> Option<Finding> {
    let (side, row) = SIDES
        .into_iter()
        .find_map(|side| pair.sides[side as usize].ahead.map(|row| (side, row)))?;
    let stream = &plan.side(side).stream;
    let late: u64 = pair.sides.iter().map(|side| side.late).sum();
    let title =
        format!("One row of `{}` is far ahead in event time, and holds the watermark", stream.name);
    let mut finding = Finding::new(ID, Severity::Problem, title)
        .about(&stream.name)
        .saw(format!(
            "row {} of {} has the event time {}, the rows after it go up to {}",
            row.row,
            stream.feed.file_name(row.file),
            iso_millis(row.time),
            iso_millis(row.others)
        ))
        .saw(format!("{} rows are late", grouped(late)))
        .with("row", row.row)
        .with("file", stream.feed.file_name(row.file))
        .with("eventTime", iso_millis(row.time))
        .with("othersUpTo", iso_millis(row.others))
        .with("late", late)
        .remedy(format!(
            "correct the row, or leave it out with `where` under [stream.{}]{}",
            stream.name,
            keeps_others(stream, row.others)
        ));
    finding.warned = pair.warned_of_outlier;
    Some(finding)
}
