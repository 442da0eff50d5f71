//! The scenario file: which streams, which tables, joined how, replayed how.
//!
//! A TOML file whose keys are a public contract. Every key of the contract is
//! known here: the ones that a later version will honour are refused by name
//! ([`Later`]), never ignored, and an unknown key is an error with its place
//! and the nearest known one.

mod duration;
mod join;
mod load;
mod naming;
mod ordered;
mod output;
mod replay;
mod set;
mod shipped;
mod source;
mod strategy;
mod table;
mod text;

#[cfg(test)]
mod tests;

use serde::Deserialize;
use toml::Spanned;

pub use duration::{Micros, timestamp};
pub use join::JoinSpec;
pub(crate) use load::nearest;
pub use load::{load, parse};
pub use naming::name_of_path;
pub use ordered::Ordered;
pub use output::OutputSpec;
pub use replay::{DisorderSpec, End, Merge, Pace, ReplaySpec, Trigger};
pub use set::set;
pub use shipped::{DEFAULT_SCENARIO, find, shipped, shipped_names};
pub use source::{CsvSpec, EventTimeSpec, Finished, StreamSpec, TimeUnitName};
pub use strategy::{Choice, StateLimit, StrategySpec, Swap};
pub use table::{DimensionSpec, Refresh, StreamSide, VersionSpec, VersionStart};
pub use text::SourceText;

/// A scenario file as written: checked for shape, not yet against its data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioSpec {
    /// One line for people.
    pub description: Option<String>,
    /// ANSI mode: a malformed cast fails its batch (default) or gives null.
    pub ansi: Option<bool>,
    /// The recorded streams, in file order.
    #[serde(default)]
    pub stream: Ordered<StreamSpec>,
    /// The join of two streams.
    pub join: Option<Spanned<JoinSpec>>,
    /// The tables that the stream is joined with, in order.
    #[serde(default)]
    pub dimension: Vec<Spanned<DimensionSpec>>,
    /// How the recording is cut into batches.
    #[serde(default)]
    pub replay: ReplaySpec,
    /// The strategies to measure, in file order.
    #[serde(default)]
    pub strategies: Ordered<StrategySpec>,
    /// What becomes of the joined rows.
    #[serde(default)]
    pub output: OutputSpec,
}

/// A scenario with the text that it came from and its name.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Shipped name or the file's stem.
    pub name: String,
    /// The file, for messages and relative paths.
    pub text: SourceText,
    /// The content.
    pub spec: ScenarioSpec,
}

/// A key of the contract that this version does not honour yet: absent, or
/// refused with its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Later;

impl<'de> Deserialize<'de> for Later {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Refuse;
        impl<'de> serde::de::Visitor<'de> for Refuse {
            type Value = Later;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("nothing")
            }

            fn visit_newtype_struct<D: serde::Deserializer<'de>>(
                self,
                _: D,
            ) -> Result<Later, D::Error> {
                Err(serde::de::Error::custom(load::NOT_YET))
            }
        }
        // Asked as a newtype, whatever the value is, so that the error gets its place.
        deserializer.deserialize_newtype_struct("Later", Refuse)
    }
}

impl Scenario {
    /// The place of a value in the scenario file, as `file:line:column`.
    pub fn place<T>(&self, value: &Spanned<T>) -> String {
        self.text.place(value.span())
    }

    /// `path` of the scenario, made relative to the scenario file's folder.
    pub fn path(&self, path: &str) -> std::path::PathBuf {
        self.text.resolve(path)
    }
}
