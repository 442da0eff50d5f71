//! Columns as both joins need them: checked against the plan, and named in errors.

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::error::ArrowError;

use crate::error::{JoinError, Result};

/// Compares names and types; nullability and metadata may differ.
pub(super) fn check_schema(what: &str, planned: &SchemaRef, batch: &RecordBatch) -> Result<()> {
    let fields = batch.schema_ref().fields();
    if fields.len() != planned.fields().len() {
        return Err(JoinError::Schema(format!(
            "{what} has {} columns, {} were planned",
            fields.len(),
            planned.fields().len()
        )));
    }
    for (came, planned) in fields.iter().zip(planned.fields()) {
        if came.data_type() != planned.data_type() {
            return Err(JoinError::Schema(format!(
                "column `{}` of {what} is {}, {} was planned",
                planned.name(),
                came.data_type(),
                planned.data_type()
            )));
        }
    }
    Ok(())
}

/// Says what an overflow of 32-bit offsets means here: one row alone is too
/// large, for the limit in bytes had cut the batch down to it.
pub(super) fn too_large(error: JoinError, schema: &Schema) -> JoinError {
    match error {
        JoinError::Arrow(ArrowError::OffsetOverflowError(_)) => {
            let names: Vec<&str> = schema
                .fields()
                .iter()
                .filter(|field| matches!(field.data_type(), DataType::Utf8 | DataType::Binary))
                .map(|field| field.name().as_str())
                .collect();
            JoinError::OutputTooLarge { column: names.join("` or `") }
        }
        other => other,
    }
}
