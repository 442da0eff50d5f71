//! The scenario file: which streams, which tables, joined how, replayed how.
//!
//! A TOML file whose keys are a public contract. An unknown key is an error with
//! its place and the nearest known one.

mod in_memory;
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

pub use in_memory::{InMemory, MemoryRows};
pub use join::JoinSpec;
pub use load::{load, parse, parse_with};
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
    /// Recordings and tables that are not files.
    pub in_memory: InMemory,
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
