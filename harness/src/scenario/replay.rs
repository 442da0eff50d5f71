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
    /// How two streams are merged.
    #[serde(default)]
    pub merge: Later,
    /// How far rows are moved out of order.
    #[serde(default)]
    pub disorder: Later,
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
    /// Ticks of the arrival column.
    Arrival(Later),
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
