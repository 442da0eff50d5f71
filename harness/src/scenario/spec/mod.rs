//! A scenario file as it is written: the shape of each section, each value with its
//! place.

mod from_text;
mod join;
mod ordered;
mod output;
mod replay;
mod strategy;
mod stream;
mod table;

use serde::Deserialize;

pub(super) use join::JoinSpec;
pub use ordered::Ordered;
pub(super) use output::OutputSpec;
pub(super) use replay::ReplaySpec;
pub use replay::{DisorderSpec, End, Merge, Pace, Trigger};
pub use strategy::{Choice, Swap};
pub(super) use strategy::{StateLimit, StrategySpec};
pub(super) use stream::{CsvSpec, StreamSpec};
pub use stream::{EventTimeSpec, Finished, TimeUnitName};
pub use table::{Refresh, VersionStart};
pub(super) use table::{StreamSide, TableSpec};

/// A scenario file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioSpec {
    /// One line for people.
    pub(super) description: Option<String>,
    /// ANSI mode: a malformed cast fails its batch (default) or gives null.
    pub(super) ansi: Option<bool>,
    /// The recorded streams, in file order.
    #[serde(default)]
    pub(super) stream: Ordered<StreamSpec>,
    /// The join of two streams.
    pub(super) join: Option<JoinSpec>,
    /// The tables that the stream is joined with, in order.
    #[serde(default, rename = "dimension")]
    pub(super) tables: Vec<TableSpec>,
    /// How the recording is cut into batches.
    #[serde(default)]
    pub(super) replay: ReplaySpec,
    /// The strategies to measure, in file order.
    #[serde(default)]
    pub(super) strategies: Ordered<StrategySpec>,
    /// What becomes of the joined rows.
    #[serde(default)]
    pub(super) output: OutputSpec,
}
