//! `[replay]`: how the recording is cut into batches.

use std::fmt;
use std::num::NonZeroU64;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use crate::text::duration::Micros;

/// How the recording is replayed.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct ReplaySpec {
    /// Where one batch ends; default 65,536 rows.
    pub(in crate::scenario) trigger: Option<Spanned<Trigger>>,
    /// How fast rows come.
    pub(in crate::scenario) pace: Option<Spanned<Pace>>,
    /// The most stream rows to read.
    pub(in crate::scenario) limit: Option<u64>,
    /// The longest time to replay; then the stream counts as ended.
    pub(in crate::scenario) duration: Option<Spanned<Micros>>,
    /// What happens to state at the end; a join with a table has none.
    pub(in crate::scenario) end: Option<End>,
    /// How two streams are merged; default by event time.
    pub(in crate::scenario) merge: Option<Spanned<Merge>>,
    /// How rows are moved out of order.
    pub(in crate::scenario) disorder: Option<Spanned<DisorderSpec>>,
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
    /// The most that a row is behind the running maximum of the event time.
    pub max: Micros,
    /// The same seed holds back the same rows; default 0.
    #[serde(default)]
    pub seed: u64,
}

/// Where one batch ends and the next one starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// After this many stream rows.
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
    /// At this interval; each batch takes what arrived since the last one.
    Every(Micros),
}

impl Default for Trigger {
    fn default() -> Self {
        Self::Rows(NonZeroU64::MIN.saturating_add(65_535))
    }
}

/// The forms of a trigger, for messages.
const TRIGGERS: &str = "{ rows = N }, { event_time = \"10 s\" }, { arrival = \"10 s\" }, { every = \"5 s\" }, { column = \"NAME\" }, \"file\" or \"once\"";

impl<'de> Deserialize<'de> for Trigger {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            rows: Option<NonZeroU64>,
            event_time: Option<Micros>,
            column: Option<String>,
            arrival: Option<Micros>,
            every: Option<Micros>,
        }
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Trigger;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(TRIGGERS)
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Trigger, E> {
                match word {
                    "file" => Ok(Trigger::File),
                    "once" => Ok(Trigger::Once),
                    "rows" | "event_time" | "arrival" | "every" | "column" => {
                        Err(E::custom(format!("the trigger `{word}` needs a value: {TRIGGERS}")))
                    }
                    _ => Err(E::unknown_variant(word, &["file", "once"])),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Trigger, A::Error> {
                let table = Table::deserialize(MapAccessDeserializer::new(map))?;
                let given = [
                    table.rows.map(Trigger::Rows),
                    table.event_time.map(Trigger::EventTime),
                    table.arrival.map(Trigger::Arrival),
                    table.every.map(Trigger::Every),
                    table.column.map(Trigger::Column),
                ];
                let mut given = given.into_iter().flatten();
                match (given.next(), given.next()) {
                    (Some(trigger), None) => Ok(trigger),
                    _ => Err(A::Error::custom(format!("a trigger is one of {TRIGGERS}"))),
                }
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// How fast rows come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// As fast as they are processed.
    #[default]
    Unthrottled,
    /// At a fixed rate: row n, counted from 1, falls due n / rate after the start.
    RowsPerSecond(f64),
}

/// What happens to state at the end of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Unmatched rows are emitted.
    #[default]
    Flush,
    /// State is left as it is.
    Hold,
}
