//! CSV: a header line, one delimiter, declared or inferred types. An empty
//! field is null; binary is hexadecimal; quoted fields may hold line breaks.

mod infer;
mod write;

pub(crate) use infer::{is_timestamp, widen};

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, StringArray, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use csv::{ByteRecord, Reader, ReaderBuilder};

use super::flat::{can_parse, parse_column, refuse_duplicate_names};
use super::{FileBatches, FileFormat, Format, Shape};
use crate::error::{DatasetError, Place, Result, nearest, shorten};
use crate::options::ReadOptions;
use crate::write::{BatchWriter, Output};

/// A batch ends at this many bytes of text, however few its rows.
const BATCH_BYTES: usize = 32 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The CSV format.
pub(crate) struct Csv;

impl Format for Csv {
    fn shape(&self, path: &Path, options: &ReadOptions) -> Result<Shape> {
        let mut lines = Lines::open(path, options)?;
        if let Some(schema) = &options.schema {
            lines.positions(path, schema)?;
            return Ok(Shape { schema: schema.clone(), rows: None, inferred: false });
        }
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
        let lines = Lines::open(path, options)?;
        let positions = lines.positions(path, schema)?;
        let schema = Arc::new(schema.project(projection).map_err(|source| {
            DatasetError::Arrow { doing: format!("{}: select columns", path.display()), source }
        })?);
        if let Some(field) = schema.fields().iter().find(|f| !can_parse(f.data_type())) {
            return Err(DatasetError::CannotHold {
                format: FileFormat::Csv,
                what: format!("column `{}` of type {}", field.name(), field.data_type()),
                remedy: "declare it as string and cast it".to_owned(),
            });
        }
        let positions = projection.iter().map(|&i| positions[i]).collect();
        let batch_rows = options.batch_rows.max(1);
        Ok(Box::new(Batches {
            path: path.to_owned(),
            lines,
            schema,
            positions,
            batch_rows,
            broken: None,
        }))
    }

    fn write(&self, sink: Output, schema: &SchemaRef) -> Result<Box<dyn BatchWriter>> {
        refuse_duplicate_names(FileFormat::Csv, schema)?;
        for field in schema.fields() {
            if !can_parse(field.data_type()) {
                return Err(DatasetError::CannotHold {
                    format: FileFormat::Csv,
                    what: format!("column `{}` of type {}", field.name(), field.data_type()),
                    remedy: "select its parts, or write jsonl, parquet or arrow".to_owned(),
                });
            }
        }
        write::writer(sink, schema)
    }
}

/// The records of a file and where they stand.
pub(crate) struct Lines {
    reader: Reader<BufReader<File>>,
    record: ByteRecord,
    delimiter: u8,
    /// Bytes before the first line.
    mark: u64,
    /// Bytes from the first line on.
    len: u64,
    /// Names of the file's columns: the header, or `_c0`, `_c1`, ...
    names: Vec<String>,
    named: bool,
    /// Without a header the first record is data and waits here.
    first: Option<(ByteRecord, u64)>,
}

