//! What a run leaves behind: progress, summary, environment and checksum.
//!
//! The JSON names here are a public contract (camelCase; a field that does not
//! apply is present and null).

mod checksum;
mod digest;
mod environment;
mod progress;
mod summary;
mod time;

#[cfg(test)]
mod tests;

pub use checksum::Checksum;
pub use environment::{Caches, Environment, Machine};
pub use progress::{
    DimensionProgress, DurationMs, EventTime, Progress, StateCustomMetrics, StateOperator,
};
pub use summary::{
    DimensionSummary, Dropped, Ended, PaceSummary, Quantiles, Report, RunRecord, SCHEMA_VERSION, StateBytes,
    StateRows, Summary, event_line, progress_line, summary_line, warning_line,
};
pub use time::iso_millis;

pub(crate) use digest::values as value_digests;
