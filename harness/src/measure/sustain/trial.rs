//! A replay at one rate for a while, and whether the strategy kept up.

use serde::{Deserialize, Serialize};

use crate::record::Quantiles;

/// A stretch of replay at one rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// Rows per second at which rows arrived.
    pub rows_per_second: f64,
    /// How long they arrived.
    pub seconds: f64,
    /// Rows that were joined.
    pub rows_in: u64,
    /// Batches.
    pub batches: u64,
    /// From the time at which a batch was due to its end.
    pub latency_ms: Option<Quantiles>,
    /// How late a batch started at most, in milliseconds.
    pub most_behind_ms: f64,
    /// Seconds by which the starts of batches fell behind in each second.
    pub falling_behind: f64,
    /// Whether the rate was held.
    #[serde(rename = "verdict")]
    pub outcome: TrialOutcome,
}

/// Whether a rate is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialOutcome {
    /// The 99th percentile is within its bound, and the backlog does not grow.
    Sustained,
    /// The 99th percentile is above its bound.
    Late,
    /// The backlog grows.
    FallingBehind,
    /// The recording is over too soon at this rate.
    TooShort,
    /// A trial holds too few batches at this rate.
    TooFewBatches,
}
