//! A whole scenario, resolved.

use std::sync::Arc;

use streamjoin_kernels::spark::CastMode;

use super::context::Context;
use super::join::{StreamJoin, TableJoin};
use super::output::Output;
use super::replay::Replay;
use super::rows::Stream;
use super::strategy::StrategyOptions;
use crate::error::Result;
use crate::scenario::in_memory::InMemory;
use crate::scenario::source_text::SourceText;
use crate::scenario::spec::ScenarioSpec;

/// What a scenario asks for: complete, but not yet checked against its data.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Shipped name or the file's stem.
    pub name: String,
    /// The file, for messages and relative paths.
    pub text: Arc<SourceText>,
    /// One line for people.
    pub description: Option<String>,
    /// ANSI mode: a malformed cast fails its batch instead of giving null. A
    /// [`StreamJoin`] may say the same; only it says otherwise where this is absent.
    pub ansi: Option<bool>,
    /// The streams, in file order.
    pub streams: Vec<Stream>,
    /// The join of two streams.
    pub join: Option<StreamJoin>,
    /// The tables that the rows are joined with, in order.
    pub tables: Vec<TableJoin>,
    /// How the recording is cut into batches.
    pub replay: Replay,
    /// The strategies to measure, in file order.
    pub strategies: Vec<StrategyOptions>,
    /// What becomes of the joined rows.
    pub output: Output,
    /// Recordings and tables that are not files.
    pub in_memory: InMemory,
}

impl Scenario {
    /// The stream called `name`.
    pub fn stream(&self, name: &str) -> Option<&Stream> {
        self.streams.iter().find(|stream| *stream.name == name)
    }

    /// What a malformed cast does.
    pub fn cast_mode(&self) -> CastMode {
        let of_join = self.join.as_ref().and_then(|join| join.ansi.as_ref());
        match of_join.map(|ansi| ansi.value).or(self.ansi).unwrap_or(true) {
            true => CastMode::Ansi,
            false => CastMode::NullOnError,
        }
    }
}

/// Fills in what `spec` leaves out.
///
/// # Errors
/// A usage failure with its place, for a format, a type or a delimiter that is not
/// one.
pub(in crate::scenario) fn resolve(
    spec: ScenarioSpec,
    text: SourceText,
    name: &str,
    in_memory: InMemory,
) -> Result<Scenario> {
    let text = Arc::new(text);
    let with = Context { text: &text, in_memory: &in_memory };
    let streams = spec.stream.0.into_iter().map(|(name, stream)| with.stream(name, stream));
    let streams = streams.collect::<Result<_>>()?;
    let tables = spec.tables.into_iter().map(|table| with.table_join(table));
    let tables = tables.collect::<Result<_>>()?;
    let strategies = spec.strategies.0.into_iter();
    Ok(Scenario {
        name: name.to_owned(),
        description: spec.description,
        ansi: spec.ansi,
        streams,
        join: spec.join.map(|join| with.stream_join(join)),
        tables,
        replay: with.replay(spec.replay),
        strategies: strategies.map(|(name, spec)| with.strategy(name, spec)).collect(),
        output: with.output(spec.output),
        text: Arc::clone(&text),
        in_memory,
    })
}
