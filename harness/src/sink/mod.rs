//! Where joined rows go.
//!
//! [`SinkFormat`] is the registry: a new sink is one line there and one file here.

mod console;
mod duplicates;
mod file;
mod stdout;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use streamjoin_datasets::FileFormat;

use crate::error::{Failure, Result};
use crate::scenario::SinkFormat;

pub use console::{Console, cell_text, show, show_all};
pub use stdout::PipeStdout;

/// Receives the joined rows of one pass, batch by batch.
pub trait Sink: Send {
    /// Takes some rows of batch `batch_id`; a batch may come in any number of parts.
    ///
    /// # Errors
    /// A run failure that names the file.
    fn batch(&mut self, batch_id: u64, rows: &RecordBatch) -> Result<()>;

    /// Says that batch `batch_id` is whole, even if it gave no row.
    ///
    /// # Errors
    /// A run failure that names the file.
    fn end_batch(&mut self, batch_id: u64) -> Result<()>;

    /// Makes the output final: a file gets its name now.
    ///
    /// # Errors
    /// A run failure that names the file.
    fn finish(self: Box<Self>) -> Result<()>;

    /// Ends a failed run: the batches that were whole before the failure stay
    /// readable, and the answer says where (`None` where there is nothing to
    /// keep). Dropping a sink instead leaves nothing behind.
    ///
    /// # Errors
    /// A run failure that names the file.
    fn abandon(self: Box<Self>) -> Result<Option<String>>;
}

/// Where joined rows are to go; see [`SinkSpec::resolve`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SinkSpec {
    /// Nowhere.
    #[default]
    None,
    /// Spark-style tables on standard output.
    Console,
    /// A file.
    File {
        /// The path; `-` is standard output.
        path: PathBuf,
        /// Its format.
        format: FileFormat,
        /// Whether an existing file may be replaced.
        force: bool,
    },
}

impl SinkSpec {
    /// Puts `-o PATH|-` and `--output-format` (or `[output]`'s `path` and
    /// `format`) together. Without a format the extension decides; `-` without a
    /// format is JSON lines; neither path nor format is no output.
    ///
    /// # Errors
    /// A usage failure for an unknown format or extension, and for a path or
    /// format that needs the other.
    pub fn resolve(path: Option<&Path>, format: Option<&str>, force: bool) -> Result<Self> {
        let format = format.map(str::parse::<SinkFormat>).transpose()?;
        match (format, path) {
            (None, None) | (Some(SinkFormat::None), None) => Ok(Self::None),
            (Some(SinkFormat::Console), None) => Ok(Self::Console),
            (Some(SinkFormat::Console), Some(path)) if is_stdout(path) => Ok(Self::Console),
            (Some(format @ (SinkFormat::None | SinkFormat::Console)), Some(path)) => {
                Err(Failure::usage(format!(
                    "output format `{format}` writes no file, but the output path is {}: leave one of them out",
                    path.display()
                )))
            }
            (Some(SinkFormat::File(format)), None) => Err(Failure::usage(format!(
                "output format `{format}` needs an output path: add -o PATH (or -o - for standard output)"
            ))),
            (Some(SinkFormat::File(format)), Some(path)) => {
                Ok(Self::File { path: path.to_owned(), format, force })
            }
            (None, Some(path)) if is_stdout(path) => {
                Ok(Self::File { path: path.to_owned(), format: FileFormat::JsonLines, force })
            }
            (None, Some(path)) => match FileFormat::from_path(path) {
                Some(format) => Ok(Self::File { path: path.to_owned(), format, force }),
                None => Err(Failure::usage(format!(
                    "cannot tell the output format of {} from its extension: end it in .parquet, .arrow, .arrows, .csv or .jsonl, or give --output-format",
                    path.display()
                ))),
            },
        }
    }

    /// Whether rows go to standard output, so that reports must not.
    pub fn uses_stdout(&self) -> bool {
        match self {
            Self::None => false,
            Self::Console => true,
            Self::File { path, .. } => is_stdout(path),
        }
    }

    /// Checks what is known before the first row: that the sink can hold the
    /// columns of `schema` and that its path is free. Writes nothing.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self, schema: &SchemaRef) -> Result<()> {
        match self {
            Self::None | Self::Console => Ok(()),
            Self::File { path, format, force } => file::check(path, *format, *force, schema),
        }
    }
}

/// Opens the sink that `spec` names for rows of `schema`.
///
/// # Errors
/// As [`SinkSpec::check`]; a run failure where the file cannot be made.
pub fn open(spec: &SinkSpec, schema: &SchemaRef) -> Result<Box<dyn Sink>> {
    spec.check(schema)?;
    Ok(match spec {
        SinkSpec::None => Box::new(Nowhere),
        SinkSpec::Console => Box::new(Console::new(schema, Box::new(PipeStdout::default()))),
        SinkSpec::File { path, format, force } => {
            Box::new(file::FileSink::create(path, *format, *force, schema)?)
        }
    })
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// The sink `none`.
struct Nowhere;

impl Sink for Nowhere {
    fn batch(&mut self, _: u64, _: &RecordBatch) -> Result<()> {
        Ok(())
    }

    fn end_batch(&mut self, _: u64) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn abandon(self: Box<Self>) -> Result<Option<String>> {
        Ok(None)
    }
}
