//! JSON lines: one object a line. A missing field is null; numbers that do not
//! fit JSON (`NaN`, `Infinity`) are strings; binary is hexadecimal.

mod infer;
mod kcat;
mod lines;
mod write;

pub(crate) use kcat::is_kcat;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::ReaderBuilder;

use self::lines::Lines;
use super::declare::{declaration, malformed};
use super::flat::{parse_whole_numbers, refuse_duplicate_names};
use super::{FileBatches, FileFormat, Format, Shape};
use crate::error::{DatasetError, Place, Result};
use crate::input::Input;
use crate::options::ReadOptions;
use crate::write::{BatchWriter, Output};

/// A batch ends at this many bytes of text, however few its rows.
const BATCH_BYTES: usize = 32 << 20;

/// The JSON lines format.
pub(crate) struct JsonLines;

impl Format for JsonLines {
    fn shape(&self, path: &Path, options: &ReadOptions) -> Result<Shape> {
        if let Some(schema) = &options.schema {
            return Ok(Shape { schema: schema.clone(), rows: None, inferred: false });
        }
        let mut lines = Lines::open(path, Input::open(path)?)?;
        let schema = Arc::new(infer::schema(path, &mut lines)?);
        Ok(Shape { schema, rows: None, inferred: true })
    }

    fn read(
        &self,
        path: &Path,
        schema: &SchemaRef,
        projection: &[usize],
        options: &ReadOptions,
    ) -> Result<Box<dyn FileBatches>> {
        let lines = Lines::open(path, Input::open(path)?)?;
        Ok(Box::new(Batches::new(path, lines, schema, projection, options)?))
    }

    fn write(
        &self,
        sink: Output,
        schema: &SchemaRef,
        _name: &Path,
    ) -> Result<Box<dyn BatchWriter>> {
        refuse_duplicate_names(FileFormat::JsonLines, schema)?;
        write::writer(sink, schema)
    }
}

/// The rows of an input, whose columns are declared or found out. `kcat` = the
/// prefix of its columns, if the lines are those of `kcat -J`.
pub(super) fn live(
    path: &Path,
    input: Input,
    kcat: Option<&str>,
    options: &ReadOptions,
) -> Result<(SchemaRef, Box<dyn FileBatches>)> {
    let mut lines = Lines::open(path, input)?;
    if let Some(prefix) = kcat {
        lines.unwrap_kcat(prefix);
    }
    let schema = match (&options.schema, kcat) {
        (Some(declared), None) => declared.clone(),
        (None, None) => Arc::new(infer::schema(path, &mut lines)?),
        (Some(declared), Some(prefix)) => {
            kcat::refuse_own(path, prefix, declared)?;
            Arc::new(kcat::schema(prefix, declared))
        }
        (None, Some(prefix)) => Arc::new(kcat::schema(prefix, &infer::schema(path, &mut lines)?)),
    };
    let all: Vec<usize> = (0..schema.fields().len()).collect();
    let batches = Batches::new(path, lines, &schema, &all, options)?;
    Ok((schema, Box::new(batches)))
}

struct Batches {
    path: PathBuf,
    lines: Lines,
    schema: SchemaRef,
    /// All columns, if they were inferred.
    inferred: Option<SchemaRef>,
    decoder: Decoder,
    batch_rows: usize,
    /// Of the rows given out last, if the input is live.
    arrivals: Vec<i64>,
    /// What is wrong with the line after those given out last.
    broken: Option<DatasetError>,
}

/// Number and end of each line in a text.
type Ends = [(u64, usize)];

impl Batches {
    fn new(
        path: &Path,
        lines: Lines,
        all: &SchemaRef,
        projection: &[usize],
        options: &ReadOptions,
    ) -> Result<Batches> {
        let failed = |source| DatasetError::Arrow { doing: path.display().to_string(), source };
        let schema = Arc::new(all.project(projection).map_err(failed)?);
        let inferred = options.schema.is_none().then(|| all.clone());
        // A field beyond the first 1,000 rows must not get lost where all
        // columns are asked for; where some are named, it cannot be among them.
        let strict = inferred.is_some() && projection.len() == all.fields().len();
        let decoder = Decoder { schema: Arc::new(decoded(&schema)), strict };
        // Refuses a type that cannot be read before the first line is.
        decoder.decode(b"{}", 1).map(|_| ()).or_else(|e| match e {
            ArrowError::NotYetImplemented(message) => Err(DatasetError::CannotHold {
                format: FileFormat::JsonLines,
                what: message,
                remedy: "declare the column as string and cast it".to_owned(),
            }),
            _ => Ok(()),
        })?;
        Ok(Batches {
            path: path.to_owned(),
            lines,
            schema,
            inferred,
            decoder,
            batch_rows: options.batch_rows.max(1),
            arrivals: Vec::new(),
            broken: None,
        })
    }
}

