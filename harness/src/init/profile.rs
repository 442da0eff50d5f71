//! What a file, folder or glob holds: rows, possible keys, times.

use std::path::Path;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Int64Type};
use streamjoin_datasets::{DatasetError, FileFormat, ReadOptions, Source};

use super::column::{Column, Kind};
use super::disorder::{Disorder, NO_TIME};
use super::outlier::{Outliers, take_outliers};
use super::time::{self, TimeGuess};
use crate::error::{Failure, Result};
use crate::plan::{EventTime, Form, Value};
use crate::scenario::TimeUnitName;
use streamjoin_sql::{pattern_of_strftime, pattern_reads};

/// Rows whose columns are all looked at.
const HEAD: usize = 10_000;
/// The most values that are held of one file.
const MOST_CELLS: usize = 60_000_000;

/// What is known of one recording or table.
#[derive(Debug)]
pub(super) struct Profile {
    /// Qualifies its columns.
    pub(super) name: String,
    /// The path as it was given.
    pub(super) argument: String,
    pub(super) source: Source,
    /// The character between fields, where it is not a comma.
    pub(super) delimiter: Option<char>,
    /// Whether the first line of CSV files names the columns.
    pub(super) header: bool,
    /// Rows that were looked at.
    pub(super) read: u64,
    /// Rows in all, where that is known.
    pub(super) rows: Option<u64>,
    pub(super) columns: Vec<Column>,
    /// The likeliest event time first.
    pub(super) times: Vec<Time>,
}

/// A column that can be read as times, and those times.
#[derive(Debug)]
pub(super) struct Time {
    pub(super) guess: TimeGuess,
    /// Microseconds since 1970 a row; none for rows far from all others.
    pub(super) micros: Vec<i64>,
    /// Without the rows far from all others.
    pub(super) disorder: Disorder,
    /// Rows far behind all others.
    pub(super) behind: Option<Outliers>,
    /// Rows far ahead of all others.
    pub(super) ahead: Option<Outliers>,
    /// Whether numbers in text have leading zeros throughout.
    pub(super) padded: bool,
}

impl Profile {
    /// Looks at up to `limit` rows of `path`.
    pub(super) fn read(argument: &str, name: String, limit: u64) -> Result<Self> {
        let (source, options) = open(Path::new(argument))?;
        if source.rows() == Some(0) {
            return Err(nothing(argument));
        }
        let head = head(&source)?;
        if head.num_rows() == 0 {
            return Err(nothing(argument));
        }
        let fields = source.schema().fields();
        let mut columns: Vec<Column> = fields
            .iter()
            .zip(head.columns())
            .map(|(field, values)| Column::new(field.name(), values))
            .collect();
        let guesses = fields
            .iter()
            .zip(head.columns())
            .enumerate()
            .filter_map(|(at, (field, values))| Some((at, time::guess(field.name(), values)?)));
        let mut reading: Vec<Reading> =
            guesses.filter_map(|(at, g)| Reading::new(at, g, &source)).collect();
        let held = columns.iter().filter(|column| column.kind.is_some()).count() + reading.len();
        let limit = limit.min((MOST_CELLS / held.max(1)) as u64);
        let (mut read, mut whole) = (0, true);
        for batch in source.read(None).map_err(unreadable)? {
            let batch = batch.map_err(unreadable)?.batch;
            let left = limit - read;
            let batch = match left < batch.num_rows() as u64 {
                true => batch.slice(0, left as usize),
                false => batch,
            };
            for (column, values) in columns.iter_mut().zip(batch.columns()) {
                column.add(values).map_err(Failure::run)?;
            }
            reading.retain_mut(|time| time.add(&batch));
            read += batch.num_rows() as u64;
            if read == limit {
                whole = source.rows() == Some(read);
                break;
            }
        }
        let mut times: Vec<Time> = reading.into_iter().filter_map(Reading::finish).collect();
        times.sort_by(|a, b| b.guess.likelihood.total_cmp(&a.guess.likelihood));
        for column in &mut columns {
            let is_time = times.iter().any(|time| time.guess.spec.column == column.name);
            column.is_time = is_time && (column.kind != Some(Kind::Other) || !column.is_key_like());
        }
        Ok(Self {
            name,
            argument: argument.to_owned(),
            rows: source.rows().or(whole.then_some(read)),
            delimiter: (options.delimiter != ReadOptions::default().delimiter
                && source.format() == FileFormat::Csv)
                .then_some(char::from(options.delimiter)),
            header: options.header,
            source,
            read,
            columns,
            times,
        })
    }

    /// The likeliest event time.
    pub(super) fn time(&self) -> Option<&Time> {
        self.times.first()
    }

    /// Whether rows were left out.
    pub(super) fn is_cut(&self) -> bool {
        self.rows != Some(self.read)
    }
}

/// A time column while it is read.
struct Reading {
    at: usize,
    guess: TimeGuess,
    reader: EventTime,
    micros: Vec<i64>,
    /// The pattern of text with leading zeros, while all of it fits.
    padded: Option<String>,
}

