//! The curve as CSV: one line a setting of the delays.

use super::report::{PointReport, SideReport, WatermarkReport};
use crate::error::{Failure, Result};

/// Column names; the fields of the JSON, flat.
const HEADER: [&str; 25] = [
    "delay",
    "marks",
    "leftDelayMs",
    "rightDelayMs",
    "late",
    "lateShare",
    "leftLate",
    "leftLateShare",
    "rightLate",
    "rightLateShare",
    "peak",
    "plateau",
    "plateaus",
    "leftAtEnd",
    "rightAtEnd",
    "leftPeak",
    "leftPlateau",
    "rightPeak",
    "rightPlateau",
    "leftRemoved",
    "rightRemoved",
    "outerDelayMsP50",
    "outerDelayMsP99",
    "outerDelayMsMax",
    "batches",
];

impl WatermarkReport {
    /// The curve as CSV with a header; a field that does not apply is empty.
    ///
    /// # Errors
    /// A run failure where it cannot be written.
    pub fn csv(&self) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(HEADER).map_err(Failure::run)?;
        for point in &self.points {
            writer.write_record(fields(point)).map_err(Failure::run)?;
        }
        let bytes = writer.into_inner().map_err(|error| Failure::run(error.error()))?;
        String::from_utf8(bytes).map_err(Failure::run)
    }
}

fn fields(point: &PointReport) -> [String; HEADER.len()] {
    fn text<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let marks: Vec<&str> = point.marks.iter().map(|mark| mark.name()).collect();
    let rows = &point.state_rows;
    let (left, right): (&SideReport, &SideReport) = (&point.left, &point.right);
    let outer = point.outer_delay.as_ref();
    [
        point.delay.clone(),
        marks.join(" + "),
        text(left.delay_ms),
        text(right.delay_ms),
        point.late.to_string(),
        text(point.late_share),
        left.late.to_string(),
        text(left.late_share),
        right.late.to_string(),
        text(right.late_share),
        rows.peak.to_string(),
        text(rows.plateau),
        text(rows.plateaus),
        rows.left.to_string(),
        rows.right.to_string(),
        left.peak.to_string(),
        text(left.plateau),
        right.peak.to_string(),
        text(right.plateau),
        left.removed.to_string(),
        right.removed.to_string(),
        text(outer.map(|delay| delay.p50)),
        text(outer.map(|delay| delay.p99)),
        text(outer.map(|delay| delay.max)),
        point.batches.to_string(),
    ]
}
