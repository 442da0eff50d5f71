//! Values that know where the scenario says them.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::error::{Cause, Failure};
use crate::scenario::source_text::SourceText;

/// A place in a scenario; it displays as `file:line:column`, or as the file alone
/// where a value is a default.
#[derive(Clone, Debug)]
pub struct Place {
    text: Arc<SourceText>,
    span: Option<Range<usize>>,
}

impl Place {
    /// The scenario that it is in.
    pub fn text(&self) -> &SourceText {
        &self.text
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.span {
            Some(span) => f.write_str(&self.text.place(span.clone())),
            None => self.text.fmt(f),
        }
    }
}

/// A value that may turn out wrong later, with its place in the scenario.
#[derive(Clone, Debug)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    place: Place,
}

impl<T> Located<T> {
    /// The value that stands at `span` of `text`.
    pub(super) fn new(value: T, text: &Arc<SourceText>, span: Range<usize>) -> Self {
        Self { value, place: Place { text: Arc::clone(text), span: Some(span) } }
    }

    /// A value that `text` does not say.
    pub fn unwritten(value: T, text: &Arc<SourceText>) -> Self {
        Self { value, place: Place { text: Arc::clone(text), span: None } }
    }

    /// Where the scenario says the value; `None` for a default.
    pub fn written_at(&self) -> Option<&Place> {
        Some(&self.place).filter(|place| place.span.is_some())
    }

    /// Where the scenario says it.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Another value at the same place.
    pub(super) fn map<U>(self, value: impl FnOnce(T) -> U) -> Located<U> {
        Located { value: value(self.value), place: self.place }
    }

    /// A usage failure at this place.
    pub fn refuse(&self, cause: impl Into<Cause>) -> Failure {
        Failure::usage(cause).at(&self.place)
    }
}

impl<T> Deref for Located<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
