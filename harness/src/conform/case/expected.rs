//! The recorded answer.

use serde::Deserialize;

use super::Row;

/// What is right.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::conform) struct Expected {
    /// Output column names; null where the query is refused.
    #[serde(default)]
    pub(in crate::conform) output_columns: Option<Vec<String>>,
    /// Their Spark types.
    #[serde(default)]
    pub(in crate::conform) output_types: Option<Vec<String>>,
    #[serde(default)]
    batches: Vec<ExpectedBatch>,
    /// The error that the query ends with, if any.
    #[serde(default)]
    pub(in crate::conform) error: Option<ExpectedError>,
    #[serde(default)]
    batches_before_error: Option<BatchesBefore>,
    #[serde(default)]
    right_answer: Option<RightAnswer>,
}

/// Batches that ran before an error.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum BatchesBefore {
    /// How many; they are among the batches.
    Count(usize),
    /// The batches themselves.
    Batches(Vec<ExpectedBatch>),
}

/// The right batches where Spark's are wrong.
#[derive(Clone, Debug, Deserialize)]
struct RightAnswer {
    batches: Vec<ExpectedBatch>,
}

impl Expected {
    /// The batches to match.
    pub(in crate::conform) fn right_batches(&self) -> &[ExpectedBatch] {
        match (&self.right_answer, &self.batches_before_error) {
            (Some(right), _) => &right.batches,
            (None, Some(BatchesBefore::Batches(batches))) => batches,
            _ => &self.batches,
        }
    }

    /// How many batches must end well before the error, where that is recorded.
    pub(in crate::conform) fn batches_before(&self) -> Option<usize> {
        match &self.batches_before_error {
            Some(BatchesBefore::Count(count)) => Some(*count),
            Some(BatchesBefore::Batches(batches)) => Some(batches.len()),
            None => None,
        }
    }
}

/// One executed batch.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::conform) struct ExpectedBatch {
    /// Index of the input batch; of a batch without input, that of the one before.
    pub(in crate::conform) input_batch: usize,
    /// Whether it ran without input.
    #[serde(default)]
    pub(in crate::conform) no_data: bool,
    /// Output rows, in no order.
    pub(in crate::conform) rows: Vec<Row>,
    /// Of a join of two streams.
    #[serde(flatten)]
    pub(in crate::conform) state: Option<ExpectedState>,
}

/// Watermarks, in milliseconds since 1970, and the state after a batch.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::conform) struct ExpectedState {
    /// In force in this batch; none without watermarks.
    pub(in crate::conform) watermark_ms: Option<i64>,
    /// The one by which rows were late.
    pub(in crate::conform) late_watermark_ms: Option<i64>,
    /// Rows in state after the batch.
    pub(in crate::conform) state_rows_total: u64,
    /// Those on the left.
    pub(in crate::conform) state_rows_left: u64,
    /// Those on the right.
    pub(in crate::conform) state_rows_right: u64,
    /// Rows dropped as late.
    pub(in crate::conform) rows_dropped_late: u64,
    /// Rows put in state; absent from a right answer.
    #[serde(default)]
    pub(in crate::conform) state_rows_updated: Option<u64>,
    /// Rows taken out; absent from a right answer.
    #[serde(default)]
    pub(in crate::conform) state_rows_removed: Option<u64>,
}

/// The error that a query ends with.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::conform) struct ExpectedError {
    /// `build` and `start`: refused before any batch; `run`: in a batch.
    pub(in crate::conform) phase: Phase,
    /// Spark's class; null where it has none.
    #[serde(default)]
    error_class: Option<String>,
    /// Classes that the message names.
    #[serde(default)]
    error_classes_in_message: Vec<String>,
    /// The message, shortened.
    #[serde(default)]
    pub(in crate::conform) message: String,
}

impl ExpectedError {
    /// Spark's class, and those that the message names.
    pub(in crate::conform) fn classes(&self) -> impl Iterator<Item = &str> {
        self.error_class.iter().chain(&self.error_classes_in_message).map(String::as_str)
    }
}

/// When a query fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::conform) enum Phase {
    /// While the query is resolved.
    Build,
    /// When it is started.
    Start,
    /// In a batch.
    Run,
}
