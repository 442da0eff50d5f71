//! JSON lines: one object a line. A missing field is null; numbers that do not
//! fit JSON (`NaN`, `Infinity`) are strings; binary is hexadecimal.

mod infer;
mod write;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::ReaderBuilder;

use super::flat::refuse_duplicate_names;
use super::{FileBatches, FileFormat, Format, Shape};
use crate::error::{DatasetError, Place, Result};
use crate::options::ReadOptions;
use crate::write::{BatchWriter, Output};

/// A batch ends at this many bytes of text, however few its rows.
const BATCH_BYTES: usize = 32 << 20;
/// A longer line is not JSON lines.
const LINE_BYTES: u64 = 64 << 20;

/// The JSON lines format.
pub(crate) struct JsonLines;

impl Format for JsonLines {
    fn shape(&self, path: &Path, options: &ReadOptions) -> Result<Shape> {
        if let Some(schema) = &options.schema {
            return Ok(Shape { schema: schema.clone(), rows: None, inferred: false });
        }
        let schema = Arc::new(infer::schema(path, &mut Lines::open(path)?)?);
        Ok(Shape { schema, rows: None, inferred: true })
    }

    fn read(
        &self,
        path: &Path,
        schema: &SchemaRef,
        projection: &[usize],
        options: &ReadOptions,
    ) -> Result<Box<dyn FileBatches>> {
        let failed = |source| DatasetError::Arrow { doing: path.display().to_string(), source };
        let schema = Arc::new(schema.project(projection).map_err(failed)?);
        let plain = Arc::new(without_dictionaries(&schema));
        // Refuses a type that cannot be read before the first line is.
        decode(&plain, b"{}", 1).map(|_| ()).or_else(|e| match e {
            ArrowError::NotYetImplemented(message) => Err(DatasetError::CannotHold {
                format: FileFormat::JsonLines,
                what: message,
                remedy: "declare the column as string and cast it".to_owned(),
            }),
            _ => Ok(()),
        })?;
        Ok(Box::new(Batches {
            path: path.to_owned(),
            lines: Lines::open(path)?,
            schema,
            plain,
            batch_rows: options.batch_rows.max(1),
            broken: None,
        }))
    }

    fn write(&self, sink: Output, schema: &SchemaRef) -> Result<Box<dyn BatchWriter>> {
        refuse_duplicate_names(FileFormat::JsonLines, schema)?;
        write::writer(sink, schema)
    }
}

/// The non-blank lines of a file.
pub(crate) struct Lines {
    file: BufReader<File>,
    line: u64,
}

impl Lines {
    fn open(path: &Path) -> Result<Lines> {
        let file = File::open(path).map_err(|e| DatasetError::io(path, "open", e))?;
        let mut file = BufReader::with_capacity(256 << 10, file);
        let head = file.fill_buf().map_err(|e| DatasetError::io(path, "read", e))?;
        if head.starts_with(b"\xef\xbb\xbf") {
            file.consume(3);
        }
        Ok(Lines { file, line: 0 })
    }

    /// Appends the next non-blank line to `text`; its number, or `None` at the end.
    fn next(&mut self, path: &Path, text: &mut Vec<u8>) -> Result<Option<u64>> {
        loop {
            let start = text.len();
            let read = (&mut self.file).take(LINE_BYTES).read_until(b'\n', text);
            let read = read.map_err(|e| DatasetError::io(path, "read", e))?;
            if read == 0 {
                return Ok(None);
            }
            self.line += 1;
            if read as u64 == LINE_BYTES && text.last() != Some(&b'\n') {
                let message = "the line is longer than 64 MiB; write one object a line";
                return Err(DatasetError::line(path, self.line, message));
            }
            let line = &text[start..];
            if line.iter().all(u8::is_ascii_whitespace) {
                text.truncate(start);
                continue;
            }
            if std::str::from_utf8(line).is_err() {
                let message = "not UTF-8; convert the file to UTF-8";
                return Err(DatasetError::line(path, self.line, message));
            }
            if text.last() != Some(&b'\n') {
                text.push(b'\n');
            }
            return Ok(Some(self.line));
        }
    }
}

