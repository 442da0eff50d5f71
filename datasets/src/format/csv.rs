//! CSV: a header line, one delimiter, declared or inferred types. An empty
//! field is null, and `""` the empty string; binary is hexadecimal; quoted
//! fields may hold line breaks. Blank lines are passed over, but in a file of
//! one column they are nulls.

mod infer;
mod split;
mod write;

pub(crate) use infer::{is_timestamp, value_type, widen};

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, StringArray, StringBuilder};
use arrow::datatypes::{Field, Schema, SchemaRef};

use self::split::{Record, Split, Splitter};
use super::declare::malformed;
use super::flat::{can_parse, holds_empty_text, parse_column, refuse_duplicate_names};
use super::{FileBatches, FileFormat, Format, Shape};
use crate::error::{DatasetError, Place, Result, nearest};
use crate::input::{Input, uncompressed_name};
use crate::options::ReadOptions;
use crate::write::{BatchWriter, Output};

/// A batch ends at this many bytes of text, however few its rows.
const BATCH_BYTES: usize = 32 << 20;

/// The CSV format.
pub(crate) struct Csv;

impl Format for Csv {
    fn shape(&self, path: &Path, options: &ReadOptions) -> Result<Shape> {
        let mut lines = Lines::open(path, Input::open(path)?, options)?;
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
        let lines = Lines::open(path, Input::open(path)?, options)?;
        Ok(Box::new(Batches::new(path, lines, schema, projection, options)?))
    }

    fn write(&self, sink: Output, schema: &SchemaRef, name: &Path) -> Result<Box<dyn BatchWriter>> {
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
        write::writer(sink, schema, delimiter_of(name, b','))
    }
}

/// The rows of an input, whose columns are declared or found out.
pub(super) fn live(
    path: &Path,
    input: Input,
    options: &ReadOptions,
) -> Result<(SchemaRef, Box<dyn FileBatches>)> {
    let mut lines = Lines::open(path, input, options)?;
    let schema = match &options.schema {
        Some(declared) => declared.clone(),
        None => Arc::new(infer::schema(path, &mut lines)?),
    };
    let all: Vec<usize> = (0..schema.fields().len()).collect();
    let batches = Batches::new(path, lines, &schema, &all, options)?;
    Ok((schema, Box::new(batches)))
}

/// What separates fields: a tabulator in a `.tsv`, unless another is asked for.
fn delimiter_of(path: &Path, asked: u8) -> u8 {
    let name = uncompressed_name(path);
    let tsv = name.extension().is_some_and(|e| e.eq_ignore_ascii_case("tsv"));
    if tsv && asked == b',' { b'\t' } else { asked }
}

/// The records of an input and where they stand.
struct Lines {
    input: Input,
    splitter: Splitter,
    record: Record,
    /// When it came, if the input is live.
    arrived: i64,
    /// Names of the columns: the header, or `_c0`, `_c1`, ...
    names: Vec<String>,
    named: bool,
    /// Records that were looked at before and are still to be given.
    held: VecDeque<(Record, i64)>,
    /// What is wrong after those.
    failed: Option<DatasetError>,
}

impl Lines {
    fn open(path: &Path, mut input: Input, options: &ReadOptions) -> Result<Lines> {
        input.skip_mark(path)?;
        let delimiter = delimiter_of(path, options.delimiter);
        let mut lines = Lines {
            input,
            splitter: Splitter::new(delimiter),
            record: Record::default(),
            arrived: 0,
            names: Vec::new(),
            named: options.header,
            held: VecDeque::new(),
            failed: None,
        };
        let Some(line) = lines.split(path)? else {
            let message = "the file holds no line of text; write at least a header";
            return Err(DatasetError::line(path, 1, message));
        };
        if !options.header {
            lines.names = (0..lines.record.len()).map(|i| format!("_c{i}")).collect();
            lines.count_row();
            lines.held.push_back((lines.record.clone(), lines.arrived));
        } else {
            lines.read_header(path, line, delimiter)?;
        }
        if lines.names.len() == 1 {
            // The only way to write a null.
            lines.splitter.take_blank_lines();
        }
        Ok(lines)
    }

    fn read_header(&mut self, path: &Path, line: u64, delimiter: u8) -> Result<()> {
        for column in 0..self.record.len() {
            let (name, quoted) = self.record.field(column).unwrap_or_default();
            let name = std::str::from_utf8(name).map_err(|_| {
                let message = format!(
                    "the name of column {} is not UTF-8; convert the file to UTF-8",
                    column + 1
                );
                DatasetError::line(path, line, message)
            })?;
            let name = name.trim().to_owned();
            let other = [';', '\t', '|'].into_iter().find(|c| name.contains(*c));
            if let (1, false, Some(other)) = (self.record.len(), quoted, other) {
                let other = other.to_string();
                let message = format!(
                    "the header `{name}` is one column, as `{}` is the delimiter; declare the delimiter {other:?} (`csv = {{ delimiter = {other:?} }}` of the stream or table, `--set stream.NAME.csv.delimiter={other:?}` or `dimension.NAME...` in flags), or quote the name",
                    char::from(delimiter).escape_default()
                );
                return Err(DatasetError::line(path, line, message));
            }
            if self.names.contains(&name) {
                let message = format!("two columns are named `{name}`; rename one in the header");
                return Err(DatasetError::line(path, line, message));
            }
            self.names.push(name);
        }
        Ok(())
    }

