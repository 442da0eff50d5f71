//! Which columns are read, as text.

use std::fmt::Write;

use arrow::datatypes::Schema;

use crate::plan::physical::{Needed, StreamPlan, TableJoinPlan, row_bytes};
use crate::text::number::grouped;

pub(super) fn describe_read(text: &mut String, stream: &StreamPlan) {
    let read = read(&stream.name, &stream.feed.schema(), &stream.prepare.read);
    let _ = writeln!(text, "{read}");
}

/// The columns of a table, and its size if it can be guessed.
pub(super) fn describe_table_read(text: &mut String, join: &TableJoinPlan) {
    let read = read(&join.name, &join.table.schema(), &join.kernel.table.rows.read);
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

fn read(name: &str, schema: &Schema, read: &Needed) -> String {
    let names: Vec<&str> = read.positions().map(|at| schema.field(at).name().as_str()).collect();
    format!(
        "read of {name}: {} of {} columns ({})",
        names.len(),
        schema.fields().len(),
        names.join(", ")
    )
}
