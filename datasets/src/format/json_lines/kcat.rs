//! The output of `kcat -J`: one message per line, its payload inside. The
//! payload's fields become the row's.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema};
use chrono::{DateTime, SecondsFormat};
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, json};

use crate::error::{DatasetError, Result};
use crate::type_text::timestamp_utc;

/// The column of a payload that is not a JSON object.
const PAYLOAD: &str = "payload";

/// A message. Its other fields (`tstype`, `broker`, `headers`) are left out.
#[derive(Deserialize)]
struct Message {
    topic: String,
    partition: i32,
    offset: i64,
    /// Milliseconds since 1970; not there, or negative, where it is not known.
    #[serde(default)]
    ts: Option<i64>,
    #[serde(default)]
    key: Value,
    payload: Value,
}

/// Columns of a message in addition to its payload.
fn columns() -> [(&'static str, DataType); 5] {
    [
        ("key", DataType::Utf8),
        ("topic", DataType::Utf8),
        ("partition", DataType::Int32),
        ("offset", DataType::Int64),
        ("ts", timestamp_utc()),
    ]
}

/// Whether a line is one of `kcat -J`.
pub(in crate::format) fn is_kcat(line: &[u8]) -> bool {
    serde_json::from_slice::<Message>(line).is_ok()
}

/// Refuses a declaration of kcat's own columns, whose types are known.
pub(super) fn refuse_own(path: &Path, prefix: &str, declared: &Schema) -> Result<()> {
    let is_own = |field: &&FieldRef| collides(prefix, field.name());
    let Some(field) = declared.fields().iter().find(is_own) else { return Ok(()) };
    Err(DatasetError::SchemaMismatch {
        path: path.to_owned(),
        first: "the declaration".into(),
        column: field.name().clone(),
        message: "is kcat's own: leave it out, or put a prefix before kcat's".to_owned(),
    })
}

/// The columns of kcat, and then those of the payloads.
pub(super) fn schema(prefix: &str, lines: &Schema) -> Schema {
    let own = columns()
        .map(|(name, data_type)| Arc::new(Field::new(format!("{prefix}{name}"), data_type, true)));
    let payload = lines.fields().iter().filter(|field| !collides(prefix, field.name()));
    Schema::new(own.into_iter().chain(payload.cloned()).collect::<Vec<_>>())
}

/// Whether a name is one of kcat's own columns.
fn collides(prefix: &str, name: &str) -> bool {
    columns().iter().any(|(own, _)| name.eq_ignore_ascii_case(&format!("{prefix}{own}")))
}

/// A line of kcat as a line with the payload's fields and kcat's own.
pub(super) fn unwrap(line: &[u8], prefix: &str) -> Result<Vec<u8>, String> {
    let message: Message = serde_json::from_slice(line).map_err(|e| {
        format!("not a line of kcat -J, an object with topic, partition, offset and payload: {e}")
    })?;
    let key = match message.key {
        Value::Null | Value::String(_) => message.key,
        other => Value::String(other.to_string()),
    };
    let ts = message.ts.filter(|ts| *ts >= 0).and_then(DateTime::from_timestamp_millis);
    let ts = ts.map(|ts| ts.to_rfc3339_opts(SecondsFormat::Millis, true));
    let values = [key, json!(message.topic), json!(message.partition), json!(message.offset)];
    let values = values.into_iter().chain([json!(ts)]);
    let mut text = "{".to_owned();
    for (at, ((name, _), value)) in columns().iter().zip(values).enumerate() {
        let comma = if at > 0 { "," } else { "" };
        text += &format!("{comma}{}:{value}", json!(format!("{prefix}{name}")));
    }
    text += &rest(&message.payload, prefix)?;
    text.push('\n');
    Ok(text.into_bytes())
}

/// The payload's part of the line, from the comma to the brace.
fn rest(payload: &Value, prefix: &str) -> Result<String, String> {
    let whole = match payload {
        Value::Null => return Ok("}".to_owned()),
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    let names = match serde_json::from_str::<Names>(&whole) {
        Ok(Names(names)) => names,
        // Text, or JSON that is not an object.
        Err(_) => {
            let text = if let Value::String(text) = payload { text } else { &whole };
            return Ok(format!(",{}:{}}}", json!(PAYLOAD), json!(text)));
        }
    };
    if names.is_empty() {
        return Ok("}".to_owned());
    }
    if let Some(name) = names.iter().find(|name| collides(prefix, name)) {
        return Err(format!(
            "the payload has a field `{name}`, and a column of kcat has that name too; put a prefix before kcat's columns: --kcat-prefix kafka_"
        ));
    }
    // Spliced as it is, so that no digit is lost.
    Ok(format!(",{}", &whole[1..]))
}

/// The names in a JSON object.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some((name, _)) = map.next_entry::<String, IgnoredAny>()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
#[path = "kcat_tests.rs"]
mod tests;
