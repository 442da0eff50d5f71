//! Reading a scenario, and errors that name file, line and column.

use std::path::Path;

use super::resolve::resolve;
use super::spec::ScenarioSpec;
use crate::error::{Failure, Result};
use crate::scenario::in_memory::InMemory;
use crate::scenario::resolve::Scenario;
use crate::scenario::source_text::SourceText;
use crate::text::nearest::did_you_mean;

/// Reads the scenario file at `path`.
///
/// # Errors
/// A run failure when the file cannot be read, a usage failure for everything
/// that is wrong inside it.
pub fn load(path: &Path, name: &str) -> Result<Scenario> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::run(format!("{}: {error}", path.display())))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        Failure::usage(format!(
            "{}: not UTF-8 text (byte {} of the file)",
            path.display(),
            error.utf8_error().valid_up_to()
        ))
    })?;
    parse(SourceText::new(path, text), name)
}

/// Reads a scenario's text.
///
/// # Errors
/// A usage failure that names the place, what is wrong and what is accepted.
pub fn parse(text: SourceText, name: &str) -> Result<Scenario> {
    parse_with(text, name, InMemory::default())
}

/// As [`parse`], for a scenario whose recordings and tables may be batches in
/// memory:
///
/// ```
/// use streamjoin::plan::plan;
/// use streamjoin::scenario::{InMemory, MemoryRows, SourceText, parse_with};
/// # use std::sync::Arc;
/// # use arrow::array::{Int64Array, RecordBatch};
/// # let column = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as _;
/// # let batch = |values| RecordBatch::try_from_iter([("k", column(values))]);
/// # let (orders, users) = (batch(vec![1, 2])?, batch(vec![1, 3])?);
/// let in_memory = InMemory::default()
///     .with("orders", MemoryRows::new(orders.schema(), vec![orders])?)
///     .with("users", MemoryRows::new(users.schema(), vec![users])?);
/// let text = r#"
///     [stream.o]
///     recording = "orders"
///     [[dimension]]
///     name = "u"
///     table = "users"
///     on = "o.k = u.k"
///     [replay]
///     trigger = "file"
/// "#;
/// let scenario = parse_with(SourceText::new("orders", text), "orders", in_memory)?;
/// assert_eq!(plan(&scenario, None)?.rows(), Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`parse`].
pub fn parse_with(text: SourceText, name: &str, in_memory: InMemory) -> Result<Scenario> {
    resolve(shape(&text)?, text, name, in_memory)
}

/// What the sections of `text` say.
pub(super) fn shape(text: &SourceText) -> Result<ScenarioSpec> {
    toml::from_str(text.text()).map_err(|error| Failure::usage(explain(&error, text)))
}

/// The parser's message with its place, the nearest known name, and the key
/// that it is about.
fn explain(error: &toml::de::Error, text: &SourceText) -> String {
    let place = match error.span() {
        Some(span) => text.place(span),
        None => text.to_string(),
    };
    let message = plain(&error.message().trim_end().replace('\n', "; "));
    let about = |what: &str| match error.span().and_then(|span| key_before(text.text(), span.start))
    {
        Some(key) => format!("{place}: `{key}`{what}"),
        None => format!("{place}: {}", what.trim_start_matches([':', ' '])),
    };
    for (marker, what) in [("unknown field `", "key"), ("unknown variant `", "value")] {
        if let Some(rest) = message.strip_prefix(marker)
            && let Some((name, known)) = rest.split_once('`')
        {
            let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
            let hint = did_you_mean(name, known.iter().copied());
            let hint = hint.map_or("known".to_owned(), |hint| hint + " Known");
            return format!("{place}: unknown {what} `{name}`; {hint}: {}", known.join(", "));
        }
    }
    if message.starts_with("invalid type") || message.starts_with("invalid value") {
        return about(&format!(": {message}"));
    }
    format!("{place}: {message}")
}

/// A message without the parser's own words for types.
fn plain(message: &str) -> String {
    [
        ("a nonzero u64", "a whole number from 1 on"),
        ("a nonzero usize", "a whole number from 1 on"),
        ("u64", "a whole number from 0 on"),
        (" as i128", ""),
        ("a boolean", "true or false"),
    ]
    .iter()
    .fold(message.to_owned(), |message, (from, to)| message.replace(from, to))
}

/// The key whose value starts at `at`, read backwards from it.
fn key_before(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?.trim_end_matches([' ', '\t', '"', '\'']);
    let before = before.strip_suffix('=')?.trim_end();
    let start = before
        .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
        .map_or(0, |found| found + 1);
    Some(&before[start..]).filter(|key| !key.is_empty())
}
