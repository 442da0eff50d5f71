//! What values are resolved with.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;

use crate::scenario::in_memory::InMemory;
use crate::scenario::located::Located;
use crate::scenario::source_text::SourceText;

/// `select` and `where`.
#[derive(Clone, Debug)]
pub struct Clauses {
    /// Columns to keep, as SQL; all where absent.
    pub select: Option<Located<Vec<Located<String>>>>,
    /// Rows to keep, as SQL.
    pub filter: Option<Located<String>>,
}

/// The text that values come from, for places and paths, and rows in
/// memory.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) text: &'a Arc<SourceText>,
    pub(super) in_memory: &'a InMemory,
}

impl Context<'_> {
    pub(super) fn at<T>(self, value: T, span: Range<usize>) -> Located<T> {
        Located::new(value, self.text, span)
    }

    pub(super) fn located<T>(self, value: Spanned<T>) -> Located<T> {
        let span = value.span();
        self.at(value.into_inner(), span)
    }

    pub(super) fn optional<T>(self, value: Option<Spanned<T>>) -> Option<Located<T>> {
        value.map(|value| self.located(value))
    }

    pub(super) fn or_default<T: Default>(self, value: Option<Spanned<T>>) -> Located<T> {
        let default = || Located::unwritten(T::default(), self.text);
        self.optional(value).unwrap_or_else(default)
    }

    pub(super) fn clauses(
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
}
