//! The CSV writer: a header line, nulls as empty fields, the empty text as `""`, the
//! values of dictionaries and runs.

use std::io::{self, Write};

use arrow::array::{Array, RecordBatch};
use arrow::buffer::NullBuffer;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::columns::{convert_columns, value_text};
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::trial::misfit;
use crate::write::{BatchWriter, Output};

/// A writer of columns whose types, `schema`, [`parse_column`](crate::format::parse_column)
/// reads.
pub(super) fn writer(
    sink: Output,
    schema: &SchemaRef,
    delimiter: u8,
) -> Result<Box<dyn BatchWriter>> {
    let mut writer = Writer { sink, schema: schema.clone(), delimiter };
    let names = schema.fields().iter().map(|field| Some(field.name().as_str()));
    writer.line(names).map_err(|e| failed(e.into()))?;
    Ok(Box::new(writer))
}

struct Writer {
    sink: Output,
    /// The columns, decoded.
    schema: SchemaRef,
    delimiter: u8,
}

impl Writer {
    /// `None` is null.
    fn line<'a>(&mut self, fields: impl IntoIterator<Item = Option<&'a str>>) -> io::Result<()> {
        for (column, text) in fields.into_iter().enumerate() {
            if column > 0 {
                self.sink.write_all(&[self.delimiter])?;
            }
            self.field(text)?;
        }
        self.sink.write_all(b"\n")
    }

    fn field(&mut self, text: Option<&str>) -> io::Result<()> {
        let Some(text) = text else { return Ok(()) };
        let special = |b: u8| matches!(b, b'"' | b'\r' | b'\n') || b == self.delimiter;
        if !text.is_empty() && !text.bytes().any(special) {
            return self.sink.write_all(text.as_bytes());
        }
        self.sink.write_all(b"\"")?;
        for (part, piece) in text.split('"').enumerate() {
            if part > 0 {
                self.sink.write_all(b"\"\"")?;
            }
            self.sink.write_all(piece.as_bytes())?;
        }
        self.sink.write_all(b"\"")
    }
}

impl BatchWriter for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = convert_columns(batch, &self.schema).map_err(misfit(FileFormat::Csv))?;
        let options = FormatOptions::new();
        let columns = batch.columns().iter();
        let columns = columns
            .map(|column| ArrayFormatter::try_new(column, &options))
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed)?;
        let nulls: Vec<_> = batch.columns().iter().map(Array::logical_nulls).collect();
        let mut texts = vec![String::new(); columns.len()];
        for row in 0..batch.num_rows() {
            let is_null = |column: usize| {
                nulls[column].as_ref().is_some_and(|nulls: &NullBuffer| nulls.is_null(row))
            };
            for (column, (text, formatter)) in texts.iter_mut().zip(&columns).enumerate() {
                text.clear();
                if !is_null(column) {
                    value_text(formatter, batch.column(column), row, text).map_err(failed)?;
                }
            }
            let fields = texts
                .iter()
                .enumerate()
                .map(|(column, text)| (!is_null(column)).then_some(text.as_str()));
            self.line(fields).map_err(|e| failed(e.into()))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.sink.flush().map_err(|e| failed(e.into()))
    }
}

fn failed(source: ArrowError) -> DatasetError {
    DatasetError::Write { format: FileFormat::Csv, source }
}
