//! The report as CSV: one line per setting of the delays.

use serde_json::Value;

use super::report::{PointReport, WatermarkReport};
use crate::error::{Failure, Result};
use crate::record::csv;

/// Column names, in order: the fields of the JSON, flat.
const COLUMNS: &str = "delay,marks,leftDelayMs,rightDelayMs,late,lateShare,leftLate,\
    leftLateShare,rightLate,rightLateShare,peak,plateau,plateaus,leftAtEnd,rightAtEnd,leftPeak,\
    leftPlateau,rightPeak,rightPlateau,leftRemoved,rightRemoved,outerDelayMsP50,outerDelayMsP99,\
    outerDelayMsMax,batches";

impl WatermarkReport {
    /// The report as CSV with a header; a field that does not apply is empty.
    ///
    /// # Errors
    /// A run failure where it cannot be written.
    pub fn csv(&self) -> Result<String> {
        let lines = self.points.iter().map(|point| {
            let fields = csv::flat(fields(point)?);
            Ok(COLUMNS.split(',').map(|column| fields.get(column)).collect())
        });
        csv::text(COLUMNS.split(','), lines.collect::<Result<_>>()?)
    }
}

/// What the columns are found in.
fn fields(point: &PointReport) -> Result<Value> {
    let mut fields = serde_json::to_value(point).map_err(Failure::run)?;
    let mut rows = fields["stateRows"].take();
    for name in ["peak", "plateau", "plateaus"] {
        fields[name] = rows[name].take();
    }
    fields["leftAtEnd"] = rows["left"].take();
    fields["rightAtEnd"] = rows["right"].take();
    fields["outerDelayMs"] = fields["outerDelay"].take();
    let marks: Vec<&str> = point.marks.iter().map(|mark| mark.name()).collect();
    fields["marks"] = marks.join(" + ").into();
    Ok(fields)
}
