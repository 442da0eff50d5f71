//! The border to third-party writers: what one cannot write is refused before the first
//! row, and what goes wrong later names the column.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, new_null_array};
use arrow::datatypes::{FieldRef, Schema, SchemaRef};

use super::reader::Format;
use crate::columns::{has_dictionary_of_unions, is_plain, specimen};
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::guard::guarded;
use crate::write::{BatchWriter, Output};

/// A format's writer, whose panics become errors.
pub(super) struct Trial {
    pub(super) format: FileFormat,
    pub(super) code: &'static dyn Format,
    /// The name of the file, which may imply a dialect.
    pub(super) name: PathBuf,
}

impl Trial {
    /// Refuses a column that the format cannot hold, by writing some rows of it.
    pub(super) fn check(&self, schema: &SchemaRef) -> Result<()> {
        self.step(|| self.code.write(nowhere(), schema, &self.name).map(drop))
            .map_err(|error| self.first_refused(schema).unwrap_or(error))?;
        match schema.fields().iter().find_map(|field| self.refused(field)) {
            Some(refused) => Err(refused),
            None => Ok(()),
        }
    }

    /// The writer. The columns have passed [`Trial::check`].
    pub(super) fn open(self, sink: Output, schema: &SchemaRef) -> Result<Box<dyn BatchWriter>> {
        let inner = self.step(|| self.code.write(sink, schema, &self.name))?;
        Ok(Box::new(Guarded { trial: self, schema: schema.clone(), inner: Some(inner) }))
    }

    fn first_refused(&self, schema: &SchemaRef) -> Option<DatasetError> {
        schema.fields().iter().find_map(|field| self.refused(field))
    }

    /// Why `field` cannot be written, whatever its rows.
    fn refused(&self, field: &FieldRef) -> Option<DatasetError> {
        if is_plain(field.data_type()) {
            return None;
        }
        if has_dictionary_of_unions(field.data_type()) {
            return Some(DatasetError::CannotHold {
                format: self.format,
                what: format!(
                    "column `{}` of type {}: a dictionary of unions",
                    field.name(),
                    field.data_type()
                ),
                remedy: "leave it out".to_owned(),
            });
        }
        let nulls = field.is_nullable().then(|| Ok(new_null_array(field.data_type(), 2)));
        let rows = [Some(specimen(field.data_type(), 2)), nulls].into_iter().flatten();
        let tried = self.step(|| {
            let rows = rows.collect::<Result<Vec<_>, _>>();
            let rows = rows.map_err(|source| DatasetError::arrow("rows to try", source))?;
            self.write_column(field, &rows)
        });
        match tried {
            Ok(()) => None,
            Err(error @ DatasetError::CannotHold { .. }) => Some(error),
            Err(error) => Some(DatasetError::CannotHold {
                format: self.format,
                what: format!(
                    "column `{}` of type {}: {}",
                    field.name(),
                    field.data_type(),
                    reason(&error)
                ),
                remedy: self.format.instead().to_owned(),
            }),
        }
    }

    fn write_column(&self, field: &FieldRef, parts: &[ArrayRef]) -> Result<()> {
        let schema = Arc::new(Schema::new(vec![field.clone()]));
        let mut writer = self.code.write(nowhere(), &schema, &self.name)?;
        for part in parts {
            let batch = RecordBatch::try_new(schema.clone(), vec![part.clone()]);
            writer.write(&batch.map_err(|source| DatasetError::arrow("rows to try", source))?)?;
        }
        writer.finish()
    }

    fn step<T>(&self, act: impl FnOnce() -> Result<T>) -> Result<T> {
        guarded(act).unwrap_or_else(|message| Err(self.gave_up(message)))
    }

    fn gave_up(&self, message: impl Into<String>) -> DatasetError {
        let source = arrow::error::ArrowError::ExternalError(message.into().into());
        DatasetError::Write { format: self.format, source }
    }
}

fn nowhere() -> Output {
    Box::new(std::io::sink())
}

/// What the writer said, without what the caller says anyway.
fn reason(error: &DatasetError) -> String {
    match error {
        DatasetError::Write { source: arrow::error::ArrowError::ExternalError(source), .. } => {
            source.to_string()
        }
        DatasetError::Write { source, .. } => source.to_string(),
        DatasetError::WriteColumn { message, .. } => message.clone(),
        other => other.to_string(),
    }
}

struct Guarded {
    trial: Trial,
    schema: SchemaRef,
    /// None after a panic.
    inner: Option<Box<dyn BatchWriter>>,
}

impl Guarded {
    /// Names the column that cannot be written, if it is one column's fault.
    fn blame(&self, batch: &RecordBatch, error: DatasetError) -> DatasetError {
        if error.is_of_system() || matches!(error, DatasetError::WriteColumn { .. }) {
            return error;
        }
        let columns = self.schema.fields().iter().zip(batch.columns());
        let failed = columns.filter_map(|(field, column)| {
            let trial =
                self.trial.step(|| self.trial.write_column(field, std::slice::from_ref(column)));
            trial.err().map(|error| (field, error))
        });
        match failed.into_iter().next() {
            Some((_, error @ DatasetError::WriteColumn { .. })) => error,
            Some((field, error)) => DatasetError::WriteColumn {
                format: self.trial.format,
                column: field.name().clone(),
                message: reason(&error),
            },
            None => error,
        }
    }
}

impl BatchWriter for Guarded {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let Some(mut inner) = self.inner.take() else {
            return Err(self.trial.gave_up("the writer had failed before"));
        };
        match guarded(|| inner.write(batch)) {
            Ok(done) => {
                self.inner = Some(inner);
                done.map_err(|error| self.blame(batch, error))
            }
            Err(message) => {
                let _ = guarded(|| drop(inner));
                Err(self.blame(batch, self.trial.gave_up(message)))
            }
        }
    }

    fn finish(self: Box<Self>) -> Result<()> {
        match self.inner {
            Some(inner) => self.trial.step(|| inner.finish()),
            None => Err(self.trial.gave_up("the writer had failed before")),
        }
    }
}

/// The error for a column whose values do not fit.
pub(super) fn misfit(format: FileFormat) -> impl Fn((String, String)) -> DatasetError {
    move |(column, message)| DatasetError::WriteColumn { format, column, message }
}

impl FileFormat {
    /// What to do about a column that a writer of the format refuses.
    pub(super) fn instead(self) -> &'static str {
        match self {
            FileFormat::Csv => "leave it out, or write jsonl, parquet or arrow",
            FileFormat::JsonLines => "leave it out, or write parquet or arrow",
            FileFormat::Parquet => "leave it out, or write arrow",
            FileFormat::ArrowFile => "leave it out, or write arrow-stream",
            FileFormat::ArrowStream => "leave it out",
        }
    }
}
