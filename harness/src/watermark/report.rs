//! The report as programs read it.

use serde::{Deserialize, Serialize};
use streamjoin_kernels::{Side, Sides};

use super::MICROS;
use super::knee::knee;
use super::simulation::{DelayOutcome, Delays, Lateness, SideRows, Vary};
use crate::plan::StreamStreamPlan;
use crate::record::{Quantiles, StateRows};
use crate::scenario::Scenario;
use crate::text::duration::exact_millis;

/// Version of the report's layout.
const SCHEMA_VERSION: u32 = 1;

/// What `streamjoin watermark` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatermarkReport {
    /// Version of this layout.
    pub schema_version: u32,
    /// Name of the scenario.
    pub scenario: String,
    /// Its description.
    pub description: Option<String>,
    /// Stream rows read at most; null without a limit.
    pub limit: Option<u64>,
    /// The join type.
    pub join_type: String,
    /// The stream on the left.
    pub left: StreamReport,
    /// The stream on the right.
    pub right: StreamReport,
    /// Whose delay varies: `both`, `left` or `right`.
    pub varies: String,
    /// Passes over the recording: one, and one before it where the delays had
    /// to be chosen.
    pub passes: u32,
    /// How late rows are; null where the delays were given.
    pub lateness: Option<LatenessReport>,
    /// The delay after which more delay buys little; null where the curve has
    /// no such place.
    pub knee: Option<Knee>,
    /// One entry a setting of the delays, ascending.
    #[serde(rename = "curve")]
    pub points: Vec<PointReport>,
}

/// One of the streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamReport {
    /// Its name.
    pub name: String,
    /// Rows that reached the join.
    pub rows: u64,
    /// The delay that the scenario declares, in milliseconds; null without a
    /// watermark.
    pub delay_ms: Option<i64>,
}

/// How late rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LatenessReport {
    /// Rows that are late without a delay, and in time with some.
    pub late_without_delay: u64,
    /// Rows that are late whatever the delay: at or before 1970, or behind a
    /// watermark that the delay does not move.
    pub late_always: u64,
    /// The least delay with which only the latter are late.
    pub least_delay_ms: i64,
}

/// Where the curve bends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Knee {
    /// The position in the curve.
    pub point: usize,
    /// The delay, in milliseconds.
    pub delay_ms: i64,
    /// What of the state it was found by: `plateau`, or `peak` where not every
    /// delay has one.
    pub by: String,
}

/// What is to be said about a setting of the delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// The scenario declares it.
    Scenario,
    /// The knee.
    Knee,
    /// The least delay with which no row is late.
    NothingLate,
}

impl Mark {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scenario => "scenario",
            Self::Knee => "knee",
            Self::NothingLate => "nothing late",
        }
    }
}

/// What a run with certain delays reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PointReport {
    /// The delay as a scenario reads it; of both streams, where they differ.
    pub delay: String,
    /// What is to be said about it.
    pub marks: Vec<Mark>,
    /// Rows dropped as late.
    pub late: u64,
    /// The share of the rows that reached the join that was late; null without
    /// a row.
    pub late_share: Option<f64>,
    /// The left stream.
    pub left: SideReport,
    /// The right stream.
    pub right: SideReport,
    /// Rows in state, as a run has them.
    pub state_rows: StateRows,
    /// How long after its time an unmatched row was emitted, in milliseconds, the
    /// end apart; null if none did.
    pub outer_delay: Option<Quantiles>,
    /// Executed batches, without the one at the end.
    pub batches: u64,
}

/// One stream at certain delays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SideReport {
    /// The delay; null without a watermark.
    pub delay_ms: Option<i64>,
    /// Rows dropped as late.
    pub late: u64,
    /// As a share of its rows that reached the join; null without a row.
    pub late_share: Option<f64>,
    /// Rows taken out of state before the end.
    pub removed: u64,
    /// Greatest number of rows in state.
    pub peak: u64,
    /// Median after warm-up; null when warm-up never ended.
    pub plateau: Option<u64>,
}

/// What a report is made of.
pub(super) struct Found<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) plan: &'a StreamStreamPlan,
    pub(super) vary: Vary,
    pub(super) declared: Delays,
    /// Settings that differ in what varies alone.
    pub(super) on_the_curve: &'a [Delays],
    pub(super) points: &'a [DelayOutcome],
    pub(super) rows_in: Sides<u64>,
    pub(super) lateness: Option<&'a Lateness>,
}

