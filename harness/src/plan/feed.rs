//! Where rows come from: recordings, generators and batches in memory behind one face.

use std::path::Path;

use arrow::datatypes::SchemaRef;
use streamjoin_datasets::{DatasetError, FileFormat, Generator, ReadOptions, Source, SourceBatch};

use crate::error::{Failure, Result};
use crate::scenario::{MemoryRows, Place, Reading, RowSource};

/// Batches with the file and row that they come from.
pub type FeedBatches = Box<dyn Iterator<Item = Result<SourceBatch, DatasetError>> + Send>;

/// Rows of a generated batch.
const GENERATED_ROWS: usize = 65_536;

/// A recording, a table, a generator or rows in memory.
#[derive(Clone, Debug)]
pub enum Feed {
    /// Files.
    Recording(Source),
    /// Generated rows.
    Generated(Generator),
    /// Rows in memory; each batch counts as a file.
    Memory(MemoryRows),
}

/// Refuses `csv` for files of another format.
fn reading_fits(feed: Feed, reading: &Reading) -> Result<Feed> {
    match (&feed, &reading.csv) {
        (Feed::Recording(source), Some(csv)) if source.format() != FileFormat::Csv => {
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

impl Feed {
    /// Opens `source`, which the scenario names at `place`: of files, headers and
    /// footers are read, no rows.
    ///
    /// # Errors
    /// A run failure for files that are missing or cannot be read, a usage failure
    /// for what does not fit `source`.
    pub fn of(source: &RowSource, reading: &Reading, place: &Place) -> Result<Self> {
        let (feed, what) = match source {
            RowSource::Files(path) => {
                let feed = Self::open(path, &reading.options);
                return reading_fits(feed.map_err(|failure| failure.at(place))?, reading);
            }
            RowSource::Generated(generator) => {
                generator.check().map_err(|error| Failure::usage(error).at(place))?;
                (Self::Generated(generator.clone()), "a generator")
            }
            RowSource::Memory(rows) => (Self::Memory(rows.clone()), "rows in memory"),
        };
        match &reading.files_only {
            Some(place) => Err(Failure::usage(format!(
                "`format`, `schema` and `csv` are for files, not for {what}: leave them out"
            ))
            .at(place)),
            None => Ok(feed),
        }
    }

    /// Opens files: headers and footers are read, no rows.
    ///
    /// # Errors
    /// A run failure for files that are missing or cannot be read, a usage
    /// failure for those that are refused.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        Source::open(path, options).map(Self::Recording).map_err(refused_or_failed)
    }

    /// Checks that the columns `projection` can be read of every file.
    ///
    /// # Errors
    /// A usage failure that names the column and the files that differ in it.
    pub fn check_columns(&self, projection: &[usize]) -> Result<()> {
        match self {
            Self::Recording(source) => source.check_columns(projection).map_err(refused_or_failed),
            Self::Generated(_) | Self::Memory(_) => Ok(()),
        }
    }

    /// Columns.
    pub fn schema(&self) -> SchemaRef {
        match self {
            Self::Recording(source) => SchemaRef::clone(source.schema()),
            Self::Generated(generator) => generator.schema(),
            Self::Memory(rows) => SchemaRef::clone(rows.schema()),
        }
    }

    /// Number of rows, where that is known without reading all.
    pub fn rows(&self) -> Option<u64> {
        match self {
            Self::Recording(source) => source.rows(),
            Self::Generated(generator) => generator.rows(),
            Self::Memory(rows) => Some(rows.rows()),
        }
    }

    /// Whether it has no end.
    pub fn is_endless(&self) -> bool {
        matches!(self, Self::Generated(_)) && self.rows().is_none()
    }

    /// Reads the columns `projection`, in that order.
    ///
    /// # Errors
    /// A run failure that names the file.
    pub fn read(&self, projection: &[usize]) -> Result<FeedBatches> {
        match self {
            Self::Recording(source) => {
                let batches = source.read(Some(projection)).map_err(refused_or_failed)?;
                Ok(Box::new(batches))
            }
            Self::Generated(generator) => {
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
            Self::Memory(rows) => {
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
        match self {
            Self::Recording(source) => source
                .files()
                .get(file)
                .map_or_else(|| "recording".to_owned(), |path| path.display().to_string()),
            Self::Generated(_) => "generator".to_owned(),
            Self::Memory(_) => format!("batch {file} in memory"),
        }
    }

    /// What it is, for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Recording(source) => match source.files() {
                [file] => format!("{} ({})", file.display(), source.format()),
                files => format!(
                    "{} files from {} on ({})",
                    files.len(),
                    files.first().map(|file| file.display().to_string()).unwrap_or_default(),
                    source.format()
                ),
            },
            Self::Generated(_) => "generator".to_owned(),
            Self::Memory(_) => "rows in memory".to_owned(),
        }
    }
}