    /// Reads the next row into `record`; its line, or `None` at the end.
    fn next(&mut self, path: &Path) -> Result<Option<u64>> {
        if let Some((record, arrived)) = self.held.pop_front() {
            (self.record, self.arrived) = (record, arrived);
            return Ok(Some(self.record.line));
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.input.live_state().is_some_and(|live| live.is_full()) {
            return Ok(None);
        }
        let Some(line) = self.split(path)? else { return Ok(None) };
        if self.record.len() != self.names.len() {
            let message = format!(
                "{} fields, but there are {} columns; quote fields that hold the delimiter",
                self.record.len(),
                self.names.len()
            );
            return Err(DatasetError::line(path, line, message));
        }
        self.count_row();
        Ok(Some(line))
    }

    /// Gives these records once more. What went wrong after them is told now
    /// where they can be read again, and after them where they cannot.
    fn hold(
        &mut self,
        records: VecDeque<(Record, i64)>,
        failed: Option<DatasetError>,
    ) -> Result<()> {
        if let Some(error) = failed {
            if self.input.live_state().is_none() || records.is_empty() {
                return Err(error);
            }
            self.failed = Some(error);
        }
        self.held = records;
        Ok(())
    }

    fn count_row(&mut self) {
        if let Some(live) = self.input.live_state() {
            live.take_rows(1);
            self.arrived = live.arrived();
        }
    }

    /// Reads the next record, whatever its fields.
    fn split(&mut self, path: &Path) -> Result<Option<u64>> {
        let split = self.splitter.next(&mut self.input, &mut self.record);
        let split = split.map_err(|e| self.input.failed(path, e))?;
        let line = self.record.line;
        match split {
            Split::Record => Ok(Some(line)),
            Split::End => Ok(None),
            // The rest of the record was not waited for.
            Split::Unclosed | Split::Unended if self.input.is_cut() => Ok(None),
            Split::Unended => Ok(Some(line)),
            Split::Unclosed => {
                let message = "a quoted field is not closed before the end of the file; close it, or double a quote that belongs to a value";
                Err(DatasetError::line(path, line, message))
            }
        }
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

    /// A field as text; `None` for an empty one that is not quoted.
    fn text(&self, path: &Path, line: u64, column: usize) -> Result<Option<&str>> {
        let (bytes, quoted) = self.record.field(column).unwrap_or_default();
        if bytes.is_empty() && !quoted {
            return Ok(None);
        }
        std::str::from_utf8(bytes).map(Some).map_err(|_| {
            let name = &self.names[column];
            let message = format!("column `{name}`: not UTF-8; convert the file to UTF-8");
            DatasetError::line(path, line, message)
        })
    }
}

struct Batches {
    path: PathBuf,
    lines: Lines,
    schema: SchemaRef,
    /// All columns, if their types were inferred.
    inferred: Option<SchemaRef>,
    /// Position in the file of each column of `schema`, and whether it tells
    /// the empty text from null.
    positions: Vec<(usize, bool)>,
    batch_rows: usize,
    /// Of the rows given out last, if the input is live.
    arrivals: Vec<i64>,
    /// What is wrong with the row after those given out last.
    broken: Option<DatasetError>,
}

impl Batches {
    fn new(
        path: &Path,
        lines: Lines,
        schema: &SchemaRef,
        projection: &[usize],
        options: &ReadOptions,
    ) -> Result<Batches> {
        let positions = lines.positions(path, schema)?;
        let inferred = options.schema.is_none().then(|| schema.clone());
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
        let positions = projection
            .iter()
            .zip(schema.fields())
            .map(|(&i, field)| (positions[i], holds_empty_text(field.data_type())))
            .collect();
        Ok(Batches {
            path: path.to_owned(),
            positions,
            lines,
            schema,
            inferred,
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
        let mut texts: Vec<StringBuilder> =
            self.positions.iter().map(|_| StringBuilder::new()).collect();
        let mut places = Vec::new();
        let mut bytes = 0;
        self.arrivals.clear();
        while places.len() < self.batch_rows && bytes < BATCH_BYTES {
            match self.append(&mut texts) {
                Ok(Some(line)) => places.push(line),
                Ok(None) => break,
                Err(error) => {
                    self.broken = Some(error);
                    break;
                }
            }
            bytes += self.lines.record.size();
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
        self.arrivals.truncate(rows);
        if rows == 0 {
            return self.broken.take().map_or(Ok(None), Err);
        }
        RecordBatch::try_new(self.schema.clone(), columns).map(Some).map_err(|source| {
            DatasetError::Arrow { doing: self.path.display().to_string(), source }
        })
    }

    fn place(&self) -> Place {
        Place::Line(self.lines.splitter.line())
    }

    fn arrivals(&mut self) -> Vec<i64> {
        std::mem::take(&mut self.arrivals)
    }
}

impl Batches {
    /// Appends the next row's fields; its line, or `None` at the end.
    fn append(&mut self, texts: &mut [StringBuilder]) -> Result<Option<u64>> {
        let Some(line) = self.lines.next(&self.path)? else { return Ok(None) };
        for (text, &(column, holds_empty)) in texts.iter_mut().zip(&self.positions) {
            let field = self.lines.text(&self.path, line, column)?;
            text.append_option(field.filter(|text| holds_empty || !text.is_empty()));
        }
        if self.lines.input.live_state().is_some() {
            self.arrivals.push(self.lines.arrived);
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
        match parse_column(text, field.data_type()) {
            Ok(Ok(column)) => Ok(column),
            Ok(Err(row)) => {
                let value = text.value(row);
                let inferred = self.inferred.as_ref();
                Err((row, malformed(&self.path, places[row], field, value, inferred)))
            }
            Err(source) => {
                let doing = format!("{}: column `{}`", self.path.display(), field.name());
                Err((0, DatasetError::Arrow { doing, source }))
            }
        }
    }
}
