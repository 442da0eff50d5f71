//! Where rows come from: recordings, generators and batches in memory behind one face.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use streamjoin_datasets::{DatasetError, FileFormat, Generator, ReadOptions, Source, SourceBatch};

use streamjoin_kernels::{JoinError, form};

use crate::error::{Failure, Result};
use crate::scenario::{MemoryRows, Place, Reading, RowSource};
use streamjoin_sql::Part;

/// Batches with the file and row that they come from.
pub type FeedBatches = Box<dyn Iterator<Item = Result<SourceBatch, DatasetError>> + Send>;

/// Rows of a generated batch.
const GENERATED_ROWS: usize = 65_536;

/// In which form columns are read: rows of many batches and files meet in one
/// output, and their dictionaries differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Dictionaries of texts stay dictionaries, whose indices have 32 bits at
    /// least, so that those of many batches fit into one; all else is by value.
    #[default]
    Shared,
    /// All by value, as the state of two streams keeps it.
    ByValue,
}

impl Form {
    /// The type in which a column of this type is read.
    fn of(self, data_type: &DataType) -> DataType {
        match self {
            Self::Shared => form::table_type(data_type),
            Self::ByValue => form::value_type(data_type),
        }
    }

    /// The schema in which rows of this schema are read.
    pub fn schema(self, schema: &SchemaRef) -> SchemaRef {
        let fields = schema.fields().iter().map(|field| {
            let data_type = self.of(field.data_type());
            Field::clone(field).with_data_type(data_type)
        });
        let read = Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone());
        if read == **schema { SchemaRef::clone(schema) } else { Arc::new(read) }
    }

    /// The rows in this form.
    ///
    /// # Errors
    /// Arrow's.
    pub fn rows(self, batch: RecordBatch) -> streamjoin_kernels::Result<RecordBatch> {
        let schema = self.schema(batch.schema_ref());
        if schema == *batch.schema_ref() {
            return Ok(batch);
        }
        let columns = batch.columns().iter().zip(schema.fields());
        let columns = columns.map(|(column, field)| form::convert(column, field.data_type()));
        let columns = columns.collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
    }
}

/// Where rows come from, and in which form.
#[derive(Clone, Debug)]
pub struct Feed {
    /// Where they come from.
    pub from: FeedRows,
    form: Form,
}

/// A recording, a table, a generator or rows in memory.
#[derive(Clone, Debug)]
pub enum FeedRows {
    /// Files.
    Recording(Source),
    /// Generated rows.
    Generated(Generator),
    /// Rows in memory; each batch counts as a file.
    Memory(MemoryRows),
}

/// Refuses `csv` for files of another format.
fn reading_fits(feed: Feed, reading: &Reading) -> Result<Feed> {
    match (&feed.from, &reading.csv) {
        (FeedRows::Recording(source), Some(csv)) if source.format() != FileFormat::Csv => {
            Err(Failure::usage(format!(
                "`csv` says how CSV files are written, but {} is {}: leave it out",
                source.origin().display(),
                source.format()
            ))
            .at(csv))
        }
        _ => Ok(feed),
    }
}

fn refused_or_failed(error: DatasetError) -> Failure {
    if error.is_refusal() { Failure::usage(error) } else { Failure::run(error) }
}

/// The columns without the fields that `parts` leaves out; all if there are no parts.
fn only(parts: &[Part], batch: RecordBatch) -> streamjoin_kernels::Result<RecordBatch> {
    if parts.is_empty() {
        return Ok(batch);
    }
    let columns = batch.columns().iter().zip(parts);
    let columns = columns.map(|(column, part)| part.take(column));
    let columns = columns.collect::<streamjoin_kernels::Result<Vec<ArrayRef>>>()?;
    let fields =
        batch.schema_ref().fields().iter().zip(&columns).map(|(field, column)| {
            field.as_ref().clone().with_data_type(column.data_type().clone())
        });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
}

impl Feed {
    /// Opens `source`, which the scenario names at `place`: of files, headers and
    /// footers are read, no rows.
    ///
    /// # Errors
    /// A run failure for files that are missing or cannot be read, a usage failure
    /// for what does not fit `source`.
    pub fn of(source: &RowSource, reading: &Reading, place: &Place) -> Result<Self> {
        let (from, what) = match source {
            RowSource::Files(path) => {
                let feed = Self::open(path, &reading.options);
                return reading_fits(feed.map_err(|failure| failure.at(place))?, reading);
            }
            RowSource::Generated(generator) => {
                generator.check().map_err(|error| Failure::usage(error).at(place))?;
                (FeedRows::Generated(generator.clone()), "a generator")
            }
            RowSource::Memory(rows) => (FeedRows::Memory(rows.clone()), "rows in memory"),
        };
        match &reading.files_only {
            Some(place) => Err(Failure::usage(format!(
                "`format`, `schema` and `csv` are for files, not for {what}: leave them out"
            ))
            .at(place)),
            None => Ok(Self { from, form: Form::default() }),
        }
    }