impl Reading {
    fn new(at: usize, guess: TimeGuess, source: &Source) -> Option<Self> {
        let data_type = source.schema().field(at).data_type();
        let reader = EventTime::new(&guess.spec, Value::Column(at), data_type).ok()?;
        let padded =
            guess.spec.format.as_ref().and_then(|format| pattern_of_strftime(format, true));
        Some(Self { at, guess, reader, micros: Vec::new(), padded })
    }

    /// Whether all values so far are times.
    fn add(&mut self, batch: &RecordBatch) -> bool {
        let column = batch.column(self.at);
        match (self.reader.micros(batch), self.guess.spec.unit) {
            (Ok(micros), _) => {
                self.micros.extend(micros.iter().map(|time| time.unwrap_or(NO_TIME)));
            }
            // A number too large is one of those that are far from all others.
            (Err(_), Some(unit)) => {
                let Ok(numbers) = cast(column, &DataType::Int64) else { return false };
                let scale = match unit {
                    TimeUnitName::Second => 1_000_000,
                    TimeUnitName::Millisecond => 1_000,
                    TimeUnitName::Microsecond | TimeUnitName::Nanosecond => return false,
                };
                let time = |number: i64| number.saturating_mul(scale).max(NO_TIME + 1);
                let numbers = numbers.as_primitive::<Int64Type>().iter();
                self.micros.extend(numbers.map(|number| number.map_or(NO_TIME, time)));
            }
            (Err(_), None) => return false,
        }
        if let Some(pattern) = &self.padded {
            let fits = cast(column, &DataType::Utf8)
                .is_ok_and(|text| pattern_reads(pattern, text.as_string::<i32>().iter().flatten()));
            self.padded.take_if(|_| !fits);
        }
        true
    }

    fn finish(mut self) -> Option<Time> {
        let rows = self.micros.iter().filter(|time| **time != NO_TIME).count();
        let (behind, ahead) = take_outliers(&mut self.micros);
        let disorder = Disorder::of(&self.micros)?;
        let missing = 1.0 - rows as f64 / self.micros.len() as f64;
        self.guess.likelihood -= missing;
        // A column that says when rows happened grows down the file.
        if disorder.is_ordered() {
            self.guess.likelihood += 0.8;
        }
        if disorder.span.0 == disorder.span.1 {
            self.guess.likelihood -= 0.5;
        }
        let padded = self.padded.is_some();
        Some(Time { guess: self.guess, micros: self.micros, disorder, behind, ahead, padded })
    }
}

/// Opens files; of CSV, finds out what stands between fields and whether the
/// first line names them.
fn open(path: &Path) -> Result<(Source, ReadOptions)> {
    let mut options = ReadOptions::default();
    let mut source = match Source::open(path, &options) {
        Ok(source) => source,
        // One column whose name holds what stands between fields is refused.
        Err(error) => {
            let (other, delimiter) = with_another_delimiter(path).ok_or(unreadable(error))?;
            options.delimiter = delimiter;
            other
        }
    };
    if source.format() != FileFormat::Csv {
        return Ok((source, options));
    }
    let names = source.schema().fields();
    let values = names.iter().filter(|field| is_value(field.name())).count();
    if values * 2 >= names.len() && values > 0 {
        options.header = false;
        source = Source::open(path, &options).map_err(unreadable)?;
    }
    Ok((source, options))
}

/// CSV with something else than a comma between its fields.
fn with_another_delimiter(path: &Path) -> Option<(Source, u8)> {
    [b';', b'\t', b'|'].into_iter().find_map(|delimiter| {
        let options = ReadOptions { delimiter, ..ReadOptions::default() };
        let source = Source::open(path, &options).ok()?;
        let is_csv = source.format() == FileFormat::Csv && source.schema().fields().len() > 1;
        is_csv.then_some((source, delimiter))
    })
}

/// Whether what should be a column's name is a value.
fn is_value(name: &str) -> bool {
    name.parse::<f64>().is_ok() || crate::text::instant::timestamp(name).is_ok()
}

fn head(source: &Source) -> Result<RecordBatch> {
    let (mut batches, mut rows) = (Vec::new(), 0);
    for batch in source.read(None).map_err(unreadable)? {
        let batch = batch.map_err(unreadable)?.batch;
        let batch = batch.slice(0, batch.num_rows().min(HEAD - rows));
        rows += batch.num_rows();
        // Dictionaries of several batches may not fit into one.
        let batch = Form::ByValue.rows(batch).map_err(Failure::run)?;
        batches.push(batch);
        if rows == HEAD {
            break;
        }
    }
    concat_batches(&Form::ByValue.schema(source.schema()), &batches).map_err(Failure::run)
}

fn unreadable(error: DatasetError) -> Failure {
    if error.is_refusal() { Failure::usage(error) } else { Failure::run(error) }
}

fn nothing(argument: &str) -> Failure {
    Failure::run(format!("{argument} has no rows: its keys cannot be found; give a file with rows"))
}
