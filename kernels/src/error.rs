//! What can go wrong in a join, one variant per cause.

use std::error::Error;

use arrow::datatypes::DataType;
use arrow::error::ArrowError;

use crate::join_type::JoinType;

/// The error of every fallible call of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// A name that is not in a registry (join type, index, layout, Isa).
    #[error("unknown {what} `{name}`; known: {known}")]
    UnknownName {
        /// What was looked up, such as `join type`.
        what: &'static str,
        /// The name that was not found.
        name: String,
        /// The names that would have been found, comma-separated.
        known: String,
    },
    /// A join that has no sound answer on a stream.
    #[error("{join_type} join refused: {reason}; {remedy}")]
    Refused {
        /// The join type asked for.
        join_type: JoinType,
        /// The rule that it breaks.
        reason: String,
        /// The nearest form that works.
        remedy: String,
    },
    /// Two types that Spark does not compare.
    #[error("cannot compare {left} with {right}{place}: {remedy}")]
    TypeMismatch {
        /// Type on the left.
        left: DataType,
        /// Type on the right.
        right: DataType,
        /// Where, such as ` in key 2`; may be empty.
        place: String,
        /// What to do about it.
        remedy: String,
        /// The type to cast one of them to, where that is the remedy.
        cast_to: Option<DataType>,
    },
    /// A type that cannot be a join key.
    #[error("{data_type} cannot be a join key: {remedy}")]
    UnsupportedKey {
        /// The type.
        data_type: DataType,
        /// What to do about it.
        remedy: String,
    },
    /// A value that does not have the form its cast needs
    /// ([`CastMode::Ansi`](crate::spark::CastMode::Ansi)).
    #[error(
        "the value '{value}' of type {from} (row {row} of the batch) cannot be cast to {to} because it is malformed: correct it, or take CastMode::Try or CastMode::NullOnError to get null"
    )]
    MalformedValue {
        /// The offending text, shortened.
        value: String,
        /// Source type.
        from: DataType,
        /// Target type.
        to: DataType,
        /// Row within the batch, from 0.
        row: usize,
    },
    /// A number or time that the target of its cast cannot hold
    /// ([`CastMode::Ansi`](crate::spark::CastMode::Ansi)).
    #[error(
        "overflow: the value {value} of type {from} (row {row} of the batch) does not fit {to}: cast to a wider type, or take CastMode::Try or CastMode::NullOnError to get null"
    )]
    OutOfRange {
        /// The value as text.
        value: String,
        /// Source type.
        from: DataType,
        /// Target type.
        to: DataType,
        /// Row within the batch, from 0.
        row: usize,
    },
    /// A batch or table whose schema is not the one that was planned for.
    #[error("schema mismatch: {0}")]
    Schema(String),
    /// A column that an input does not have.
    #[error("{input} has no column {column}; it has {known}")]
    UnknownColumn {
        /// The input, such as `the stream`.
        input: String,
        /// The column: its name in backquotes, or its position.
        column: String,
        /// Columns that there are, comma-separated; those with the most similar
        /// names first.
        known: String,
    },
    /// A name that several columns of an input have.
    #[error(
        "`{name}` is ambiguous: {input} has columns of that name at positions {}; rename all but one, or name the column by its position",
        comma_separated(positions)
    )]
    AmbiguousColumn {
        /// The input, such as `the stream`.
        input: String,
        /// The name.
        name: String,
        /// Where the columns stand, from 0.
        positions: Vec<usize>,
    },
    /// A key list, filter or option that does not fit the inputs.
    #[error("invalid plan: {0}")]
    InvalidPlan(String),
    /// More build rows than a 32-bit row id can name.
    #[error("{rows} build rows exceed the limit of {limit}: filter the table or split it by key")]
    TooManyBuildRows {
        /// Rows that were offered.
        rows: u64,
        /// The limit.
        limit: u64,
    },
    /// More rows in the state of one side than its row ids can name.
    #[error(
        "the state of one side has reached the limit of {limit} rows: narrow the interval, lower the watermark delay or filter the stream"
    )]
    TooManyStateRows {
        /// The limit.
        limit: u64,
    },
    /// More distinct keys than 32-bit ids can number.
    #[error("more than {limit} distinct keys: number them in parts, such as by a part of the key")]
    TooManyKeys {
        /// The limit.
        limit: u64,
    },
    /// The state would be larger than the caller allows; the push was refused and
    /// changed nothing.
    #[error(
        "the state would reach {reached} {what}, more than the limit of {limit}: raise the limit, push smaller batches, narrow the interval, lower the watermark delay or, for bytes, select fewer columns"
    )]
    StateLimit {
        /// `rows` or `bytes`.
        what: &'static str,
        /// What the state would have: at most this many bytes.
        reached: u64,
        /// What it may have.
        limit: u64,
    },
    /// The caller's account of memory refused what a table or a state needs.
    #[error(
        "{wanted} bytes for {what} were refused ({source}); {held} are held so far: raise the limit, filter the rows or select fewer columns; for a table, take an index that needs less, such as chained; for the state of two streams, push smaller batches, narrow the interval or lower the watermark delay"
    )]
    MemoryRefused {
        /// What they are for.
        what: &'static str,
        /// Bytes that were asked for.
        wanted: usize,
        /// Bytes that were granted before.
        held: usize,
        /// The caller's reason.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A value that does not fit into a block of a state store.
    #[error(
        "{what} is {bytes} bytes long, and the state of a stream-stream join keeps at most {limit} per value: shorten it, or filter its row out before the join"
    )]
    ValueTooLarge {
        /// The value, such as ``a value of column `url` of the left side``.
        what: String,
        /// Its length.
        bytes: u64,
        /// The greatest length.
        limit: u64,
    },
    /// A column type that a state store cannot keep.
    #[error(
        "column {column}, of type {data_type}, cannot be kept in the state of a stream-stream join: {remedy}"
    )]
    UnsupportedState {
        /// The column: its name in backquotes and its side, or its position.
        column: String,
        /// The type.
        data_type: DataType,
        /// What to do about it.
        remedy: String,
    },
    /// A column type that a table cannot keep for its rows.
    #[error("column {column} of the table, of type {data_type}, cannot be joined: {remedy}")]
    UnsupportedTable {
        /// The column: its name in backquotes.
        column: String,
        /// The type.
        data_type: DataType,
        /// What to do about it.
        remedy: String,
    },
    /// More was asked of a batch that failed, or that was not read to its end: what
    /// it put out is not complete, and nor is the state of a join of two streams.
    #[error(
        "the batch failed or was not read to its end, so its output is not complete: with a table, read on to the end, or push the batch again; with two streams, start the join over, because its state is not complete either, and read each batch to its end"
    )]
    Unfinished,
    /// An output batch with more than 2 GiB in one 32-bit offset column.
    #[error(
        "column `{column}` of one output row set exceeds 2 GiB: use a large (64-bit offset) type or a smaller output batch"
    )]
    OutputTooLarge {
        /// The column.
        column: String,
        /// What Arrow said.
        source: ArrowError,
    },
    /// An instruction set that this machine does not have.
    #[error("instruction set {0} is not available on this machine; available: {1}")]
    IsaUnavailable(String, String),
    /// Somebody has cancelled the build of a table.
    #[error("the build was cancelled; the table in use stays in use")]
    Cancelled,
    /// A version of a table that was built for another join, with which this join
    /// would give wrong answers.
    #[error(
        "the snapshot was built for another join: {difference}; build it with this join, or with one of an equal specification, hasher and layout"
    )]
    ForeignSnapshot {
        /// What differs.
        difference: String,
    },
    /// The join was pushed a batch before a table was loaded.
    #[error("no table was loaded: `build` one and `swap` it in before the first `push`")]
    NotLoaded,
    /// An index of the caller's that does not fit its rows, or finds what is not
    /// there.
    #[error("the index `{index}` is faulty: it {what}; correct it, or choose another index")]
    FaultyIndex {
        /// Its name.
        index: &'static str,
        /// What it does.
        what: String,
    },
    /// Columns of [`Pairs`](crate::Pairs) that differ in length.
    #[error(
        "{probe} probe rows and {build} build rows are no pairs: give as many of one as of the other"
    )]
    UnevenPairs {
        /// Probe rows that were given.
        probe: usize,
        /// Build rows that were given.
        build: usize,
    },
    /// A predicate supplied by the caller failed; made by
    /// [`predicate`](Self::predicate).
    #[error("a predicate failed: {source}")]
    Predicate {
        /// The caller's error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Arrow refused.
    #[error("{0}")]
    Arrow(#[from] ArrowError),
}

impl JoinError {
    /// The error of a predicate, from what it ran into: an error, or a text.
    ///
    /// ```
    /// use std::error::Error;
    /// use streamjoin_kernels::JoinError;
    ///
    /// let cause = "x".parse::<f64>().unwrap_err();
    /// let error = JoinError::predicate(cause.clone());
    /// assert_eq!(error.source().and_then(|source| source.downcast_ref()), Some(&cause));
    /// assert_eq!(JoinError::predicate("no rate").to_string(), "a predicate failed: no rate");
    /// ```
    #[must_use]
    pub fn predicate(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Predicate { source: source.into() }
    }

    /// The error of a slice that starts at row `first` of its batch, as one of
    /// the batch.
    #[must_use]
    pub(crate) fn after_rows(mut self, first: usize) -> Self {
        if let Self::MalformedValue { row, .. } | Self::OutOfRange { row, .. } = &mut self {
            *row += first;
        }
        self
    }
}

fn comma_separated(positions: &[usize]) -> String {
    positions.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// Shorthand for results of this crate.
pub type Result<T, E = JoinError> = std::result::Result<T, E>;

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