pub(super) fn report(found: &Found<'_>) -> WatermarkReport {
    let knee = find_knee(found);
    let points = found.points.iter().enumerate();
    let points = points.map(|(place, point)| {
        let is_knee = knee.as_ref().is_some_and(|knee| knee.point == place);
        point_report(found, point, is_knee)
    });
    let stream = |side: Side, rows: u64| StreamReport {
        name: found.plan.side(side).stream.name.clone(),
        rows,
        delay_ms: found.declared.on(side).map(millis),
    };
    WatermarkReport {
        schema_version: SCHEMA_VERSION,
        scenario: found.scenario.name.clone(),
        description: found.scenario.description.clone(),
        limit: found.plan.limit,
        join_type: found.plan.spec.join_type.to_string(),
        left: stream(Side::Left, found.rows_in.left),
        right: stream(Side::Right, found.rows_in.right),
        varies: match found.vary {
            Vary::Both => "both".to_owned(),
            Vary::One(side) => side.to_string(),
        },
        passes: if found.lateness.is_some() { 2 } else { 1 },
        lateness: found.lateness.map(|lateness| LatenessReport {
            late_without_delay: lateness.curable,
            late_always: lateness.always,
            least_delay_ms: lateness.greatest,
        }),
        points: points.collect(),
        knee,
    }
}

fn point_report(found: &Found<'_>, point: &DelayOutcome, is_knee: bool) -> PointReport {
    let side = |side: Side, rows: SideRows| SideReport {
        delay_ms: point.delays.on(side).map(millis),
        late: rows.late,
        late_share: share(rows.late, found.rows_in[side]),
        removed: rows.removed,
        peak: rows.peak,
        plateau: rows.plateau,
    };
    let late = point.left.late + point.right.late;
    let nothing_late = found.lateness.is_some_and(|lateness| {
        let least = found.vary.delays(found.declared, lateness.greatest.saturating_mul(MICROS));
        lateness.always == 0 && point.delays == least
    });
    let marks = [
        (Mark::Scenario, point.delays == found.declared),
        (Mark::Knee, is_knee),
        (Mark::NothingLate, nothing_late),
    ];
    PointReport {
        delay: delay_text(found.vary, point.delays),
        marks: marks.into_iter().filter(|(_, is)| *is).map(|(mark, _)| mark).collect(),
        late,
        late_share: share(late, found.rows_in.left + found.rows_in.right),
        left: side(Side::Left, point.left),
        right: side(Side::Right, point.right),
        state_rows: point.rows,
        outer_delay: point.outer_delay,
        batches: point.batches,
    }
}

/// The knee of the curve of late rows over the state that their delay costs.
fn find_knee(found: &Found<'_>) -> Option<Knee> {
    let on_the_curve: Vec<(usize, &DelayOutcome)> = found
        .points
        .iter()
        .enumerate()
        .filter(|(_, point)| found.on_the_curve.contains(&point.delays))
        .collect();
    let plateaus = on_the_curve.iter().all(|(_, point)| point.rows.plateau.is_some());
    let curve: Vec<(f64, f64)> = on_the_curve
        .iter()
        .map(|(_, point)| {
            let rows = point.rows.plateau.filter(|_| plateaus).unwrap_or(point.rows.peak);
            (rows as f64, (point.left.late + point.right.late) as f64)
        })
        .collect();
    let (point, at) = on_the_curve[knee(&curve)?];
    let varying = match found.vary {
        Vary::Both => at.delays.left.or(at.delays.right),
        Vary::One(side) => at.delays.on(side),
    };
    Some(Knee {
        point,
        delay_ms: varying.map(millis)?,
        by: if plateaus { "plateau" } else { "peak" }.to_owned(),
    })
}

fn delay_text(vary: Vary, delays: Delays) -> String {
    let text = |delay: i64| exact_millis(millis(delay));
    match (vary, delays.left, delays.right) {
        (Vary::One(side), ..) => delays.on(side).map(text).unwrap_or_default(),
        (Vary::Both, Some(left), Some(right)) if left != right => {
            format!("{} / {}", text(left), text(right))
        }
        (Vary::Both, left, right) => left.or(right).map(text).unwrap_or_default(),
    }
}

fn millis(micros: i64) -> i64 {
    micros.div_euclid(MICROS)
}

fn share(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}
