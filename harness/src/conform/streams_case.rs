//! One recorded case of two streams.

use serde::Deserialize;

use super::case::{BatchesBefore, ExpectedError, Filter, Join, Key, Row};

/// A stream-stream case. Fields that are information only are not read.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamStreamCase {
    /// The query and its input.
    #[serde(rename = "case")]
    pub query: StreamStreamQuery,
    /// What is right.
    pub expected: StreamsExpected,
}

/// Query and input.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamStreamQuery {
    /// The case's name.
    pub name: String,
    /// Join type in Spark's spelling.
    pub join_type: String,
    /// The stream before JOIN.
    pub left: TimedInput,
    /// The stream after JOIN.
    pub right: TimedInput,
    /// Equality conjuncts.
    pub keys: Vec<Key>,
    /// Bounds on right event time - left event time.
    #[serde(default)]
    pub time_bounds: Option<TimeBounds>,
    /// Further conjuncts.
    #[serde(default)]
    pub filters: Vec<Filter>,
    /// The condition as Spark got it; null is no condition.
    #[serde(default)]
    pub condition_sql: Option<String>,
    /// Width of the tumbling windows that replace the event times.
    #[serde(default)]
    pub window_us: Option<i64>,
    /// Whether the event times are kept beside the windows.
    #[serde(default)]
    pub window_keep_time: bool,
    /// `min` or `max`.
    pub watermark_policy: String,
    /// Whether batches without input may run.
    pub no_data_batches: bool,
    /// `append` if absent.
    #[serde(default)]
    pub output_mode: Option<String>,
    /// The input, batch by batch.
    pub micro_batches: Vec<StreamsBatch>,
}

impl StreamStreamQuery {
    /// The keys and filters as the fields of a join with a table have them.
    pub(super) fn as_join(&self) -> Join {
        Join {
            dim: String::new(),
            join_type: self.join_type.clone(),
            keys: self.keys.clone(),
            using: None,
            filters: self.filters.clone(),
            condition_sql: self.condition_sql.clone(),
        }
    }
}

/// One of the two streams.
#[derive(Clone, Debug, Deserialize)]
pub struct TimedInput {
    /// Name and Spark type of each column.
    pub schema: Vec<(String, String)>,
    /// The event time column.
    pub event_time: String,
    /// None: no watermark.
    #[serde(default)]
    pub watermark_delay_us: Option<i64>,
}

/// `lower_us <= right - left <= upper_us`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct TimeBounds {
    /// None: open.
    pub lower_us: Option<i64>,
    /// Whether that distance matches.
    pub lower_inclusive: bool,
    /// None: open.
    pub upper_us: Option<i64>,
    /// Whether that distance matches.
    pub upper_inclusive: bool,
}

/// Rows of one micro-batch.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamsBatch {
    /// Of the left stream.
    pub left: Vec<Row>,
    /// Of the right one.
    pub right: Vec<Row>,
}

/// What is right.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamsExpected {
    /// Output column names; null where the query is refused.
    #[serde(default)]
    pub output_columns: Option<Vec<String>>,
    /// Their Spark types.
    #[serde(default)]
    pub output_types: Option<Vec<String>>,
    /// Batches that ran whole.
    #[serde(default)]
    pub batches: Vec<StreamsExpectedBatch>,
    /// How the query ends, if not well.
    #[serde(default)]
    pub error: Option<ExpectedError>,
    /// Batches that ran before the error: how many, or which.
    #[serde(default)]
    pub batches_before_error: Option<BatchesBefore<StreamsExpectedBatch>>,
    /// The right batches where Spark's are wrong.
    #[serde(default)]
    pub right_answer: Option<StreamsRightAnswer>,
}

impl StreamsExpected {
    /// The batches to match.
    #[must_use]
    pub fn right_batches(&self) -> &[StreamsExpectedBatch] {
        match (&self.right_answer, &self.batches_before_error) {
            (Some(right), _) => &right.batches,
            (None, Some(BatchesBefore::Batches(batches))) => batches,
            _ => &self.batches,
        }
    }
}

/// The right batches where Spark's are wrong.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamsRightAnswer {
    /// The batches.
    pub batches: Vec<StreamsExpectedBatch>,
}

/// One executed batch. Watermarks are milliseconds since 1970.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamsExpectedBatch {
    /// Index of the input batch, for a batch without input of the one before.
    pub input_batch: usize,
    /// Whether it ran without input.
    pub no_data: bool,
    /// Output rows, in no order.
    pub rows: Vec<Row>,
    /// In force in this batch; none without watermarks.
    pub watermark_ms: Option<i64>,
    /// By which rows were late.
    pub late_watermark_ms: Option<i64>,
    /// Rows in state after the batch.
    pub state_rows_total: u64,
    /// On the left.
    pub state_rows_left: u64,
    /// On the right.
    pub state_rows_right: u64,
    /// Rows dropped as late.
    pub rows_dropped_late: u64,
    /// Rows put in state; not told by a right answer.
    #[serde(default)]
    pub state_rows_updated: Option<u64>,
    /// Rows taken out; not told by a right answer.
    #[serde(default)]
    pub state_rows_removed: Option<u64>,
}
