//! `KEY=A,B,C`: a key of the scenario and the values that it takes in turn.

use std::fmt;
use std::str::FromStr;

use serde_json::Value as Json;
use toml_edit::{Key, Value};

use crate::text::commas::parts;

/// A varied key with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// Dotted, as for `--set`.
    pub(super) key: String,
    /// TOML values, or text that stands for itself.
    pub(super) values: Vec<String>,
}

/// Reads `KEY=A,B,C`; commas in quotes and brackets belong to a value.
pub(super) fn axis(text: &str) -> Result<Axis, String> {
    let expected =
        || "KEY=VALUE,VALUE,... is expected, such as replay.trigger.rows=1000,10000".to_owned();
    let mut quote = None;
    let cut = text.char_indices().find(|(_, c)| {
        match (quote, c) {
            (Some(open), c) if open == *c => quote = None,
            (None, '"' | '\'') => quote = Some(*c),
            _ => {}
        }
        quote.is_none() && *c == '='
    });
    let (at, _) = cut.ok_or_else(expected)?;
    let (key, values) = (text[..at].trim(), &text[at + 1..]);
    if key.is_empty() {
        return Err(expected());
    }
    let values: Vec<String> = parts(values).into_iter().map(str::to_owned).collect();
    if values.iter().any(String::is_empty) {
        return Err(format!("a value is empty; {}, and an empty text is \"\"", expected()));
    }
    if let Some(twice) =
        values.iter().enumerate().find_map(|(at, v)| values[..at].contains(v).then_some(v))
    {
        return Err(format!("the value {twice} is given twice"));
    }
    Ok(Axis { key: key.to_owned(), values })
}

impl Axis {
    /// The key in its parts.
    pub(super) fn path(&self) -> Vec<String> {
        path(&self.key)
    }
}

fn path(key: &str) -> Vec<String> {
    let parsed = Key::parse(key).unwrap_or_default();
    parsed.iter().map(|key| key.get().to_owned()).collect()
}

/// One value of a varied key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) key: String,
    pub(super) value: String,
}

impl Setting {
    /// Whether it is a key of another strategy.
    pub(super) fn is_of_another(&self, strategy: &str) -> bool {
        matches!(path(&self.key).as_slice(), [table, name, ..] if table == "strategies" && name != strategy)
    }

    /// The value for people: text without quotes.
    pub(super) fn shown(&self) -> String {
        match Value::from_str(&self.value) {
            Ok(Value::String(text)) => text.into_value(),
            _ => self.value.clone(),
        }
    }

    /// The value as JSON.
    pub(super) fn json(&self) -> Json {
        match Value::from_str(&self.value) {
            Ok(Value::Integer(number)) => Json::from(*number.value()),
            Ok(Value::Float(number)) => Json::from(*number.value()),
            Ok(Value::Boolean(truth)) => Json::from(*truth.value()),
            Ok(Value::String(text)) => Json::from(text.into_value()),
            _ => Json::from(self.value.clone()),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}

#[cfg(test)]
#[path = "axis_tests.rs"]
mod tests;
