//! A scenario with every default filled in.

mod join;
mod replay;
mod rows;
mod strategy;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use streamjoin_kernels::spark::CastMode;
use toml::Spanned;

use super::spec::{OutputSpec, ScenarioSpec};
use super::{InMemory, Located, SinkFormat, SourceText};
use crate::error::Result;

pub use join::{Condition, StreamJoin, TableJoin, Version};
pub use replay::Replay;
pub use rows::{Reading, RowSource, Stream};
pub use strategy::{BROADCAST_THRESHOLD, StrategyOptions};

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
    #[must_use]
    pub fn stream(&self, name: &str) -> Option<&Stream> {
        self.streams.iter().find(|stream| *stream.name == name)
    }

    /// What a malformed cast does.
    #[must_use]
    pub fn cast_mode(&self) -> CastMode {
        let of_join = self.join.as_ref().and_then(|join| join.ansi.as_ref());
        match of_join.map(|ansi| ansi.value).or(self.ansi).unwrap_or(true) {
            true => CastMode::Ansi,
            false => CastMode::NullOnError,
        }
    }
}

/// `[output]`: what becomes of the joined rows.
#[derive(Clone, Debug)]
pub struct Output {
    /// The file to write; `-` is standard output.
    pub path: Option<Located<PathBuf>>,
    /// The form to write; by the path's extension where absent.
    pub format: Option<Located<SinkFormat>>,
    /// Which rows and columns are emitted.
    pub clauses: Clauses,
}

/// `select` and `where`.
#[derive(Clone, Debug)]
pub struct Clauses {
    /// Columns to keep, as SQL; all where absent.
    pub select: Option<Located<Vec<Located<String>>>>,
    /// Rows to keep, as SQL.
    pub filter: Option<Located<String>>,
}

/// Fills in what `spec` leaves out.
///
/// # Errors
/// A usage failure with its place, for a format, a type or a delimiter that is not
/// one.
pub(super) fn resolve(
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

/// What values are resolved with: their text, for places and paths, and rows in
/// memory.
#[derive(Clone, Copy)]
struct Context<'a> {
    text: &'a Arc<SourceText>,
    in_memory: &'a InMemory,
}

impl Context<'_> {
    fn at<T>(self, value: T, span: Range<usize>) -> Located<T> {
        Located::new(value, self.text, span)
    }

    fn located<T>(self, value: Spanned<T>) -> Located<T> {
        let span = value.span();
        self.at(value.into_inner(), span)
    }

    fn optional<T>(self, value: Option<Spanned<T>>) -> Option<Located<T>> {
        value.map(|value| self.located(value))
    }

    fn or_default<T: Default>(self, value: Option<Spanned<T>>) -> Located<T> {
        let default = || Located::unwritten(T::default(), self.text);
        self.optional(value).unwrap_or_else(default)
    }

    fn clauses(
        self,
        select: Option<Spanned<Vec<Spanned<String>>>>,
        filter: Option<Spanned<String>>,
    ) -> Clauses {
        let select = select.map(|select| {
            let span = select.span();
            let items = select.into_inner().into_iter().map(|item| self.located(item));
            self.at(items.collect(), span)
        });
        Clauses { select, filter: self.optional(filter) }
    }

    fn output(self, spec: OutputSpec) -> Output {
        let path = spec.path.map(|path| {
            let span = path.span();
            let path = path.into_inner();
            let path = if path == "-" { path.into() } else { self.text.resolve(&path) };
            self.at(path, span)
        });
        let clauses = self.clauses(spec.select, spec.r#where);
        Output { path, format: self.optional(spec.format), clauses }
    }
}