impl FileBatches for Batches {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        let mut text = Vec::new();
        let mut ends = Vec::new();
        self.arrivals.clear();
        while ends.len() < self.batch_rows && text.len() < BATCH_BYTES {
            match self.lines.next(&self.path, &mut text) {
                Ok(Some(line)) => {
                    ends.push((line, text.len()));
                    self.arrivals.extend(self.lines.arrived());
                }
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
        let batch = match self.decoder.decode(&text, ends.len()) {
            Ok(batch) if batch.num_rows() == ends.len() => batch,
            result => {
                let (lines, error) = self.culprit(&text, &ends, result.err().as_ref());
                self.broken = Some(error);
                let text = &text[..lines.checked_sub(1).map_or(0, |last| ends[last].1)];
                self.decoder.decode(text, lines).map_err(failed)?
            }
        };
        let (columns, rows) = match self.columns(&batch, &ends) {
            Ok(columns) => (columns, batch.num_rows()),
            Err((row, error)) => {
                self.broken = Some(error);
                let before = batch.slice(0, row);
                (self.columns(&before, &ends).map_err(|(_, error)| error)?, row)
            }
        };
        self.arrivals.truncate(rows);
        if rows == 0 {
            return self.broken.take().map_or(Ok(None), Err);
        }
        RecordBatch::try_new(self.schema.clone(), columns).map(Some).map_err(failed)
    }

    fn place(&self) -> Place {
        Place::Line(self.lines.line())
    }

    fn arrivals(&mut self) -> Vec<i64> {
        std::mem::take(&mut self.arrivals)
    }
}

impl Batches {
    /// The decoded columns in their own types, or the first row that does not
    /// fit, with what is wrong with it.
    fn columns(
        &self,
        batch: &RecordBatch,
        ends: &Ends,
    ) -> Result<Vec<ArrayRef>, (usize, DatasetError)> {
        let mut columns = Vec::with_capacity(batch.num_columns());
        let mut broken: Option<(usize, DatasetError)> = None;
        for (column, field) in batch.columns().iter().zip(self.schema.fields()) {
            let (row, error) = match self.column(column, field, ends) {
                Ok(column) => {
                    columns.push(column);
                    continue;
                }
                Err(found) => found,
            };
            if broken.as_ref().is_none_or(|(first, _)| row < *first) {
                broken = Some((row, error));
            }
        }
        broken.map_or(Ok(columns), Err)
    }

    fn column(
        &self,
        column: &ArrayRef,
        field: &Field,
        ends: &Ends,
    ) -> Result<ArrayRef, (usize, DatasetError)> {
        let failed = |source| {
            let doing = format!("{}: column `{}`", self.path.display(), field.name());
            (0, DatasetError::Arrow { doing, source })
        };
        if field.data_type().is_integer() {
            let text = column.as_string::<i32>();
            return match parse_whole_numbers(text, field.data_type()).map_err(failed)? {
                Ok(column) => Ok(column),
                Err(row) => {
                    let (line, value) = (ends[row].0, text.value(row));
                    Err((row, malformed(&self.path, line, field, value, self.inferred.as_ref())))
                }
            };
        }
        match field.data_type() {
            DataType::Dictionary(..) => cast(column, field.data_type()).map_err(failed),
            _ => Ok(column.clone()),
        }
    }

    /// Reads line by line to tell the one that failed: how many are before it,
    /// and what is wrong with it.
    fn culprit(
        &self,
        text: &[u8],
        ends: &Ends,
        whole: Option<&ArrowError>,
    ) -> (usize, DatasetError) {
        let mut start = 0;
        for (before, &(line, end)) in ends.iter().enumerate() {
            let message = match self.decoder.decode(&text[start..end], 1) {
                Ok(batch) if batch.num_rows() == 1 => None,
                Ok(_) => Some("not one JSON object".to_owned()),
                Err(e) => Some(plain_message(&e)),
            };
            if let Some(message) = message {
                let message = format!("{message}; {}", self.remedy(&message));
                return (before, DatasetError::line(&self.path, line, message));
            }
            start = end;
        }
        let first = ends.first().map_or(1, |(line, _)| *line);
        let message = whole.map_or_else(|| "not one object a line".to_owned(), plain_message);
        (0, DatasetError::line(&self.path, first, message))
    }

    fn remedy(&self, message: &str) -> String {
        let Some(schema) = &self.inferred else {
            return "each line must be one object whose values fit the columns' types".to_owned();
        };
        let columns = declaration(schema, None);
        let missing = message.strip_suffix(MISSING).and_then(|rest| rest.strip_suffix('\''));
        match missing.and_then(|rest| rest.rsplit_once("column '")) {
            Some((_, name)) => format!(
                "the columns are those of the first 1,000 rows: declare `{name}` with its type beside {columns}"
            ),
            None => format!(
                "each line must be one object whose values fit the types of the first 1,000 rows: correct it, or declare the types: {columns}"
            ),
        }
    }
}

/// How arrow says that a field has no column.
const MISSING: &str = " missing from schema";

fn plain_message(error: &ArrowError) -> String {
    match error {
        ArrowError::JsonError(message) => message.clone(),
        other => other.to_string(),
    }
}

/// Turns lines into columns.
struct Decoder {
    /// The columns as arrow decodes them.
    schema: SchemaRef,
    /// Whether a field without a column is an error.
    strict: bool,
}

impl Decoder {
    /// All objects of `text` as one batch.
    fn decode(&self, text: &[u8], rows: usize) -> Result<RecordBatch, ArrowError> {
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

/// What arrow is asked for: dictionaries by their values, and whole numbers as
/// text, since it would cut off a fraction in silence.
fn decoded(schema: &Schema) -> Schema {
    let values = without_dictionaries(schema);
    let fields = values.fields().iter().map(|field| match field.data_type().is_integer() {
        true => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8)),
        false => field.clone(),
    });
    Schema::new(fields.collect::<Vec<_>>())
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