struct Batches {
    path: PathBuf,
    lines: Lines,
    schema: SchemaRef,
    /// `schema` with dictionaries replaced by their values.
    plain: SchemaRef,
    batch_rows: usize,
    /// What is wrong with the line after those given out last.
    broken: Option<DatasetError>,
}

impl FileBatches for Batches {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        let mut text = Vec::new();
        // Number and end of each line in `text`.
        let mut ends = Vec::new();
        while ends.len() < self.batch_rows && text.len() < BATCH_BYTES {
            match self.lines.next(&self.path, &mut text) {
                Ok(Some(line)) => ends.push((line, text.len())),
                Ok(None) => break,
                Err(error) => {
                    self.broken = Some(error);
                    break;
                }
            }
        }
        // A line that broke off may have left its text.
        text.truncate(ends.last().map_or(0, |(_, end)| *end));
        let failed =
            |source| DatasetError::Arrow { doing: self.path.display().to_string(), source };
        let batch = match decode(&self.plain, &text, ends.len()) {
            Ok(batch) if batch.num_rows() == ends.len() => batch,
            result => {
                let (lines, error) = self.culprit(&text, &ends, result.err().as_ref());
                self.broken = Some(error);
                let text = &text[..lines.checked_sub(1).map_or(0, |last| ends[last].1)];
                decode(&self.plain, text, lines).map_err(failed)?
            }
        };
        if batch.num_rows() == 0 {
            return self.broken.take().map_or(Ok(None), Err);
        }
        let columns = batch.columns().iter().zip(self.schema.fields());
        let columns = columns
            .map(|(column, field)| match field.data_type() {
                DataType::Dictionary(..) => cast(column, field.data_type()),
                _ => Ok(column.clone()),
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed)?;
        RecordBatch::try_new(self.schema.clone(), columns).map(Some).map_err(failed)
    }

    fn place(&self) -> Place {
        Place::Line(self.lines.line)
    }
}

impl Batches {
    /// Reads line by line to tell the one that failed: how many are before it,
    /// and what is wrong with it.
    fn culprit(
        &self,
        text: &[u8],
        ends: &[(u64, usize)],
        whole: Option<&ArrowError>,
    ) -> (usize, DatasetError) {
        let mut start = 0;
        for (before, &(line, end)) in ends.iter().enumerate() {
            let message = match decode(&self.plain, &text[start..end], 1) {
                Ok(batch) if batch.num_rows() == 1 => None,
                Ok(_) => Some("not one JSON object".to_owned()),
                Err(e) => Some(plain_message(&e)),
            };
            if let Some(message) = message {
                let remedy = "each line must be one object whose values fit the columns' types";
                let message = format!("{message}; {remedy}");
                return (before, DatasetError::line(&self.path, line, message));
            }
            start = end;
        }
        let first = ends.first().map_or(1, |(line, _)| *line);
        let message = whole.map_or_else(|| "not one object a line".to_owned(), plain_message);
        (0, DatasetError::line(&self.path, first, message))
    }
}

fn plain_message(error: &ArrowError) -> String {
    match error {
        ArrowError::JsonError(message) => message.clone(),
        other => other.to_string(),
    }
}

/// All objects of `text` as one batch.
fn decode(schema: &SchemaRef, text: &[u8], rows: usize) -> Result<RecordBatch, ArrowError> {
    // One more than there should be, so that a surplus shows.
    let mut decoder = ReaderBuilder::new(schema.clone())
        .with_batch_size(rows + 1)
        .with_coerce_primitive(true)
        .build_decoder()?;
    let read = decoder.decode(text)?;
    let batch = decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(schema.clone()));
    if read < text.len() {
        return Err(ArrowError::JsonError("several objects on a line".to_owned()));
    }
    Ok(batch)
}

fn without_dictionaries(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Dictionary(_, values) => {
            Arc::new(field.as_ref().clone().with_data_type(values.as_ref().clone()))
        }
        _ => field.clone(),
    });
    Schema::new(fields.collect::<Vec<_>>())
}
