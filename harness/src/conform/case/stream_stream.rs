//! Two streams joined within a time interval.

use serde::Deserialize;

use super::{Columns, Condition, Row};

/// Query and input. Fields that are information only are not read.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::conform) struct StreamStreamQuery {
    /// Join type in Spark's spelling.
    pub(in crate::conform) join_type: String,
    /// The stream before JOIN.
    pub(in crate::conform) left: TimedStream,
    /// The stream after JOIN.
    pub(in crate::conform) right: TimedStream,
    /// The condition but for the time bounds.
    #[serde(flatten)]
    pub(in crate::conform) condition: Condition,
    /// Bounds on right event time - left event time.
    #[serde(default)]
    pub(in crate::conform) time_bounds: Option<TimeBounds>,
    /// Width of the tumbling windows that replace the event times.
    #[serde(default)]
    pub(in crate::conform) window_us: Option<i64>,
    /// Whether the event times are kept as well as the windows.
    #[serde(default)]
    pub(in crate::conform) window_keep_time: bool,
    /// `min` or `max`.
    pub(in crate::conform) watermark_policy: String,
    /// Whether batches without input may run.
    pub(in crate::conform) no_data_batches: bool,
    /// `append` if absent.
    #[serde(default)]
    pub(in crate::conform) output_mode: Option<String>,
    /// The input, batch by batch.
    pub(in crate::conform) micro_batches: Vec<StreamsBatch>,
}

impl StreamStreamQuery {
    /// A condition or the name of a column with what a scenario calls the start
    /// of each side's window.
    pub(in crate::conform) fn in_words_of_scenario(&self, text: &str) -> String {
        match self.window_us {
            Some(_) => ["lw_start", "rw_start", "lw", "rw"]
                .iter()
                .fold(text.to_owned(), |text, name| text.replace(name, "window_start")),
            None => text.to_owned(),
        }
    }
}

/// One of the two streams.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::conform) struct TimedStream {
    /// Its columns.
    pub(in crate::conform) schema: Columns,
    /// The event time column.
    pub(in crate::conform) event_time: String,
    /// None: no watermark.
    #[serde(default)]
    pub(in crate::conform) watermark_delay_us: Option<i64>,
}

/// `lower_us <= right - left <= upper_us`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(in crate::conform) struct TimeBounds {
    /// None: open.
    pub(in crate::conform) lower_us: Option<i64>,
    /// Whether that distance matches.
    pub(in crate::conform) lower_inclusive: bool,
    /// None: open.
    pub(in crate::conform) upper_us: Option<i64>,
    /// Whether that distance matches.
    pub(in crate::conform) upper_inclusive: bool,
}

/// Rows of one micro-batch.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::conform) struct StreamsBatch {
    /// Of the left stream.
    pub(in crate::conform) left: Vec<Row>,
    /// Of the right one.
    pub(in crate::conform) right: Vec<Row>,
}
