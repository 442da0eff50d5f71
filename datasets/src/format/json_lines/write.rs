//! The JSON lines writer: arrow's, with non-finite floats kept as strings.

use std::sync::Arc;

use arrow::array::{Array, AsArray, RecordBatch, RecordBatchOptions};
use arrow::compute::cast;
use arrow::datatypes::{DataType, FieldRef, Float32Type, Float64Type, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::writer::{
    Encoder, EncoderFactory, EncoderOptions, LineDelimited, NullableEncoder,
};
use arrow::json::{Writer as JsonWriter, WriterBuilder};

use super::values;
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::write::{BatchWriter, Output};

pub(super) fn writer(sink: Output, schema: &SchemaRef) -> Result<Box<dyn BatchWriter>> {
    let build = |sink| {
        WriterBuilder::new()
            .with_explicit_nulls(true)
            .with_encoder_factory(Arc::new(Floats))
            .build::<_, LineDelimited>(sink)
    };
    // Arrow refuses what it cannot write at the first row only: ask now.
    let row = schema.fields().iter().map(|f| arrow::array::new_null_array(f.data_type(), 1));
    let nullable: Vec<_> =
        schema.fields().iter().map(|f| f.as_ref().clone().with_nullable(true)).collect();
    let nullable = Arc::new(arrow::datatypes::Schema::new(nullable));
    let trial = RecordBatch::try_new(nullable, row.collect())
        .and_then(|batch| build(Box::new(std::io::sink()) as Output).write(&batch));
    trial.map_err(|e| DatasetError::CannotHold {
        format: FileFormat::JsonLines,
        what: format!("these columns: {e}"),
        remedy: "cast them, or write parquet or arrow".to_owned(),
    })?;
    Ok(Box::new(Writer(build(sink))))
}

struct Writer(JsonWriter<Output, LineDelimited>);

impl BatchWriter for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let fail = |source| DatasetError::Write { format: FileFormat::JsonLines, source };
        let batch = without_dictionaries(batch).map_err(fail)?;
        self.0.write(&batch).map_err(fail)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let fail = |source| DatasetError::Write { format: FileFormat::JsonLines, source };
        self.0.finish().map_err(fail)?;
        std::io::Write::flush(self.0.get_mut()).map_err(|e| fail(e.into()))
    }
}

/// Arrow's encoder writes a null value of a dictionary as an empty string.
fn without_dictionaries(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let schema = Arc::new(values::without_dictionaries(&batch.schema()));
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| cast(column, field.data_type()));
    let columns = columns.collect::<Result<_, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema, columns, &options)
}

/// Arrow writes NaN and the infinities as null, which loses them.
#[derive(Debug)]
struct Floats;

impl EncoderFactory for Floats {
    fn make_default_encoder<'a>(
        &self,
        _field: &'a FieldRef,
        array: &'a dyn Array,
        _options: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let values: Box<dyn Encoder + 'a> = match array.data_type() {
            DataType::Float32 => {
                let values = array.as_primitive::<Float32Type>();
                Box::new(FloatEncoder(move |i| {
                    let v = values.value(i);
                    (f64::from(v), format!("{v:?}"))
                }))
            }
            DataType::Float64 => {
                let values = array.as_primitive::<Float64Type>();
                Box::new(FloatEncoder(move |i| {
                    let v = values.value(i);
                    (v, format!("{v:?}"))
                }))
            }
            _ => return Ok(None),
        };
        Ok(Some(NullableEncoder::new(values, array.nulls().cloned())))
    }
}

/// Encodes a value by its shortest exact text.
struct FloatEncoder<F>(F);

impl<F: Fn(usize) -> (f64, String)> Encoder for FloatEncoder<F> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let (value, text) = (self.0)(row);
        match value {
            _ if value.is_finite() => out.extend_from_slice(text.as_bytes()),
            _ if value.is_nan() => out.extend_from_slice(b"\"NaN\""),
            _ if value > 0.0 => out.extend_from_slice(b"\"Infinity\""),
            _ => out.extend_from_slice(b"\"-Infinity\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{ArrayRef, Float32Array, Float64Array};

    #[test]
    fn non_finite_floats_are_strings() {
        let a: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN, -0.0, 1e300]));
        let b: ArrayRef = Arc::new(Float32Array::from(vec![f32::INFINITY, 0.1, f32::NEG_INFINITY]));
        let batch = RecordBatch::try_from_iter([("a", a), ("b", b)]).unwrap();
        let mut text = Vec::new();
        let mut writer = WriterBuilder::new()
            .with_encoder_factory(Arc::new(Floats))
            .build::<_, LineDelimited>(&mut text);
        writer.write(&batch).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(
            text,
            "{\"a\":\"NaN\",\"b\":\"Infinity\"}\n{\"a\":-0.0,\"b\":0.1}\n{\"a\":1e300,\"b\":\"-Infinity\"}\n"
        );
    }
}
