//! One micro-batch's record, after Spark's `StreamingQueryProgress`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one executed batch did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Number of the executed batch, from 0.
    pub batch_id: u64,
    /// Stream rows that the batch read; 0 in a no-data batch.
    pub num_input_rows: u64,
    /// Rows that arrived per second since the batch before; null in the first.
    pub input_rows_per_second: Option<f64>,
    /// Rows processed per second of the batch's own time.
    pub processed_rows_per_second: Option<f64>,
    /// Where the batch's time went, in milliseconds.
    pub duration_ms: DurationMs,
    /// Event times of the batch; absent where no stream declares a watermark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_time: Option<EventTime>,
    /// One entry per stateful join; empty in stream-static runs.
    pub state_operators: Vec<StateOperator>,
    /// One entry per dimension table, in scenario order.
    pub dimension: Vec<DimensionProgress>,
    /// The batch ran without input, because the watermark had moved.
    #[serde(default)]
    pub no_data: bool,
    /// The last batch of a flushed run: unmatched rows still in state.
    #[serde(default)]
    pub end: bool,
}

/// A trigger that found nothing to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Idle {
    /// The batch that the next rows will belong to.
    pub batch_id: u64,
    /// Milliseconds since the run began.
    pub elapsed_ms: u64,
}

/// Milliseconds of one batch by step; null where a step does not apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DurationMs {
    /// Reading and decoding the input.
    pub read: Option<f64>,
    /// Normalising and hashing keys.
    pub keys: Option<f64>,
    /// Building or inserting into the indexed side.
    pub build: Option<f64>,
    /// Looking keys up.
    pub probe: Option<f64>,
    /// Gathering output columns.
    pub materialise: Option<f64>,
    /// Evicting state.
    pub evict: Option<f64>,
    /// Handing rows to the sink.
    pub sink: Option<f64>,
    /// The whole batch.
    pub trigger_execution: f64,
}

/// Event times and watermarks as ISO-8601 in UTC with milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventTime {
    /// The watermark in force in this batch (eviction).
    pub watermark: Option<String>,
    /// The watermark that the late-row filter used.
    pub late_watermark: Option<String>,
    /// Least event time of the batch; null without a row.
    pub min: Option<String>,
    /// Greatest event time of the batch; null without a row.
    pub max: Option<String>,
    /// Mean event time of the batch; null without a row.
    pub avg: Option<String>,
}

/// State of one stateful join after the batch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateOperator {
    /// Live rows, both sides.
    pub num_rows_total: u64,
    /// Rows stored by this batch.
    pub num_rows_updated: u64,
    /// Rows evicted by this batch.
    pub num_rows_removed: u64,
    /// Rows dropped as late by this batch.
    pub num_rows_dropped_by_watermark: u64,
    /// Bytes held.
    pub memory_used_bytes: u64,
    /// Finer counts.
    pub custom_metrics: StateCustomMetrics,
}

/// Finer counts of one state store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateCustomMetrics {
    /// Live rows of the left side.
    pub rows_left: u64,
    /// Live rows of the right side.
    pub rows_right: u64,
    /// Bytes of keys, times and payload.
    pub payload_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
    /// Bytes of matched and dead bits.
    pub bitmap_bytes: u64,
    /// Bytes allocated but not in use.
    pub slack_bytes: u64,
    /// Blocks that eviction visited; rows, in a store that keeps no blocks.
    pub blocks_visited: u64,
    /// Rows that probes walked over.
    pub rows_walked: u64,
    /// Nanoseconds spent in eviction.
    pub evict_ns: u64,
}

/// The dimension table that a batch was joined with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DimensionProgress {
    /// The dimension's name in the scenario.
    pub name: String,
    /// The version in use.
    pub version: u64,
    /// Milliseconds since that version was built.
    pub age_ms: f64,
    /// Rows of the table.
    pub rows: u64,
    /// Bytes of payload and index.
    pub bytes: u64,
    /// Milliseconds of the build that this batch made; null when it built nothing.
    pub rebuilt_ms: Option<f64>,
    /// The index in use.
    pub index: String,
}
