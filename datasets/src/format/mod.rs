//! File formats, one file each. A new format is a file here, a variant of
//! [`FileFormat`] and a line in [`FORMATS`].

mod arrow_file;
pub(crate) mod arrow_message;
mod arrow_stream;
mod csv;
mod declare;
#[cfg(unix)]
mod fault;
mod flat;
mod json_lines;
mod live;
mod mapped;
mod parquet;

pub(crate) use csv::widen;
#[cfg(unix)]
pub use fault::tell_of_cut_files;
pub(crate) use flat::parse_column;
pub use live::LiveFormat;
pub(crate) use live::live;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use arrow::array::RecordBatch;
use arrow::datatypes::{FieldRef, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use crate::error::{DatasetError, Place, Result, nearest};
use crate::guard::guarded;
use crate::input::{Compression, Input, uncompressed_name};
use crate::options::ReadOptions;
use crate::write::{BatchWriter, Output};

/// A file format that can be read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum FileFormat {
    /// Arrow IPC file (`.arrow`, `.ipc`, `.feather`): mapped, batches are not copied.
    ArrowFile,
    /// Arrow IPC stream (`.arrows`).
    ArrowStream,
    /// Parquet (`.parquet`).
    Parquet,
    /// Delimited text (`.csv`, `.tsv`).
    Csv,
    /// One JSON object a line (`.jsonl`, `.ndjson`).
    JsonLines,
}

/// The registry: every format, its name, its extensions and its code.
static FORMATS: &[Entry] = &[
    Entry(FileFormat::ArrowFile, "arrow", &["arrow", "ipc", "feather"], &arrow_file::ArrowFile),
    Entry(FileFormat::ArrowStream, "arrow-stream", &["arrows"], &arrow_stream::ArrowStream),
    Entry(FileFormat::Parquet, "parquet", &["parquet", "pq"], &parquet::Parquet),
    Entry(FileFormat::Csv, "csv", &["csv", "tsv"], &csv::Csv),
    Entry(FileFormat::JsonLines, "jsonl", &["jsonl", "ndjson"], &json_lines::JsonLines),
];

/// Enough to know a format by.
const HEAD_BYTES: usize = 8;

struct Entry(FileFormat, &'static str, &'static [&'static str], &'static dyn Format);

/// What a file says about itself before its rows are read.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) schema: SchemaRef,
    /// Rows, when the format tells.
    pub(crate) rows: Option<u64>,
    /// The types were guessed from the first rows, so they may be widened.
    pub(crate) inferred: bool,
}

/// The batches of one file, of whatever size the file gives.
pub(crate) trait FileBatches: Send {
    /// The next batch; not called again after an error.
    fn next_batch(&mut self) -> Result<Option<RecordBatch>>;

    /// What `next_batch` reads now, for errors.
    fn place(&self) -> Place;

    /// When each row of the last batch came, in microseconds since 1970; empty
    /// unless the input is live.
    fn arrivals(&mut self) -> Vec<i64> {
        Vec::new()
    }

    /// Called now and then while the last batch is given out in parts: pages
    /// that it mapped may go.
    fn release(&mut self) {}
}

/// One format's reader and writer. Readers may panic: callers go through the
/// functions of this module, which do not.
pub(crate) trait Format: Sync {
    /// Checks the file as far as it can be without reading all, and tells its columns.
    fn shape(&self, path: &Path, options: &ReadOptions) -> Result<Shape>;

    /// Reads columns `projection` (never empty, ascending, unique) of a file
    /// whose columns are `schema`.
    fn read(
        &self,
        path: &Path,
        schema: &SchemaRef,
        projection: &[usize],
        options: &ReadOptions,
    ) -> Result<Box<dyn FileBatches>>;

    /// A writer, or what of `schema` the format cannot hold. `name` may tell a
    /// dialect, as `.tsv` does; it is empty where the file has none.
    fn write(&self, sink: Output, schema: &SchemaRef, name: &Path) -> Result<Box<dyn BatchWriter>>;
}

impl FileFormat {
    /// Every format.
    pub fn all() -> impl Iterator<Item = FileFormat> {
        FORMATS.iter().map(|entry| entry.0)
    }

