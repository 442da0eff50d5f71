//! Runs as CSV: one line per run, the settings that differ first.

use serde_json::Value;

use crate::error::{Failure, Result};
use crate::record::{RunRecord, csv};

/// Column names after the settings, in order: the fields of the summary, flat.
const COLUMNS: &str = "strategy,rowsIn,rowsOut,rowsUnmatched,checksum,batches,passes,spread,\
    rowsPerSecond,joinRowsPerSecond,latencyMsP50,latencyMsP99,latencyMsMax,buildMs,tableBytes,\
    stateRowsPeak,stateRowsPlateau,stateRowsPlateaus,stateRowsLeft,stateRowsRight,\
    stateBytesPayload,stateBytesIndex,stateBytesBitmap,stateBytesSlack,stateBytesPeak,\
    bytesPerLiveRow,peakAnonBytes,peakRssBytes,droppedLate,droppedNullKey,droppedFiltered,\
    droppedNullTime,outerDelayMsP50,outerDelayMsP99,outerDelayMsMax,evicted,workRowsProbed,\
    workKeysCompared,workRowsIndexed,workRowsWalked,workRowsVisited,workBlocksVisited,\
    workRowsMoved,workIndexResizes,workResidualPairs,workValuesGathered,paceRowsPerSecond,\
    paceBusyShare,paceLateBatches,paceIdleTicks,paceBehindMs,paceMostBehindMs,paceFallingBehind,\
    batchBorders,ended,warnings,dimensions";

/// A line: the values of the settings, and the run.
pub(super) type Line<'a> = (Vec<String>, &'a RunRecord);

/// The runs as CSV with a header; a field that does not apply is empty.
pub(super) fn csv(settings: &[String], lines: &[Line<'_>]) -> Result<String> {
    let header = settings.iter().map(String::as_str).chain(COLUMNS.split(','));
    let lines = lines.iter().map(|(values, run)| {
        let fields = csv::flat(fields(run)?);
        let fields = COLUMNS.split(',').map(|column| fields.get(column));
        Ok(values.iter().cloned().chain(fields).collect())
    });
    csv::text(header, lines.collect::<Result<Vec<Vec<String>>>>()?)
}

/// What the columns are found in.
fn fields(run: &RunRecord) -> Result<Value> {
    let mut fields = serde_json::to_value(&run.summary).map_err(Failure::run)?;
    fields["outerDelayMs"] = fields["outerDelay"].take();
    fields["strategy"] = run.strategy.clone().into();
    fields["warnings"] = run.warnings.join("; ").into();
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Quantiles, StateBytes, StateRows, Summary};

    #[test]
    fn every_field_of_a_summary_has_a_column() {
        let summary = Summary {
            latency_ms: Some(Quantiles::default()),
            outer_delay: Some(Quantiles::default()),
            state_rows: Some(StateRows::default()),
            state_bytes: Some(StateBytes::default()),
            pace: Some(crate::record::PaceSummary::default()),
            ..Summary::default()
        };
        let run = RunRecord {
            strategy: "a".to_owned(),
            summary,
            progress: Vec::new(),
            warnings: Vec::new(),
            findings: Vec::new(),
        };
        let fields = csv::flat(fields(&run).unwrap());
        let mut names: Vec<&str> = fields.names().filter(|name| *name != "outerDelay").collect();
        let mut columns: Vec<&str> = COLUMNS.split(',').collect();
        names.sort_unstable();
        columns.sort_unstable();
        assert_eq!(names, columns);
    }
}
