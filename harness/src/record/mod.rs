//! The records of a run: progress, summary, findings, environment and checksum.
//!
//! The JSON names here are a public contract (camelCase; a field that does not
//! apply is present and null).

mod checksum;
pub(crate) mod csv;
mod digest;
mod environment;
mod finding;
mod lines;
mod progress;
mod schema;
mod summary;
mod work;

#[cfg(test)]
mod tests;

pub use checksum::Checksum;
pub use environment::{Caches, Environment, Machine};
pub use finding::{Finding, Severity};
pub use lines::Line;
pub use progress::{
    DimensionProgress, DurationMs, EventTime, Idle, Progress, StateCustomMetrics, StateOperator,
};
pub use schema::{line_schema, report_schema};
pub use summary::{
    DimensionSummary, Dropped, Ended, PaceSummary, Quantiles, Report, RunRecord, SCHEMA_VERSION,
    StateBytes, StateRows, Summary,
};
pub use work::Work;

pub(crate) use digest::values as value_digests;
