//! The text of JSON lines as columns.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::ReaderBuilder;

use super::restore::decoded;

/// Turns lines into columns.
pub(super) struct Decoder {
    /// The columns as arrow decodes them.
    schema: SchemaRef,
    /// Whether a field without a column is an error.
    strict: bool,
}

impl Decoder {
    /// A decoder of lines whose columns are `schema`. A `strict` one refuses a
    /// field without a column.
    pub(super) fn new(schema: &Schema, strict: bool) -> Decoder {
        let fields = schema.fields().iter().map(|field| {
            Arc::new(field.as_ref().clone().with_data_type(decoded(field.data_type())))
        });
        Decoder { schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())), strict }
    }

    /// All objects of `text` as one batch.
    pub(super) fn decode(&self, text: &[u8], rows: usize) -> Result<RecordBatch, ArrowError> {
        // One more than there should be, so that a surplus shows.
        let mut decoder = ReaderBuilder::new(self.schema.clone())
            .with_batch_size(rows + 1)
            .with_coerce_primitive(true)
            .with_strict_mode(self.strict)
            .build_decoder()?;
        let read = decoder.decode(text)?;
        let batch = decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(self.schema.clone()));
        if read < text.len() {
            return Err(ArrowError::JsonError("several objects on a line".to_owned()));
        }
        Ok(batch)
    }
}
