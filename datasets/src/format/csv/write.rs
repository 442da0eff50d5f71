//! The CSV writer: a header line, nulls as empty fields.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::error::{DatasetError, Result};
use crate::format::FileFormat;
use crate::write::{BatchWriter, Output};

pub(super) fn writer(sink: Output, schema: &SchemaRef) -> Result<Box<dyn BatchWriter>> {
    let mut inner = csv::Writer::from_writer(sink);
    let names = schema.fields().iter().map(|field| field.name());
    inner.write_record(names).map_err(failed)?;
    Ok(Box::new(Writer(inner)))
}

struct Writer(csv::Writer<Output>);

impl BatchWriter for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let options = FormatOptions::new();
        let fail = |source| DatasetError::Write { format: FileFormat::Csv, source };
        let columns = batch.columns().iter();
        let columns = columns
            .map(|column| ArrayFormatter::try_new(column, &options))
            .collect::<Result<Vec<_>, _>>()
            .map_err(fail)?;
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            for column in &columns {
                text.clear();
                column.value(row).write(&mut text).map_err(|e| {
                    fail(ArrowError::CsvError(format!("a value cannot be written: {e}")))
                })?;
                self.0.write_field(&text).map_err(failed)?;
            }
            self.0.write_record(None::<&[u8]>).map_err(failed)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.0.flush().map_err(|e| failed(e.into()))
    }
}

fn failed(error: csv::Error) -> DatasetError {
    let source = match error.into_kind() {
        csv::ErrorKind::Io(e) => e.into(),
        other => ArrowError::CsvError(format!("{other:?}")),
    };
    DatasetError::Write { format: FileFormat::Csv, source }
}
