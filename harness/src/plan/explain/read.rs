//! Which columns are read, as text.

use std::fmt::Write;

use arrow::datatypes::Schema;

use crate::plan::physical::{Prepare, StreamPlan, TableJoinPlan, row_bytes};
use crate::text::number::grouped;

pub(super) fn describe_read(text: &mut String, stream: &StreamPlan) {
    let read = read(&stream.name, &stream.feed.schema(), &stream.prepare);
    let _ = writeln!(text, "{read}");
}

/// The columns of a table, and its size if it can be guessed.
pub(super) fn describe_table_read(text: &mut String, join: &TableJoinPlan) {
    let read = read(&join.name, &join.table.schema(), &join.kernel.table.rows);
    let size = match (join.expected_rows(), join.expected_bytes()) {
        (Some(rows), Some(bytes)) => format!(
            "about {} kB in memory ({} rows of about {} bytes and the index)",
            grouped(bytes.div_ceil(1000)),
            grouped(rows),
            row_bytes(join.kernel.table.keys.schema())
        ),
        _ => "its size is not known before it is read".to_owned(),
    };
    let _ = writeln!(text, "{read}; {size}");
}

fn read(name: &str, schema: &Schema, prepare: &Prepare) -> String {
    let columns = prepare.read.positions().zip(&prepare.parts);
    let names: Vec<String> = columns
        .map(|(at, part)| {
            let field = schema.field(at);
            match part.fields_of(field.data_type()) {
                Some(fields) => format!("{}: {}", field.name(), fields.join(", ")),
                None => field.name().clone(),
            }
        })
        .collect();
    format!(
        "read of {name}: {} of {} columns ({})",
        names.len(),
        schema.fields().len(),
        names.join(if names.iter().any(|name| name.contains(", ")) { "; " } else { ", " })
    )
}
