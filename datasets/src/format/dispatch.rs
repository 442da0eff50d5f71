//! From a [`FileFormat`] to its reader and writer.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use arrow::datatypes::SchemaRef;

use super::options::ReadOptions;
use super::reader::{FileBatches, Format, ReadRequest, Shape};
use super::trial::Trial;
use super::{arrow_file, arrow_stream, csv, json_lines, parquet};
use crate::compression::Compression;
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::guard::guarded;
use crate::input::Input;
use crate::place::Place;
use crate::write::{BatchWriter, buffered, compressed};

impl FileFormat {
    fn code(self) -> &'static dyn Format {
        match self {
            FileFormat::ArrowFile => &arrow_file::ArrowFile,
            FileFormat::ArrowStream => &arrow_stream::ArrowStream,
            FileFormat::Parquet => &parquet::Parquet,
            FileFormat::Csv => &csv::Csv,
            FileFormat::JsonLines => &json_lines::JsonLines,
        }
    }

    pub(crate) fn shape(self, path: &Path, options: &ReadOptions) -> Result<Shape> {
        check_content(path, self, options)?;
        self.guard(path, Place::File, || self.code().shape(path, options))
    }

    pub(crate) fn read(self, request: ReadRequest<'_>) -> Result<Box<dyn FileBatches>> {
        self.guard(request.path, Place::File, || self.code().read(request))
    }

    /// Runs a reader's step; a panic inside becomes an error that names the file.
    pub(crate) fn guard<T>(
        self,
        path: &Path,
        place: Place,
        read: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        guarded(read).unwrap_or_else(|message| {
            Err(DatasetError::corrupt(path, self, place, format!("damaged content ({message})")))
        })
    }
}

/// The format of a file by its name.
///
/// # Errors
/// The extension is not known.
pub(crate) fn format_of(path: &Path) -> Result<FileFormat> {
    FileFormat::from_path(path).ok_or_else(|| DatasetError::UnknownFormat {
        path: path.to_owned(),
        known: FileFormat::known_extensions(),
    })
}

/// A writer of `format` for batches of `schema`. Writes are buffered.
///
/// # Errors
/// The format cannot hold the columns: two of one name in anything but Arrow,
/// nested columns in CSV, types that the format does not know. Each column that is not
/// of a plain type is tried with some rows, so that no row is refused later for its
/// type. Values that the format has no room for are an error of `write`, which names
/// the column and the row.
pub fn writer(
    format: FileFormat,
    sink: Box<dyn Write + Send>,
    schema: &SchemaRef,
) -> Result<Box<dyn BatchWriter>> {
    let trial = trial(format, Path::new(""));
    trial.check(schema)?;
    trial.open(buffered(sink), schema)
}

/// A writer for a file of the name `path`, whose extension may ask for
/// compression (`rows.csv.gz`, `rows.jsonl.zst`) or tabs (`.tsv`).
///
/// # Errors
/// As [`writer`]; a format that is not compressed as a whole.
pub fn writer_for(
    path: &Path,
    format: FileFormat,
    sink: Box<dyn Write + Send>,
    schema: &SchemaRef,
) -> Result<Box<dyn BatchWriter>> {
    let trial = trial(format, path);
    trial.check(schema)?;
    let Some(compression) = Compression::from_path(path) else {
        return trial.open(buffered(sink), schema);
    };
    if !format.may_be_compressed() {
        return Err(DatasetError::CannotHold {
            format,
            what: format!("{compression} around the whole file"),
            remedy: "leave the extension away: its columns are compressed".to_owned(),
        });
    }
    compressed(compression, buffered(sink), |sink| trial.open(sink, schema))
}

fn trial(format: FileFormat, name: &Path) -> Trial {
    Trial { format, code: format.code(), name: name.to_owned() }
}

/// Refuses an empty file (but for JSON lines, whose columns may be declared),
/// and one whose first bytes are another format's.
fn check_content(path: &Path, expected: FileFormat, options: &ReadOptions) -> Result<()> {
    let head = match expected.may_be_compressed() {
        true => Input::open(path)?.peek(path, FileFormat::HEAD_BYTES)?,
        false => {
            let file = File::open(path).map_err(|e| DatasetError::io(path, "open", e))?;
            let mut head = Vec::new();
            let read = file.take(FileFormat::HEAD_BYTES as u64).read_to_end(&mut head);
            read.map_err(|e| DatasetError::io(path, "read", e))?;
            head
        }
    };
    if head.is_empty() {
        let remedy = match (expected, &options.schema) {
            (FileFormat::JsonLines, Some(_)) => return Ok(()),
            (FileFormat::JsonLines, None) => "remove it, or declare its columns with a schema",
            _ => "remove it, or write a file with at least a header",
        };
        return Err(DatasetError::EmptyFile { path: path.to_owned(), remedy });
    }
    let looks = FileFormat::from_content(&head);
    let binary =
        matches!(expected, FileFormat::Parquet | FileFormat::ArrowFile | FileFormat::ArrowStream);
    let message = match looks {
        Some(found) if found == expected => return Ok(()),
        Some(found) => format!("it looks like {found}; rename it, or give its format"),
        None if Compression::from_content(&head).is_some() => {
            "it is compressed as a whole; decompress it first".to_owned()
        }
        None if !binary && (head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff")) => {
            "it is UTF-16; convert it to UTF-8".to_owned()
        }
        // Streams written before Arrow 0.15 start with a bare length.
        None if !binary || expected == FileFormat::ArrowStream => return Ok(()),
        None => "its first bytes are not that format's; give its real format, or write it again"
            .to_owned(),
    };
    Err(DatasetError::WrongFormat { path: path.to_owned(), expected, message })
}
