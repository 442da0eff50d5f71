//! Runs as CSV: one line a run, the settings that differ first.

use std::io::Write;
use std::path::Path;

use streamjoin_datasets::{AtomicFile, DatasetError};

use crate::error::{Failure, Result};
use crate::record::{Quantiles, RunRecord};

/// Column names after the settings; the fields of the summary, flat.
const HEADER: [&str; 57] = [
    "strategy",
    "rowsIn",
    "rowsOut",
    "rowsUnmatched",
    "checksum",
    "batches",
    "passes",
    "spread",
    "rowsPerSecond",
    "joinRowsPerSecond",
    "latencyMsP50",
    "latencyMsP99",
    "latencyMsMax",
    "buildMs",
    "tableBytes",
    "stateRowsPeak",
    "stateRowsPlateau",
    "stateRowsPlateaus",
    "stateRowsLeft",
    "stateRowsRight",
    "stateBytesPayload",
    "stateBytesIndex",
    "stateBytesBitmap",
    "stateBytesSlack",
    "stateBytesPeak",
    "bytesPerLiveRow",
    "peakAnonBytes",
    "peakRssBytes",
    "droppedLate",
    "droppedNullKey",
    "droppedFiltered",
    "droppedNullTime",
    "outerDelayMsP50",
    "outerDelayMsP99",
    "outerDelayMsMax",
    "evicted",
    "workRowsProbed",
    "workKeysCompared",
    "workRowsIndexed",
    "workRowsWalked",
    "workRowsVisited",
    "workBlocksVisited",
    "workRowsMoved",
    "workIndexResizes",
    "workResidualPairs",
    "workValuesGathered",
    "paceRowsPerSecond",
    "paceBusyShare",
    "paceLateBatches",
    "paceIdleTicks",
    "paceBehindMs",
    "paceMostBehindMs",
    "paceFallingBehind",
    "batchBorders",
    "ended",
    "warnings",
    "dimensions",
];

/// A line: the values of the settings, and the run.
pub(super) type Line<'a> = (Vec<String>, &'a RunRecord);

/// The runs as CSV with a header; a field that does not apply is empty.
pub(super) fn csv(settings: &[String], lines: &[Line<'_>]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = settings.iter().map(String::as_str).chain(HEADER);
    writer.write_record(header).map_err(Failure::run)?;
    for (values, run) in lines {
        let fields = fields(run)?;
        writer.write_record(values.iter().chain(&fields)).map_err(Failure::run)?;
    }
    let bytes = writer.into_inner().map_err(|error| Failure::run(error.error()))?;
    String::from_utf8(bytes).map_err(Failure::run)
}

fn fields(run: &RunRecord) -> Result<[String; HEADER.len()]> {
    fn text<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let summary = &run.summary;
    let quantile = |quantiles: &Option<Quantiles>, pick: fn(&Quantiles) -> f64| {
        text(quantiles.as_ref().map(pick))
    };
    let (latency, outer) = (&summary.latency_ms, &summary.outer_delay);
    let (rows, bytes) = (summary.state_rows.as_ref(), summary.state_bytes.as_ref());
    let pace = summary.pace.as_ref();
    let ended = serde_json::to_value(summary.ended).map_err(Failure::run)?;
    // What is a list has no columns of its own.
    let dimensions = match summary.dimensions.is_empty() {
        true => String::new(),
        false => serde_json::to_string(&summary.dimensions).map_err(Failure::run)?,
    };
    Ok([
        run.strategy.clone(),
        summary.rows_in.to_string(),
        summary.rows_out.to_string(),
        summary.rows_unmatched.to_string(),
        text(summary.checksum.as_ref()),
        summary.batches.to_string(),
        summary.passes.to_string(),
        text(summary.spread),
        text(summary.rows_per_second),
        text(summary.join_rows_per_second),
        quantile(latency, |latency| latency.p50),
        quantile(latency, |latency| latency.p99),
        quantile(latency, |latency| latency.max),
        text(summary.build_ms),
        text(summary.table_bytes),
        text(rows.map(|rows| rows.peak)),
        text(rows.and_then(|rows| rows.plateau)),
        text(rows.and_then(|rows| rows.plateaus)),
        text(rows.map(|rows| rows.left)),
        text(rows.map(|rows| rows.right)),
        text(bytes.map(|bytes| bytes.payload)),
        text(bytes.map(|bytes| bytes.index)),
        text(bytes.map(|bytes| bytes.bitmap)),
        text(bytes.map(|bytes| bytes.slack)),
        text(bytes.map(|bytes| bytes.peak)),
        text(summary.bytes_per_live_row),
        text(summary.peak_anon_bytes),
        text(summary.peak_rss_bytes),
        text(summary.dropped.late),
        text(summary.dropped.null_key),
        text(summary.dropped.filtered),
        text(summary.dropped.null_time),
        quantile(outer, |delay| delay.p50),
        quantile(outer, |delay| delay.p99),
        quantile(outer, |delay| delay.max),
        text(summary.evicted),
        text(summary.work.rows_probed),
        text(summary.work.keys_compared),
        text(summary.work.rows_indexed),
        text(summary.work.rows_walked),
        text(summary.work.rows_visited),
        text(summary.work.blocks_visited),
        text(summary.work.rows_moved),
        text(summary.work.index_resizes),
        summary.work.residual_pairs.to_string(),
        summary.work.values_gathered.to_string(),
        text(pace.map(|pace| pace.rows_per_second)),
        text(pace.map(|pace| pace.busy_share)),
        text(pace.map(|pace| pace.late_batches)),
        text(pace.map(|pace| pace.idle_ticks)),
        text(pace.map(|pace| pace.behind_ms)),
        text(pace.map(|pace| pace.most_behind_ms)),
        text(pace.map(|pace| pace.falling_behind)),
        text(summary.batch_borders.as_ref()),
        ended.as_str().unwrap_or_default().to_owned(),
        run.warnings.join("; "),
        dimensions,
    ])
}

/// A CSV file that is going to be written: whole, or not there.
#[derive(Debug)]
pub(super) struct CsvFile(AtomicFile);

impl CsvFile {
    /// Tells before the run whether it can be written.
    ///
    /// # Errors
    /// A usage failure for a file that exists, without `force`; a run failure
    /// where the system refuses.
    pub(super) fn create(path: &Path, force: bool) -> Result<Self> {
        AtomicFile::create(path, force).map(Self).map_err(|error| match error {
            DatasetError::Exists { .. } => Failure::usage(format!("--csv: {error}")),
            error => Failure::run(format!("--csv: {error}")),
        })
    }

    /// Writes it.
    ///
    /// # Errors
    /// A run failure that names the file.
    pub(super) fn write(mut self, text: &str) -> Result<()> {
        let written = self.0.write_all(text.as_bytes());
        written.map_err(|error| Failure::run(format!("{}: {error}", self.0.path().display())))?;
        self.0.commit().map_err(Failure::run)
    }
}
