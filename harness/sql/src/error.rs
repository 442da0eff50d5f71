//! Errors in SQL text, with their places.

use std::fmt;

use sqlparser::tokenizer::{Location, Span};

/// An error in SQL text: one message with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    message: String,
    /// Line and column, both from 1, where known.
    place: Option<(u64, u64)>,
}

impl SqlError {
    /// An error about the text as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None }
    }

    /// An error at the start of a span; an empty span is not a place.
    pub(crate) fn at(span: Span, message: impl Into<String>) -> Self {
        Self::new(message).or_at(span)
    }

    pub(crate) fn at_location(location: Location, message: impl Into<String>) -> Self {
        let place = (location.line > 0).then_some((location.line, location.column));
        Self { message: message.into(), place }
    }

    /// The same error with a place, if it has none yet.
    pub(crate) fn or_at(mut self, span: Span) -> Self {
        if self.place.is_none() && span.start.line > 0 {
            self.place = Some((span.start.line, span.start.column));
        }
        self
    }

    /// What is wrong and what to do about it, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Line within the text, from 1.
    pub fn line(&self) -> Option<u64> {
        self.place.map(|(line, _)| line)
    }

    /// Column (in characters) within the line, from 1.
    pub fn column(&self) -> Option<u64> {
        self.place.map(|(_, column)| column)
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            // Conditions are mostly one line: the first line is not named.
            Some((1, column)) => write!(f, "{} (at column {column})", self.message),
            Some((line, column)) => write!(f, "{} (at line {line}, column {column})", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for SqlError {}

/// The result of parsing and binding.
pub(crate) type Result<T> = std::result::Result<T, SqlError>;
