//! A case as a scenario whose recordings and tables are in memory, as a user
//! would write it.

mod stream_static;
mod stream_stream;

use super::case::Query;
use super::input::Input;
use crate::error::Result;
use crate::scenario::{InMemory, Scenario, SourceText, parse_with};
use crate::text::toml_string::quoted;

/// The scenario that `query` is over `input`. Its name tells nothing of the
/// case, because it is in messages, whose words are compared.
///
/// # Errors
/// What the user of such a scenario would be told.
pub(super) fn scenario(query: &Query, input: &Input) -> Result<Scenario> {
    let (text, in_memory) = match query {
        Query::StreamStatic(query) => stream_static::write(query, input)?,
        Query::StreamStream(query) => stream_stream::write(query, input)?,
    };
    parse_with(SourceText::new("case.toml", text), "case", in_memory)
}

/// The text of a scenario, and its recordings and tables.
type Written = (String, InMemory);

/// `key = value`, with the value as a TOML string.
fn line(key: &str, value: &str) -> String {
    format!("{key} = {}\n", quoted(value))
}