    /// The same rows, read in this form.
    #[must_use]
    pub fn in_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// Opens files: headers and footers are read, no rows.
    ///
    /// # Errors
    /// A run failure for files that are missing or cannot be read, a usage
    /// failure for those that are refused.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let source = Source::open(path, options).map_err(refused_or_failed)?;
        Ok(Self { from: FeedRows::Recording(source), form: Form::default() })
    }

    /// Checks that the columns `projection` can be read of every file.
    ///
    /// # Errors
    /// A usage failure that names the column and the files that differ in it.
    pub fn check_columns(&self, projection: &[usize]) -> Result<()> {
        match &self.from {
            FeedRows::Recording(source) => {
                source.check_columns(projection).map_err(refused_or_failed)
            }
            FeedRows::Generated(_) | FeedRows::Memory(_) => Ok(()),
        }
    }

    /// Columns, in the form in which they are read.
    pub fn schema(&self) -> SchemaRef {
        self.form.schema(&match &self.from {
            FeedRows::Recording(source) => SchemaRef::clone(source.schema()),
            FeedRows::Generated(generator) => generator.schema(),
            FeedRows::Memory(rows) => SchemaRef::clone(rows.schema()),
        })
    }

    /// Number of rows, where that is known without reading all.
    pub fn rows(&self) -> Option<u64> {
        match &self.from {
            FeedRows::Recording(source) => source.rows(),
            FeedRows::Generated(generator) => generator.rows(),
            FeedRows::Memory(rows) => Some(rows.rows()),
        }
    }

    /// Whether it has no end.
    pub fn is_endless(&self) -> bool {
        matches!(self.from, FeedRows::Generated(_)) && self.rows().is_none()
    }

    /// Reads of the columns `projection` the `parts` that are used: files are not read
    /// further than that, where their format allows it.
    ///
    /// # Errors
    /// A run failure that names the file.
    pub fn read_parts(&self, projection: &[usize], parts: &[Part]) -> Result<FeedBatches> {
        let parts = match parts.iter().all(|part| *part == Part::Whole) {
            true => Vec::new(),
            false => parts.to_vec(),
        };
        let batches: FeedBatches = match &self.from {
            FeedRows::Recording(source) if !parts.is_empty() => {
                let schema = source.schema();
                let columns = projection.iter().zip(&parts);
                let types = columns.map(|(&at, part)| part.of_type(schema.field(at).data_type()));
                let types: Vec<DataType> = types.collect();
                Box::new(source.read_narrow(projection, &types).map_err(refused_or_failed)?)
            }
            _ => self.read_as_they_are(projection)?,
        };
        let form = self.form;
        Ok(Box::new(batches.map(move |read| {
            let read = read?;
            let rows = form.rows(read.batch).and_then(|batch| only(&parts, batch));
            let batch = rows.map_err(|error| DatasetError::Arrow {
                doing: "reading columns by value".to_owned(),
                source: match error {
                    JoinError::Arrow(source) => source,
                    other => ArrowError::from_external_error(Box::new(other)),
                },
            })?;
            Ok(SourceBatch { batch, ..read })
        })))
    }

    /// Reads the columns `projection`, in that order.
    ///
    /// # Errors
    /// A run failure that names the file.
    pub fn read(&self, projection: &[usize]) -> Result<FeedBatches> {
        self.read_parts(projection, &[])
    }

    fn read_as_they_are(&self, projection: &[usize]) -> Result<FeedBatches> {
        match &self.from {
            FeedRows::Recording(source) => {
                let batches = source.read(Some(projection)).map_err(refused_or_failed)?;
                Ok(Box::new(batches))
            }
            FeedRows::Generated(generator) => {
                let projection = projection.to_vec();
                let mut first_row = 0;
                let batches = generator.read(GENERATED_ROWS).map(move |batch| {
                    let batch =
                        batch?.project(&projection).map_err(|source| DatasetError::Arrow {
                            doing: "projecting generated rows".to_owned(),
                            source,
                        })?;
                    let batch = SourceBatch { file: 0, first_row, batch };
                    first_row += batch.batch.num_rows() as u64;
                    Ok(batch)
                });
                Ok(Box::new(batches))
            }
            FeedRows::Memory(rows) => {
                let batches = rows.batches().iter().enumerate();
                let batches = batches.filter(|(_, batch)| batch.num_rows() > 0);
                let batches: Vec<SourceBatch> = batches
                    .map(|(file, batch)| {
                        let batch = batch.project(projection).map_err(Failure::run)?;
                        Ok(SourceBatch { file, first_row: 0, batch })
                    })
                    .collect::<Result<_>>()?;
                Ok(Box::new(batches.into_iter().map(Ok)))
            }
        }
    }

    /// The file with this number, for messages.
    pub fn file_name(&self, file: usize) -> String {
        match &self.from {
            FeedRows::Recording(source) => source
                .files()
                .get(file)
                .map_or_else(|| "recording".to_owned(), |path| path.display().to_string()),
            FeedRows::Generated(_) => "generator".to_owned(),
            FeedRows::Memory(_) => format!("batch {file} in memory"),
        }
    }

    /// What it is, for people.
    pub fn describe(&self) -> String {
        match &self.from {
            FeedRows::Recording(source) => match source.files() {
                [file] => format!("{} ({})", file.display(), source.format()),
                files => format!(
                    "{} files from {} on ({})",
                    files.len(),
                    files.first().map(|file| file.display().to_string()).unwrap_or_default(),
                    source.format()
                ),
            },
            FeedRows::Generated(_) => "generator".to_owned(),
            FeedRows::Memory(_) => "rows in memory".to_owned(),
        }
    }
}
