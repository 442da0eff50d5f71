//! Output columns that share a name.

use std::collections::HashMap;

use arrow::datatypes::Schema;
use streamjoin_datasets::FileFormat;

use crate::error::{Failure, Result};

/// Whether a reader of the format can tell two columns of one name apart: in
/// Arrow they are found by position, too. A JSON object would lose one of them,
/// and the others' readers go by name.
fn holds_duplicates(format: FileFormat) -> bool {
    matches!(format, FileFormat::ArrowFile | FileFormat::ArrowStream)
}

/// Refuses equal column names where `format` cannot hold them.
pub(super) fn refuse(schema: &Schema, format: FileFormat) -> Result<()> {
    if holds_duplicates(format) {
        return Ok(());
    }
    let mut positions: HashMap<&str, Vec<usize>> = HashMap::new();
    for (position, field) in schema.fields().iter().enumerate() {
        positions.entry(field.name()).or_default().push(position + 1);
    }
    let duplicate = schema.fields().iter().find(|f| positions[f.name().as_str()].len() > 1);
    let Some(field) = duplicate else { return Ok(()) };
    let name = field.name();
    let places: Vec<String> = positions[name.as_str()].iter().map(ToString::to_string).collect();
    let places = places.join(" and ");
    Err(Failure::usage(format!(
        "{format} output cannot hold two columns of one name: `{name}` is output column {places}; \
         name them apart with select = [\"TABLE.{name} AS TABLE_{name}\", ...], join with using = [...], \
         or write arrow"
    )))
}
