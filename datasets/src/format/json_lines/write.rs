//! The JSON lines writer: arrow's, with what it would lose written by [`Encoders`].

use std::convert::Infallible;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};
use arrow::json::writer::LineDelimited;
use arrow::json::{Writer as JsonWriter, WriterBuilder};

use super::encode::Encoders;
use crate::columns::{convert_columns, decoded, retype_schema};
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::trial::misfit;
use crate::write::{BatchWriter, Output};

pub(super) fn writer(sink: Output, schema: &SchemaRef) -> Box<dyn BatchWriter> {
    // Arrow's encoder writes a null value of a dictionary as an empty string.
    let rule = &mut |_: &_, part: &DataType| -> Result<_, Infallible> {
        Ok(match part {
            DataType::Dictionary(..) | DataType::RunEndEncoded(..) => Some(decoded(part)),
            _ => None,
        })
    };
    let Ok(schema) = retype_schema(schema, rule);
    let inner = WriterBuilder::new()
        .with_explicit_nulls(true)
        .with_encoder_factory(Arc::new(Encoders))
        .build::<_, LineDelimited>(sink);
    Box::new(Writer { inner, schema })
}

struct Writer {
    inner: JsonWriter<Output, LineDelimited>,
    /// The columns, decoded.
    schema: SchemaRef,
}

impl BatchWriter for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let fail = |source| DatasetError::Write { format: FileFormat::JsonLines, source };
        let batch = convert_columns(batch, &self.schema).map_err(misfit(FileFormat::JsonLines))?;
        self.inner.write(&batch).map_err(fail)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let fail = |source| DatasetError::Write { format: FileFormat::JsonLines, source };
        self.inner.finish().map_err(fail)?;
        std::io::Write::flush(self.inner.get_mut()).map_err(|e| fail(e.into()))
    }
}
