//! Where rows come from: recordings, generators and batches in memory behind one face.

use std::path::Path;

use arrow::datatypes::{Field, Schema, SchemaRef};
use streamjoin_datasets::{
    DatasetError, FileFormat, Generator, ReadOptions, Source, SourceBatch, parse_type,
};
use toml::Spanned;

use crate::error::{Failure, Result};
use crate::scenario::{CsvSpec, MemoryRows, Ordered, Scenario};

/// Batches with the file and row that they come from.
pub type FeedBatches = Box<dyn Iterator<Item = Result<SourceBatch, DatasetError>> + Send>;

/// Rows of a generated batch.
const GENERATED_ROWS: usize = 65_536;

/// A recording, a table, a generator or rows in memory.
#[derive(Clone, Debug)]
pub enum Feed {
    /// Files.
    Recording(Source),
    /// Rows made up on the way.
    Generated(Generator),
    /// Rows in memory; each batch counts as a file.
    Memory(MemoryRows),
}

/// How a stream or a dimension says where its rows come from.
#[derive(Clone, Copy, Debug)]
pub(super) struct FeedSpec<'a> {
    /// `format`.
    pub(super) format: Option<&'a Spanned<String>>,
    /// `schema`.
    pub(super) schema: Option<&'a Ordered<Spanned<String>>>,
    /// `csv`.
    pub(super) csv: Option<&'a Spanned<CsvSpec>>,
    /// Whether files are mapped; tables are read.
    pub(super) mmap: bool,
}

impl FeedSpec<'_> {
    /// The reader's options.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario.
    pub(super) fn options(&self, scenario: &Scenario) -> Result<ReadOptions> {
        let mut options = ReadOptions { mmap: self.mmap, ..ReadOptions::default() };
        if let Some(format) = self.format {
            let parsed: FileFormat = format
                .get_ref()
                .parse()
                .map_err(|error| Failure::usage(error).at(scenario.place(format)))?;
            options.format = Some(parsed);
        }
        if let Some(columns) = self.schema {
            let fields = columns.0.iter().map(|(name, text)| {
                let data_type = parse_type(text.get_ref())
                    .map_err(|error| Failure::usage(error).at(scenario.place(text)))?;
                Ok(Field::new(name.get_ref(), data_type, true))
            });
            let fields: Vec<Field> = fields.collect::<Result<_>>()?;
            options.schema = Some(SchemaRef::new(Schema::new(fields)));
        }
        if let Some(csv) = self.csv {
            let CsvSpec { header, delimiter } = csv.get_ref();
            options.header = header.unwrap_or(true);
            if let Some(text) = delimiter {
                options.delimiter = match text.get_ref().as_bytes() {
                    [byte] if byte.is_ascii() => *byte,
                    _ => {
                        return Err(Failure::usage(format!(
                            "`delimiter` must be one ASCII character, not `{}`",
                            text.get_ref()
                        ))
                        .at(scenario.place(text)));
                    }
                };
            }
        }
        Ok(options)
    }

    /// Refuses settings that the files that were found do not take.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario.
    pub(super) fn check(&self, feed: &Feed, scenario: &Scenario) -> Result<()> {
        match feed {
            Feed::Recording(source) => match self.csv {
                Some(csv) if source.format() != FileFormat::Csv => Err(Failure::usage(format!(
                    "`csv` says how CSV files are written, but {} is {}: leave it out",
                    source.origin().display(),
                    source.format()
                ))
                .at(scenario.place(csv))),
                _ => Ok(()),
            },
            Feed::Generated(_) | Feed::Memory(_) => {
                let what = match feed {
                    Feed::Memory(_) => "rows in memory",
                    _ => "a generator",
                };
                let format = self.format.map(Spanned::span);
                let schema = self.schema.and_then(|schema| schema.0.first());
                let schema = schema.map(|(name, _)| name.span());
                match format.or(self.csv.map(Spanned::span)).or(schema) {
                    Some(span) => Err(Failure::usage(format!(
                        "`format`, `schema` and `csv` are for files, not for {what}: leave them out"
                    ))
                    .at(scenario.text.place(span))),
                    None => Ok(()),
                }
            }
        }
    }
}

impl Feed {
    /// Opens files: headers and footers are read, no rows.
    ///
    /// # Errors
    /// A run failure for files that are missing or cannot be read, a usage
    /// failure where format and name do not fit.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        Source::open(path, options).map(Self::Recording).map_err(|error| match error {
            DatasetError::UnknownFormat { .. } => Failure::usage(error),
            _ => Failure::run(error),
        })
    }

    /// Rows made up on the way.
    ///
    /// # Errors
    /// A usage failure for settings that make no sense.
    pub fn generated(generator: &Generator) -> Result<Self> {
        generator.check().map_err(Failure::usage)?;
        Ok(Self::Generated(generator.clone()))
    }

    /// Columns.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        match self {
            Self::Recording(source) => SchemaRef::clone(source.schema()),
            Self::Generated(generator) => generator.schema(),
            Self::Memory(rows) => SchemaRef::clone(rows.schema()),
        }
    }

    /// Number of rows, where it is known without reading all.
    #[must_use]
    pub fn rows(&self) -> Option<u64> {
        match self {
            Self::Recording(source) => source.rows(),
            Self::Generated(generator) => generator.rows(),
            Self::Memory(rows) => Some(rows.rows()),
        }
    }

    /// Whether it has no end.
    #[must_use]
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
                let batches = source.read(Some(projection)).map_err(Failure::run)?;
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
    #[must_use]
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
    #[must_use]
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