impl Lines {
    fn open(path: &Path, options: &ReadOptions) -> Result<Lines> {
        let file = File::open(path).map_err(|e| DatasetError::io(path, "open", e))?;
        let mut file = BufReader::with_capacity(256 << 10, file);
        let mut len = file.get_ref().metadata().map_or(u64::MAX, |known| known.len());
        let head = file.fill_buf().map_err(|e| DatasetError::io(path, "read", e))?;
        let mark = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        file.consume(mark);
        len = len.saturating_sub(mark as u64);
        let tsv = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("tsv"));
        let delimiter = if tsv && options.delimiter == b',' { b'\t' } else { options.delimiter };
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(file);
        let mut lines = Lines {
            reader,
            record: ByteRecord::new(),
            delimiter,
            mark: mark as u64,
            len,
            names: Vec::new(),
            named: options.header,
            first: None,
        };
        let Some(line) = lines.next(path)? else {
            let message = "the file holds no line of text; write at least a header";
            return Err(DatasetError::line(path, 1, message));
        };
        let first = lines.record.clone();
        if !options.header {
            lines.names = (0..first.len()).map(|i| format!("_c{i}")).collect();
            lines.first = Some((first, line));
            return Ok(lines);
        }
        for (column, name) in first.iter().enumerate() {
            let name = std::str::from_utf8(name).map_err(|_| {
                let message = format!(
                    "the name of column {} is not UTF-8; convert the file to UTF-8",
                    column + 1
                );
                DatasetError::line(path, line, message)
            })?;
            let name = name.trim().to_owned();
            if lines.names.contains(&name) {
                let message = format!("two columns are named `{name}`; rename one in the header");
                return Err(DatasetError::line(path, line, message));
            }
            lines.names.push(name);
        }
        Ok(lines)
    }

    /// Reads the next record into `record`; its line, or `None` at the end.
    fn next(&mut self, path: &Path) -> Result<Option<u64>> {
        if let Some((record, line)) = self.first.take() {
            self.record = record;
            return Ok(Some(line));
        }
        let start = self.reader.position().line();
        match self.reader.read_byte_record(&mut self.record) {
            Ok(false) => return Ok(None),
            // The reader takes a quoted field that is never closed for one that
            // ends with the file.
            Ok(true) if self.reader.position().byte() >= self.len && self.is_open(path)? => {
                let message = "a quoted field is not closed before the end of the file; close it, or double a quote that belongs to a value";
                return Err(DatasetError::line(path, start, message));
            }
            Ok(true) => {}
            Err(e) => return Err(DatasetError::line(path, start, e.to_string())),
        }
        let end = self.reader.position().line();
        let inside = self.record.as_slice().iter().filter(|b| **b == b'\n').count() as u64;
        let line = if end - start <= 1 { start } else { (end - 1 - inside).max(start) };
        if !self.names.is_empty() && self.record.len() != self.names.len() {
            let message = format!(
                "{} fields, but there are {} columns; quote fields that hold the delimiter",
                self.record.len(),
                self.names.len()
            );
            return Err(DatasetError::line(path, line, message));
        }
        Ok(Some(line))
    }

    /// Whether the record that was read last, and that ends with the file, ends
    /// inside quotes.
    fn is_open(&self, path: &Path) -> Result<bool> {
        let Some(start) = self.record.position().map(|position| self.mark + position.byte()) else {
            return Ok(false);
        };
        let read = || {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map(|_| bytes)
        };
        let bytes = read().map_err(|e| DatasetError::io(path, "read", e))?;
        Ok(ends_quoted(&bytes, self.delimiter))
    }

    /// Where each column of a declared schema stands in the file.
    fn positions(&self, path: &Path, schema: &Schema) -> Result<Vec<usize>> {
        if !self.named {
            let (declared, found) = (schema.fields().len(), self.names.len());
            if declared != found {
                let message = format!(
                    "{found} fields, but {declared} columns are declared; without a header every column must be"
                );
                return Err(DatasetError::line(path, 1, message));
            }
            return Ok((0..declared).collect());
        }
        let find = |field: &Arc<Field>| {
            self.names.iter().position(|name| name == field.name()).ok_or_else(|| {
                DatasetError::UnknownColumn {
                    origin: path.display().to_string(),
                    name: field.name().clone(),
                    hint: nearest(field.name(), self.names.iter().map(String::as_str)),
                    known: self.names.join(", "),
                }
            })
        };
        schema.fields().iter().map(find).collect()
    }

    /// A field as text; `None` for an empty one.
    fn text(&self, path: &Path, line: u64, column: usize) -> Result<Option<&str>> {
        let bytes = self.record.get(column).unwrap_or_default();
        if bytes.is_empty() {
            return Ok(None);
        }
        std::str::from_utf8(bytes).map(Some).map_err(|_| {
            let name = &self.names[column];
            let message = format!("column `{name}`: not UTF-8; convert the file to UTF-8");
            DatasetError::line(path, line, message)
        })
    }
}