    /// The format's name, as in `--output-format`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// Extensions without the dot, the usual one first.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        self.entry().2
    }

    /// The format that the extension of `path` tells, one before `.gz` or
    /// `.zst` included.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<FileFormat> {
        let path = uncompressed_name(path);
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        FORMATS.iter().find(|entry| entry.2.contains(&extension.as_str())).map(|entry| entry.0)
    }

    /// The binary format that content starting with `head` is of.
    pub(crate) fn from_content(head: &[u8]) -> Option<FileFormat> {
        match head {
            _ if head.starts_with(b"PAR1") => Some(FileFormat::Parquet),
            _ if head.starts_with(b"ARROW1") => Some(FileFormat::ArrowFile),
            _ if head.starts_with(&[0xff; 4]) => Some(FileFormat::ArrowStream),
            _ => None,
        }
    }

    /// Whether files of this format say what types their columns have.
    #[must_use]
    pub fn tells_types(self) -> bool {
        !matches!(self, FileFormat::Csv | FileFormat::JsonLines)
    }

    /// Whether files of this format may be compressed as a whole (gzip, zstd).
    #[must_use]
    pub fn may_be_compressed(self) -> bool {
        !matches!(self, FileFormat::Parquet | FileFormat::ArrowFile)
    }

    /// All known extensions, for messages.
    pub(crate) fn known_extensions() -> String {
        let all: Vec<String> =
            FORMATS.iter().flat_map(|entry| entry.2).map(|e| format!(".{e}")).collect();
        all.join(", ")
    }

    fn entry(self) -> &'static Entry {
        // Every variant has its line in the registry (tested), the first line
        // is only there to avoid a panic path.
        FORMATS.iter().find(|entry| entry.0 == self).unwrap_or(&FORMATS[0])
    }

    pub(crate) fn shape(self, path: &Path, options: &ReadOptions) -> Result<Shape> {
        check_content(path, self, options)?;
        self.guard(path, Place::File, || self.entry().3.shape(path, options))
    }

    pub(crate) fn read(
        self,
        path: &Path,
        schema: &SchemaRef,
        projection: &[usize],
        options: &ReadOptions,
    ) -> Result<Box<dyn FileBatches>> {
        self.guard(path, Place::File, || self.entry().3.read(path, schema, projection, options))
    }

    pub(crate) fn write(
        self,
        sink: Output,
        schema: &SchemaRef,
        name: &Path,
    ) -> Result<Box<dyn BatchWriter>> {
        self.entry().3.write(sink, schema, name)
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

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<FileFormat> for String {
    fn from(format: FileFormat) -> String {
        format.name().to_owned()
    }
}

impl TryFrom<String> for FileFormat {
    type Error = DatasetError;

    fn try_from(name: String) -> Result<Self> {
        name.parse()
    }
}

impl FromStr for FileFormat {
    type Err = DatasetError;

    fn from_str(name: &str) -> Result<Self> {
        let wanted = name.trim().trim_start_matches('.').to_ascii_lowercase();
        FORMATS
            .iter()
            .find(|entry| entry.1 == wanted || entry.2.contains(&wanted.as_str()))
            .map(|entry| entry.0)
            .ok_or_else(|| {
                let names: Vec<&str> = FORMATS.iter().map(|entry| entry.1).collect();
                DatasetError::UnknownFormatName {
                    name: name.to_owned(),
                    hint: nearest(&wanted, names.iter().copied()),
                    known: names.join(", "),
                }
            })
    }
}

/// Refuses a file that was replaced by one of other columns since it was opened.
pub(crate) fn unchanged(path: &Path, expected: &Schema, found: &Schema) -> Result<()> {
    let same = |a: &FieldRef, b: &FieldRef| a.name() == b.name() && a.data_type() == b.data_type();
    let (expected, found) = (expected.fields(), found.fields());
    let common = expected.iter().zip(found).take_while(|(a, b)| same(a, b)).count();
    let Some(column) = expected.get(common).or(found.get(common)) else { return Ok(()) };
    Err(DatasetError::SchemaMismatch {
        path: path.to_owned(),
        first: path.to_owned(),
        column: column.name().clone(),
        message: "differs now: the file changed after it was opened".to_owned(),
    })
}

/// Refuses an empty file (but for JSON lines, whose columns may be declared),
/// and one whose first bytes are another format's.
fn check_content(path: &Path, expected: FileFormat, options: &ReadOptions) -> Result<()> {
    let head = match expected.may_be_compressed() {
        true => Input::open(path)?.peek(path, HEAD_BYTES)?,
        false => {
            let file = File::open(path).map_err(|e| DatasetError::io(path, "open", e))?;
            let mut head = Vec::new();
            let read = file.take(HEAD_BYTES as u64).read_to_end(&mut head);
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

#[cfg(test)]
mod tests;
