//! Records as CSV.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::error::{Failure, Result};

/// CSV of structs that hold no other structs, with the names of their fields if
/// `header`.
pub(crate) fn of_structs<T: Serialize>(lines: &[T], header: bool) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().has_headers(header).from_writer(Vec::new());
    for line in lines {
        writer.serialize(line).map_err(Failure::run)?;
    }
    finish(writer)
}

/// CSV of cells.
pub(crate) fn text<'a>(
    header: impl IntoIterator<Item = &'a str>,
    lines: Vec<Vec<String>>,
) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header).map_err(Failure::run)?;
    for line in lines {
        writer.write_record(line).map_err(Failure::run)?;
    }
    finish(writer)
}

fn finish(writer: csv::Writer<Vec<u8>>) -> Result<String> {
    let bytes = writer.into_inner().map_err(|error| Failure::run(error.error().to_string()))?;
    String::from_utf8(bytes).map_err(Failure::run)
}

/// The fields of a record by name.
#[derive(Debug)]
pub(crate) struct Fields(BTreeMap<String, String>);

/// The fields of a serialised record as cells. Those of an inner record have the
/// names joined: `latencyMs.p50` is `latencyMsP50`. A list is one cell of JSON.
pub(crate) fn flat(record: Value) -> Fields {
    let mut fields = BTreeMap::new();
    add(&mut fields, String::new(), record);
    Fields(fields)
}

fn add(fields: &mut BTreeMap<String, String>, name: String, value: Value) {
    let cell = match value {
        Value::Object(inner) => {
            for (key, value) in inner {
                let name = match key.split_at_checked(1) {
                    Some((first, rest)) if !name.is_empty() => {
                        format!("{name}{}{rest}", first.to_uppercase())
                    }
                    _ => key,
                };
                add(fields, name, value);
            }
            return;
        }
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Array(items) if items.is_empty() => String::new(),
        // As Rust writes it: without `.0`.
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or_else(String::new, |number| number.to_string())
        }
        other => other.to_string(),
    };
    fields.insert(name, cell);
}

impl Fields {
    /// A field's cell; empty where it does not apply.
    pub(crate) fn get(&self, name: &str) -> String {
        self.0.get(name).cloned().unwrap_or_default()
    }

    /// The names of all fields.
    #[cfg(test)]
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