/// Whether text that starts with a field ends inside quotes.
fn ends_quoted(text: &[u8], delimiter: u8) -> bool {
    let mut quoted = false;
    let mut may_open = true;
    for &byte in text {
        if byte == b'"' && (quoted || may_open) {
            quoted = !quoted;
            // Two quotes inside quotes are one of the value: out, and in again.
            may_open = !quoted;
        } else {
            may_open = byte == delimiter;
        }
    }
    quoted
}

struct Batches {
    path: PathBuf,
    lines: Lines,
    schema: SchemaRef,
    /// Position in the file of each column of `schema`.
    positions: Vec<usize>,
    batch_rows: usize,
    /// What is wrong with the row after those given out last.
    broken: Option<DatasetError>,
}

impl FileBatches for Batches {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        let mut texts: Vec<StringBuilder> =
            self.positions.iter().map(|_| StringBuilder::new()).collect();
        let mut places = Vec::new();
        let mut bytes = 0;
        while places.len() < self.batch_rows && bytes < BATCH_BYTES {
            match self.append(&mut texts) {
                Ok(Some(line)) => places.push(line),
                Ok(None) => break,
                Err(error) => {
                    self.broken = Some(error);
                    break;
                }
            }
            bytes += self.lines.record.as_slice().len();
        }
        // A row that broke off may have left its first fields.
        let rows = places.len();
        let texts: Vec<StringArray> =
            texts.into_iter().map(|mut text| text.finish().slice(0, rows)).collect();
        let (columns, rows) = match self.columns(&texts, &places) {
            Ok(columns) => (columns, rows),
            Err((row, error)) => {
                self.broken = Some(error);
                let before: Vec<StringArray> =
                    texts.iter().map(|text| text.slice(0, row)).collect();
                (self.columns(&before, &places).map_err(|(_, error)| error)?, row)
            }
        };
        if rows == 0 {
            return self.broken.take().map_or(Ok(None), Err);
        }
        RecordBatch::try_new(self.schema.clone(), columns).map(Some).map_err(|source| {
            DatasetError::Arrow { doing: self.path.display().to_string(), source }
        })
    }

    fn place(&self) -> Place {
        Place::Line(self.lines.reader.position().line())
    }
}

impl Batches {
    /// Appends the next row's fields; its line, or `None` at the end.
    fn append(&mut self, texts: &mut [StringBuilder]) -> Result<Option<u64>> {
        let Some(line) = self.lines.next(&self.path)? else { return Ok(None) };
        for (text, &column) in texts.iter_mut().zip(&self.positions) {
            text.append_option(self.lines.text(&self.path, line, column)?);
        }
        Ok(Some(line))
    }

    /// Texts as columns of their types, or the first row that cannot be, with
    /// what is wrong with it.
    fn columns(
        &self,
        texts: &[StringArray],
        places: &[u64],
    ) -> Result<Vec<ArrayRef>, (usize, DatasetError)> {
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(texts.len());
        let mut broken: Option<(usize, DatasetError)> = None;
        for (text, field) in texts.iter().zip(self.schema.fields()) {
            let (row, error) = match self.column(text, field, places) {
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
        text: &StringArray,
        field: &Field,
        places: &[u64],
    ) -> Result<ArrayRef, (usize, DatasetError)> {
        if !field.is_nullable()
            && let Some(row) = (0..text.len()).find(|&row| text.is_null(row))
        {
            let message = format!(
                "column `{}`: an empty field, but the column is not nullable",
                field.name()
            );
            return Err((row, DatasetError::line(&self.path, places[row], message)));
        }
        let failed = |source| DatasetError::Arrow {
            doing: format!("{}: column `{}`", self.path.display(), field.name()),
            source,
        };
        match parse_column(text, field.data_type()) {
            Ok(Ok(column)) => Ok(column),
            Ok(Err(row)) => Err((row, malformed(&self.path, places[row], field, text.value(row)))),
            Err(source) => Err((0, failed(source))),
        }
    }
}

fn malformed(path: &Path, line: u64, field: &Field, value: &str) -> DatasetError {
    let data_type = match field.data_type() {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        other => other.clone(),
    };
    DatasetError::MalformedValue {
        path: path.to_owned(),
        line,
        column: field.name().clone(),
        value: shorten(value),
        data_type,
    }
}
