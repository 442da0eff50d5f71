//! Batches as text.

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use streamjoin_datasets::type_text;

/// The cells of each row, with a `;` between them; nulls are empty.
pub(crate) fn rows(batch: &RecordBatch) -> Vec<String> {
    let options = FormatOptions::new();
    let columns = batch.columns().iter();
    let columns: Vec<_> =
        columns.map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
    let row = |row| {
        let cells = columns.iter().map(|column| column.value(row).to_string());
        cells.collect::<Vec<_>>().join(";")
    };
    (0..batch.num_rows()).map(row).collect()
}

/// The types of the columns.
pub(crate) fn types(batch: &RecordBatch) -> Vec<String> {
    batch.schema().fields().iter().map(|field| type_text(field.data_type())).collect()
}
