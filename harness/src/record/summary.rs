//! One run's record, and the report over all runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Environment, Finding, Progress, Work};
use crate::error::{Failure, FailureKind};

/// Version of the report's layout; grows when a field changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything one invocation measured: what `--report` and `--format json` write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The scenario as it was run: name, description, paths, settings.
    pub scenario: serde_json::Value,
    /// Machine and build.
    pub environment: Environment,
    /// One entry per strategy, in the order in which they ran.
    pub runs: Vec<RunRecord>,
}

/// One strategy's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// Name of the strategy.
    pub strategy: String,
    /// The run as a whole.
    pub summary: Summary,
    /// Its batches (first pass).
    pub progress: Vec<Progress>,
    /// What was odd, such as a table broadcast beyond the threshold.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Findings in addition to the numbers.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// The run as a whole. Counts and checksum are of the first pass only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Stream rows read.
    pub rows_in: u64,
    /// Rows emitted.
    pub rows_out: u64,
    /// Output rows that are unmatched in at least one join.
    pub rows_unmatched: u64,
    /// One entry per dimension, in scenario order.
    pub dimensions: Vec<DimensionSummary>,
    /// Measured passes over the recording.
    pub passes: u32,
    /// (slowest - fastest) / median time of a pass; null with one pass.
    pub spread: Option<f64>,
    /// Executed batches.
    pub batches: u64,
    /// Input rows per second from the first read to the last flush.
    pub rows_per_second: Option<f64>,
    /// Input rows per second of keys, hash, probe and gather alone.
    pub join_rows_per_second: Option<f64>,
    /// Latency of a batch in milliseconds.
    pub latency_ms: Option<Quantiles>,
    /// Milliseconds spent in building tables.
    pub build_ms: Option<f64>,
    /// Bytes of the dimension tables, payload and index.
    pub table_bytes: Option<u64>,
    /// Rows in state; null without a stateful join.
    pub state_rows: Option<StateRows>,
    /// Bytes of state; null without a stateful join.
    pub state_bytes: Option<StateBytes>,
    /// Bytes of state for each live row at the plateau; null without state.
    pub bytes_per_live_row: Option<f64>,
    /// Greatest resident set, file-mapped pages included.
    pub peak_rss_bytes: Option<u64>,
    /// Greatest anonymous memory.
    pub peak_anon_bytes: Option<u64>,
    /// Checksum of the emitted rows, 16 hex digits; null when it was not taken.
    pub checksum: Option<String>,
    /// Rows that were dropped, by reason.
    pub dropped: Dropped,
    /// Event-time delay of null-extended rows in milliseconds; null without state.
    pub outer_delay: Option<Quantiles>,
    /// Rows that the eviction line removed from state, without those at the end;
    /// null without state.
    #[serde(default)]
    pub evicted: Option<u64>,
    /// The amount of work.
    #[serde(default)]
    pub work: Work,
    /// Why the pass ended; counts are those of whole batches in any case.
    #[serde(default)]
    pub ended: Ended,
    /// How a paced pass kept its pace; null for an unthrottled one.
    #[serde(default)]
    pub pace: Option<PaceSummary>,
    /// A hash of the sizes of the batches, 16 hex digits, where time cut them
    /// and other batches may give other rows; else null.
    #[serde(default)]
    pub batch_borders: Option<String>,
}

/// How a pass kept the pace at which its rows arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaceSummary {
    /// Rows per second at which rows arrived, both streams together.
    pub rows_per_second: f64,
    /// Share of the pass's time that was not spent waiting for rows, 0 to 1.
    pub busy_share: f64,
    /// Batches that started later than they were due.
    pub late_batches: u64,
    /// Ticks of the trigger `every` without a row.
    pub idle_ticks: u64,
    /// How late the last batch started, in milliseconds.
    pub behind_ms: f64,
    /// How late a batch started at most, in milliseconds.
    pub most_behind_ms: f64,
    /// Seconds by which the starts of batches fell behind in each second.
    pub falling_behind: f64,
}

/// Why a pass over a recording ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The recording, or as much of it as `limit` allows, was at its end.
    #[default]
    Complete,
    /// The duration of the replay was over.
    Duration,
    /// It was interrupted (Ctrl-C).
    Interrupted,
    /// The time limit was over.
    Timeout,
}

impl Ended {
    /// Why a pass that was cut short by `failure` ended.
    pub fn by(failure: &Failure) -> Self {
        match failure.kind {
            FailureKind::TimedOut => Self::Timeout,
            _ => Self::Interrupted,
        }
    }
}

/// How one dimension answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DimensionSummary {
    /// The dimension's name in the scenario.
    pub name: String,
    /// Rows that reached the join and matched at least one table row.
    pub rows_matched: u64,
    /// Rows that reached the join and matched none.
    pub rows_unmatched: u64,
    /// Unmatched rows over all rows that reached the join; null without a row.
    pub unmatched_rate: Option<f64>,
}

/// Median, 99th percentile and maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quantiles {
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Maximum.
    pub max: f64,
}

/// Rows in state over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateRows {
    /// Greatest number of live rows.
    pub peak: u64,
    /// Median of live rows after warm-up; null when warm-up never ended.
    pub plateau: Option<u64>,
    /// Whether the state stops growing.
    pub plateaus: Option<bool>,
    /// Live rows of the left side at the end, before a flush.
    pub left: u64,
    /// Live rows of the right side at the end, before a flush.
    pub right: u64,
}

/// Bytes of state at its peak, by use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateBytes {
    /// Keys, times and payload.
    pub payload: u64,
    /// The index.
    pub index: u64,
    /// Matched and dead bits.
    pub bitmap: u64,
    /// Allocated but not in use.
    pub slack: u64,
    /// Greatest total.
    pub peak: u64,
}

/// Rows that were dropped, by reason; null where the reason cannot occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dropped {
    /// At or below the late watermark.
    pub late: Option<u64>,
    /// A null key on a side that is not preserved.
    pub null_key: Option<u64>,
    /// Removed by `where` or by a one-sided condition.
    pub filtered: Option<u64>,
    /// Without an event time where one is needed.
    pub null_time: Option<u64>,
}
