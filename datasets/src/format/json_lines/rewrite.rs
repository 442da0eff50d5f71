//! Lines that arrow's decoder does not read as they are: numbers among times become marked
//! texts, what is nested where text is expected becomes its own text, and a line that is
//! `null` a row of nulls, as in Spark.

use std::fmt;

use arrow::datatypes::{DataType, Fields};
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::restore::{is_time, marked};

/// A line as arrow's decoder reads it; `None` where it is not JSON.
pub(super) fn rewrite(line: &str, columns: &Fields) -> Option<String> {
    let mut out = String::with_capacity(line.len() + 16);
    let value: &RawValue = serde_json::from_str(line).ok()?;
    match value.get() {
        "null" => out.push_str("{}"),
        object => write_object(object, columns, &mut out)?,
    }
    out.push('\n');
    Some(out)
}

fn write_object(text: &str, fields: &Fields, out: &mut String) -> Option<()> {
    write_members(text, out, |name| {
        fields.iter().find(|field| field.name() == name).map(|field| field.data_type())
    })
}

/// `types` = the type of the member of a name, where one is known.
fn write_members<'t>(
    text: &str,
    out: &mut String,
    types: impl Fn(&str) -> Option<&'t DataType>,
) -> Option<()> {
    let Members(members) = serde_json::from_str(text).ok()?;
    out.push('{');
    for (at, (name, value)) in members.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(&serde_json::to_string(name).ok()?);
        out.push(':');
        match types(name) {
            Some(to) => write_value(value.get(), to, out)?,
            None => out.push_str(value.get()),
        }
    }
    out.push('}');
    Some(())
}

fn write_value(text: &str, to: &DataType, out: &mut String) -> Option<()> {
    let first = text.as_bytes().first()?;
    match to {
        DataType::Dictionary(_, values) => write_value(text, values, out)?,
        _ if is_time(to) && (first.is_ascii_digit() || *first == b'-') => {
            out.push_str(&marked(text));
        }
        _ if to.is_string() && matches!(first, b'{' | b'[') => {
            out.push_str(&serde_json::to_string(&compact(text)).ok()?);
        }
        DataType::Struct(fields) if *first == b'{' => write_object(text, fields, out)?,
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)
            if *first == b'[' =>
        {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            out.push('[');
            for (at, value) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_value(value.get(), item.data_type(), out)?;
            }
            out.push(']');
        }
        DataType::Map(entries, _) if *first == b'{' => {
            let DataType::Struct(key_value) = entries.data_type() else { return None };
            let value = key_value.get(1)?.data_type();
            write_members(text, out, |_| Some(value))?;
        }
        _ => out.push_str(text),
    }
    Some(())
}

/// JSON without the blanks between its parts.
fn compact(text: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let keep = |c: &char| {
        let blank = !quoted && c.is_ascii_whitespace();
        match *c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        !blank
    };
    text.chars().filter(keep).collect()
}

/// The members of an object, in order.
pub(super) struct Members<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}
