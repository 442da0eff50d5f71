//! `[[dimension]]`: a table that the stream is joined with.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use streamjoin_datasets::Generator;
use streamjoin_kernels::stream_static::Layout;
use streamjoin_kernels::{IndexKind, JoinType};
use toml::Spanned;

use super::from_text::from_text;
use super::ordered::Ordered;
use super::strategy::Choice;
use super::stream::CsvSpec;
use crate::text::instant::timestamp;

/// One table and how it is joined.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct TableSpec {
    /// Qualifies the table's columns, and names it in reports.
    pub(in crate::scenario) name: Spanned<String>,
    /// A file, a folder or a glob.
    pub(in crate::scenario) table: Option<Spanned<String>>,
    /// Generated rows, in place of a table.
    pub(in crate::scenario) generator: Option<Spanned<Generator>>,
    /// The table's contents over time, in place of one table.
    pub(in crate::scenario) versions: Option<Vec<Spanned<VersionSpec>>>,
    /// The file format, where the extension does not say.
    pub(in crate::scenario) format: Option<Spanned<String>>,
    /// Column names and types, where the files do not say (CSV, JSON lines).
    pub(in crate::scenario) schema: Option<Ordered<Spanned<String>>>,
    /// How CSV files are written.
    pub(in crate::scenario) csv: Option<Spanned<CsvSpec>>,
    /// The join type, in any of Spark's spellings; default inner.
    #[serde(default, deserialize_with = "from_text")]
    pub(in crate::scenario) r#type: Option<Spanned<JoinType>>,
    /// The condition, as SQL.
    pub(in crate::scenario) on: Option<Spanned<String>>,
    /// Key columns of equal name on both sides, in place of `on`.
    pub(in crate::scenario) using: Option<Spanned<Vec<String>>>,
    /// On which side of the join the stream stands; only the first table may say right.
    pub(in crate::scenario) stream_side: Option<Spanned<StreamSide>>,
    /// Columns to keep, as SQL; all where absent.
    pub(in crate::scenario) select: Option<Spanned<Vec<Spanned<String>>>>,
    /// Rows to keep, as SQL over the table's columns.
    pub(in crate::scenario) r#where: Option<Spanned<String>>,
    /// Layout of this table whatever the strategy says.
    #[serde(default, deserialize_with = "from_text")]
    pub(in crate::scenario) layout: Option<Spanned<Choice<Layout>>>,
    /// Index of this table whatever the strategy says.
    #[serde(default, deserialize_with = "from_text")]
    pub(in crate::scenario) index: Option<Spanned<Choice<IndexKind>>>,
    /// Whether the table is checked again before each batch.
    pub(in crate::scenario) refresh: Option<Spanned<Refresh>>,
}

/// On which side of a join the stream stands.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::scenario) enum StreamSide {
    /// `stream JOIN table`.
    Left,
    /// `table JOIN stream`.
    Right,
}

/// When a table is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refresh {
    /// Before the first batch only.
    Once,
    /// Checked before each batch, read and built again where it has changed.
    EveryBatch,
}

/// One content of a changing table.
pub(in crate::scenario) struct VersionSpec {
    /// From when on it is in force.
    pub(in crate::scenario) from: VersionStart,
    /// A file, a folder or a glob.
    pub(in crate::scenario) table: String,
}

/// From when on a version is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionStart {
    /// From this batch on, counted from 0.
    Batch(u64),
    /// From this event time on, in microseconds since 1970.
    Time(i64),
}

impl<'de> Deserialize<'de> for VersionSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Raw {
            from_batch: Option<u64>,
            from: Option<Instant>,
            table: String,
        }
        let Raw { from_batch, from, table } = Raw::deserialize(deserializer)?;
        let from = match (from_batch, from) {
            (Some(batch), None) => VersionStart::Batch(batch),
            (None, Some(Instant(time))) => VersionStart::Time(time),
            _ => {
                return Err(D::Error::custom(
                    "a version needs `from_batch = N` or `from = TIMESTAMP`, and one of them only",
                ));
            }
        };
        Ok(Self { from, table })
    }
}

/// A timestamp: a TOML date-time or a string.
struct Instant(i64);

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Instant;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a timestamp such as 2013-01-31T12:00:00Z")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Instant, E> {
                timestamp(text).map(Instant).map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Instant, A::Error> {
                let datetime = toml::value::Datetime::deserialize(MapAccessDeserializer::new(map))?;
                self.visit_str(&datetime.to_string())
            }
        }
        deserializer.deserialize_any(Either)
    }
}
