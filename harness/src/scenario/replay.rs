//! `[replay]`: how the recording is cut into batches.

use std::num::NonZeroU64;

use serde::Deserialize;
use toml::Spanned;

use super::{Later, Micros};

/// How the recording is replayed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplaySpec {
    /// Where one batch ends; default 65,536 rows.
    pub trigger: Option<Spanned<Trigger>>,
    /// How fast rows come.
    pub pace: Option<Spanned<Pace>>,
    /// Stream rows to read at most.
    pub limit: Option<u64>,
    /// What happens to state at the end; a stream-static join keeps none.
    pub end: Option<End>,
    /// How two streams are merged; default by event time.
    pub merge: Option<Spanned<Merge>>,
    /// How rows are moved out of order.
    pub disorder: Option<Spanned<DisorderSpec>>,
}

/// Which row of two streams comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merge {
    /// The one with the smaller event time.
    #[default]
    EventTime,
    /// The one that arrived first.
    Arrival,
    /// In proportion to the streams' rows.
    FileOrder,
}

/// Rows that are held back: each stream's, before they are merged.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisorderSpec {
    /// Share of the rows that are held back, 0 to 1.
    pub share: f64,
    /// How far behind the running maximum of the event time a row is at most.
    pub max: Micros,
    /// The same seed holds back the same rows; default 0.
    #[serde(default)]
    pub seed: u64,
}

/// Where one batch ends and the next one starts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// After so many stream rows.
    Rows(NonZeroU64),
    /// When the running maximum of the event time enters a new epoch-aligned tick.
    EventTime(Micros),
    /// When this column's value changes.
    Column(String),
    /// After each file.
    File,
    /// Everything is one batch.
    Once,
    /// When the running maximum of the arrival time enters a new epoch-aligned tick.
    Arrival(Micros),
    /// What arrived since the last batch.
    Every(Later),
}

impl Default for Trigger {
    fn default() -> Self {
        Self::Rows(NonZeroU64::MIN.saturating_add(65_535))
    }
}

/// How fast rows come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// As fast as they are worked off.
    #[default]
    Unthrottled,
    /// At a fixed rate.
    RowsPerSecond(Later),
}

/// What happens to state at the end of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Unmatched rows come out.
    #[default]
    Flush,
    /// State is left as it is.
    Hold,
}
