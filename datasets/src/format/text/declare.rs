//! The error for a value that does not fit its column: how to declare the
//! columns so that it does.

use std::path::Path;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::time::{NUMBER, is_number};
use super::types::{settled, value_type, widen};
use crate::error::DatasetError;
use crate::nearest::shorten;
use crate::type_text::type_text;

/// A longer declaration is shown in part.
const SHOWN_CHARS: usize = 300;

/// The error for such a value. `inferred` = all columns of the file, if their types are guesses.
pub(in crate::format) fn malformed(
    path: &Path,
    line: u64,
    field: &Field,
    value: &str,
    inferred: Option<&SchemaRef>,
) -> DatasetError {
    let data_type = match field.data_type() {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        other => other.clone(),
    };
    let value = value.strip_prefix(NUMBER).unwrap_or(value);
    let remedy = match inferred {
        _ if is_number(value) && data_type.is_temporal() => number_among_times(&data_type),
        Some(schema) => {
            let wider = settled(&widen(&data_type, &value_type(value)));
            format!(
                "the type is that of the first 1,000 rows: correct the value, or declare {}",
                declaration(schema, Some((field.name(), &wider)))
            )
        }
        None => "correct the value or declare the column's type as string".to_owned(),
    };
    DatasetError::MalformedValue {
        path: path.to_owned(),
        line,
        column: field.name().clone(),
        value: shorten(value).into(),
        type_name: type_text(&data_type).into(),
        remedy,
    }
}

/// What to do about a number among times.
fn number_among_times(data_type: &DataType) -> String {
    match data_type {
        DataType::Timestamp(_, Some(_)) => {
            "a number there is seconds since 1970, within the years that the type holds, and bare digits that may be a year are neither: correct the value, or declare the column as bigint and convert it".to_owned()
        }
        _ => "a number is a time in a column declared as timestamp only, where it is seconds since 1970: declare timestamp, or bigint and convert it".to_owned(),
    }
}

/// `schema = { a = "bigint", b = "string" }`, with one column's type replaced.
pub(in crate::format) fn declaration(
    schema: &Schema,
    changed: Option<(&str, &DataType)>,
) -> String {
    let column = |name: &str, data_type: &DataType| {
        let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let key = match !name.is_empty() && name.chars().all(bare) {
            true => name.to_owned(),
            false => serde_json::Value::from(name).to_string(),
        };
        format!("{key} = {}", serde_json::Value::from(type_text(data_type)))
    };
    let all = schema.fields().iter().map(|field| match changed {
        Some((name, data_type)) if name == field.name() => column(name, data_type),
        _ => column(field.name(), field.data_type()),
    });
    let all = all.collect::<Vec<_>>().join(", ");
    let nested = schema.fields().iter().any(|field| field.data_type().is_nested());
    match changed {
        _ if all.len() <= SHOWN_CHARS && !nested => format!("schema = {{ {all} }}"),
        Some((name, data_type)) => {
            format!("all columns: schema = {{ {}, ... }}", column(name, data_type))
        }
        None => "all columns with a schema".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_ones_are_shown_whole() {
        let fields = [("n", DataType::Int64), ("odd name", DataType::Float64)];
        let fields = fields.map(|(name, data_type)| Field::new(name, data_type, true));
        let schema = Schema::new(fields.to_vec());
        let changed = Some(("n", &DataType::Utf8));
        assert_eq!(
            declaration(&schema, changed),
            "schema = { n = \"string\", \"odd name\" = \"double\" }"
        );
        let many = (0..100).map(|i| Field::new(format!("c{i}"), DataType::Int64, true));
        let text =
            declaration(&Schema::new(many.collect::<Vec<_>>()), Some(("c7", &DataType::Utf8)));
        assert_eq!(text, "all columns: schema = { c7 = \"string\", ... }");
    }
}
