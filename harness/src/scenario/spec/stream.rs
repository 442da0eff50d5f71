//! `[stream.X]`: where a stream's rows come from.

use std::fmt;

use arrow::datatypes::TimeUnit;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use streamjoin_datasets::Generator;
use toml::Spanned;

use super::ordered::Ordered;
use crate::text::duration::Micros;

/// One recorded or generated stream.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct StreamSpec {
    /// A file, a folder or a glob.
    pub(in crate::scenario) recording: Option<Spanned<String>>,
    /// Generated rows, in place of a recording.
    pub(in crate::scenario) generator: Option<Spanned<Generator>>,
    /// The file format, where the extension does not say.
    pub(in crate::scenario) format: Option<Spanned<String>>,
    /// Column names and types, where the files do not say (CSV, JSON lines).
    pub(in crate::scenario) schema: Option<Ordered<Spanned<String>>>,
    /// How CSV files are written.
    pub(in crate::scenario) csv: Option<Spanned<CsvSpec>>,
    /// The column with the time at which a row happened.
    pub(in crate::scenario) event_time: Option<Spanned<EventTimeSpec>>,
    /// How late a row may come.
    pub(in crate::scenario) watermark: Option<Spanned<Micros>>,
    /// Columns to keep, as SQL; all where absent.
    pub(in crate::scenario) select: Option<Spanned<Vec<Spanned<String>>>>,
    /// Rows to keep, as SQL over the recording's columns.
    pub(in crate::scenario) r#where: Option<Spanned<String>>,
    /// The column with the time at which a row arrived: a timestamp, or integer microseconds.
    pub(in crate::scenario) arrival: Option<Spanned<String>>,
    /// How long a stream may be silent, in arrival time, before it leaves the watermark; for
    /// ever where absent.
    pub(in crate::scenario) idle_timeout: Option<Spanned<Micros>>,
    /// Whether an ended stream leaves the watermark; default stays.
    pub(in crate::scenario) finished: Option<Spanned<Finished>>,
}

/// Whether an ended stream's watermark still counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finished {
    /// It counts as it was.
    #[default]
    Stays,
    /// It no longer counts.
    Leaves,
}

/// How CSV files are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct CsvSpec {
    /// Whether the first line names the columns; default true.
    pub(in crate::scenario) header: Option<bool>,
    /// The character between fields; default a comma.
    pub(in crate::scenario) delimiter: Option<Spanned<String>>,
}

/// The event-time column: a name, or a table that says how to read it.
#[derive(Clone, Debug)]
pub struct EventTimeSpec {
    /// Column name.
    pub column: String,
    /// Unit of an integer column.
    pub unit: Option<TimeUnitName>,
    /// `strftime` pattern of a string column.
    pub format: Option<String>,
}

/// Unit of an integer event time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum TimeUnitName {
    /// Seconds.
    #[serde(rename = "s")]
    Second,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Millisecond,
    /// Microseconds.
    #[serde(rename = "us")]
    Microsecond,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanosecond,
}

impl TimeUnitName {
    /// The unit as a scenario writes it.
    pub fn short(self) -> &'static str {
        match self {
            Self::Second => "s",
            Self::Millisecond => "ms",
            Self::Microsecond => "us",
            Self::Nanosecond => "ns",
        }
    }
}

impl From<TimeUnitName> for TimeUnit {
    fn from(name: TimeUnitName) -> Self {
        match name {
            TimeUnitName::Second => Self::Second,
            TimeUnitName::Millisecond => Self::Millisecond,
            TimeUnitName::Microsecond => Self::Microsecond,
            TimeUnitName::Nanosecond => Self::Nanosecond,
        }
    }
}

impl<'de> Deserialize<'de> for EventTimeSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Long {
            column: String,
            unit: Option<TimeUnitName>,
            format: Option<String>,
        }
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = EventTimeSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a column name, or { column = ..., unit = \"s\" | \"ms\" | \"us\" | \"ns\" } or { column = ..., format = ... }",
                )
            }

            fn visit_str<E: Error>(self, column: &str) -> Result<EventTimeSpec, E> {
                Ok(EventTimeSpec { column: column.to_owned(), unit: None, format: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<EventTimeSpec, A::Error> {
                let Long { column, unit, format } =
                    Long::deserialize(MapAccessDeserializer::new(map))?;
                if unit.is_some() && format.is_some() {
                    return Err(A::Error::custom(
                        "`unit` is for integer columns and `format` for strings: give one of them",
                    ));
                }
                Ok(EventTimeSpec { column, unit, format })
            }
        }
        deserializer.deserialize_any(Either)
    }
}
