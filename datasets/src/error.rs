//! What can go wrong with a recording or a table, one variant per cause.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use arrow::error::ArrowError;

use crate::compression::Compression;
use crate::file_format::{FileFormat, UnknownFormatName};
use crate::nearest::nearest;
use crate::place::Place;

/// Result of every fallible call of this crate.
pub type Result<T, E = DatasetError> = std::result::Result<T, E>;

/// The error of every fallible call of this crate. Each message names the file
/// (and row group, batch or line where known) and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// A path without a file or folder.
    #[error("{}: no such file or folder{hint}", path.display())]
    NotFound {
        /// The path as given.
        path: PathBuf,
        /// The nearest name in that folder; may be empty.
        hint: String,
    },
    /// A link to what does not exist.
    #[error("{}: a link to {}, which {problem}; make the link anew, or name the file itself", path.display(), to.display())]
    DanglingLink {
        /// The link.
        path: PathBuf,
        /// Where it points, as it says.
        to: PathBuf,
        /// What is wrong there.
        problem: &'static str,
    },
    /// A named pipe, a socket or a device.
    #[error("{}: {what}, which can be read only once, and a recording is read several times: record it, and name the recording: streamjoin data record -o FILE.arrow < {}", path.display(), path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A table of a lake format, or a part of one.
    #[error("{}: {what}: its files also hold rows that were removed or replaced, so they are not read as they are; export its current rows and name those: {export}", path.display())]
    LakeTable {
        /// The path as given.
        path: PathBuf,
        /// Which table it is or belongs to.
        what: String,
        /// A command that exports the rows.
        export: String,
    },
    /// The operating system refused.
    #[error("{}: cannot {doing}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, such as `open`.
        doing: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// A file of zero bytes.
    #[error("{}: the file is empty (0 bytes); {remedy}", path.display())]
    EmptyFile {
        /// The file.
        path: PathBuf,
        /// What works.
        remedy: &'static str,
    },
    /// A folder without a data file.
    #[error("{}: the folder holds no data file (hidden files and names that start with `_` do not count)", path.display())]
    EmptyFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A glob that matches nothing, or is malformed.
    #[error("{pattern}: {message}")]
    Glob {
        /// The pattern as given.
        pattern: String,
        /// What is wrong.
        message: String,
    },
    /// A file name that does not imply a format.
    #[error("{}: cannot tell the format from the name; known extensions: {known}; rename the file or give its format", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Extensions that are known, comma-separated.
        known: String,
    },
    /// A format name that is not known.
    #[error(transparent)]
    UnknownFormatName(#[from] UnknownFormatName),
    /// A folder or glob with files of several formats.
    #[error("{}: is {found}, but {} is {expected}; a recording has one format: move the file away or use a glob", path.display(), first.display())]
    MixedFormats {
        /// The file that differs.
        path: PathBuf,
        /// Its format.
        found: FileFormat,
        /// The first file.
        first: PathBuf,
        /// The first file's format.
        expected: FileFormat,
    },
    /// The content is of another format than the name says.
    #[error("{}: not {expected}: {message}", path.display())]
    WrongFormat {
        /// The file.
        path: PathBuf,
        /// The format that was expected.
        expected: FileFormat,
        /// What the file looks like, and the remedy.
        message: String,
    },
    /// A compressed file that cannot be decompressed.
    #[error("{}: cannot read {compression}: {message}", path.display())]
    Compressed {
        /// The file.
        path: PathBuf,
        /// How it is compressed.
        compression: Compression,
        /// The complaint, and the remedy.
        message: String,
    },
    /// A damaged, truncated or unsupported binary file.
    #[error("{}{place}: cannot read {format}: {message}; copy or write the file again", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The format it was read as.
        format: FileFormat,
        /// Where in the file.
        place: Place,
        /// The reader's complaint.
        message: String,
    },
    /// A value of a text file that is not of the column's type. The largest variant:
    /// it sets the size of every result.
    #[error("{}, line {line}: column `{column}`: `{value}` is not a {type_name}; {remedy}", path.display())]
    MalformedValue {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The column.
        column: String,
        /// The text, shortened.
        value: Box<str>,
        /// The column's type.
        type_name: Box<str>,
        /// What to do.
        remedy: String,
    },
    /// A line of a text file that cannot be split into columns.
    #[error("{}, line {line}: {message}", path.display())]
    MalformedLine {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong and what to do.
        message: String,
    },
    /// Files of one recording with different columns.
    #[error("{}: column `{column}` {message} (schema of {})", path.display(), first.display())]
    SchemaMismatch {
        /// The file that differs.
        path: PathBuf,
        /// What it is compared with: the first file, or the declared schema.
        first: PathBuf,
        /// The column that differs.
        column: String,
        /// How it differs.
        message: String,
    },
    /// Partition folders that do not fit together.
    #[error("{}: {message}", path.display())]
    Partition {
        /// The file whose folders differ.
        path: PathBuf,
        /// How they differ.
        message: String,
    },
    /// A column that does not exist.
    #[error("{origin}: no column `{name}`{hint}; columns: {known}")]
    UnknownColumn {
        /// The recording or table.
        origin: String,
        /// The name as given.
        name: String,
        /// The nearest name; may be empty.
        hint: String,
        /// The columns that exist, comma-separated.
        known: String,
    },
    /// A type name that is not known.
    #[error(
        "unknown type `{text}`{hint}; known: boolean, tinyint, smallint, int, bigint, float, double, decimal(p,s), string, binary, date, timestamp, timestamp_ntz"
    )]
    UnknownType {
        /// The text as given.
        text: String,
        /// The nearest name; may be empty.
        hint: String,
    },
    /// Something that a format cannot hold.
    #[error("{format} cannot hold {what}; {remedy}")]
    CannotHold {
        /// The format.
        format: FileFormat,
        /// What it cannot hold.
        what: String,
        /// What works.
        remedy: String,
    },
    /// A column to sort by whose values have no order.
    #[error("column `{column}` of type {data_type} has no order; sort by another column")]
    NoOrder {
        /// The column.
        column: String,
        /// Its type.
        data_type: String,
    },
    /// Writing failed.
    #[error("cannot write {format}: {source}")]
    Write {
        /// The format.
        format: FileFormat,
        /// Why.
        source: ArrowError,
    },
    /// A column that cannot be written.
    #[error("cannot write {format}: column `{column}`: {message}")]
    WriteColumn {
        /// The format.
        format: FileFormat,
        /// The column.
        column: String,
        /// Why, and in which row of the batch if one is to blame.
        message: String,
    },
    /// Compressing failed.
    #[error("cannot write {compression}: {source}")]
    WriteCompressed {
        /// The compression.
        compression: Compression,
        /// Why.
        source: io::Error,
    },
    /// A file that could not be written.
    #[error("{}: {source}", path.display())]
    WriteFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<DatasetError>,
    },
    /// A recording that could not be kept at all.
    #[error(
        "{failure}; {rows} rows are lost: {format} had written nothing whole; csv, jsonl and arrow-stream keep more ({kept})"
    )]
    NothingKept {
        /// What ended it.
        failure: Box<DatasetError>,
        /// Rows that had arrived.
        rows: u64,
        /// Its format.
        format: FileFormat,
        /// Why nothing could be kept.
        kept: String,
    },
    /// A file that must not be overwritten.
    #[error("{}: already exists; choose another path or force overwriting", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file that changed after it was opened.
    #[error("{} {message}: read a copy that nobody writes to", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// What happened to it, and when.
        message: String,
    },
    /// A column that would be added under a name that is taken.
    #[error("{origin} has a column `{name}` already; give the new one another name with {option}")]
    Collision {
        /// Where the column is.
        origin: String,
        /// Its name.
        name: String,
        /// The option that names the new column.
        option: &'static str,
    },
    /// A generator setting that makes no sense.
    #[error("generator `{kind}`: `{field}` {message}")]
    Generator {
        /// Kind of generator.
        kind: &'static str,
        /// The setting.
        field: &'static str,
        /// What is wrong and what is right.
        message: String,
    },
    /// A sidecar file that cannot be read as one.
    #[error("{}: not a sidecar: {message}", path.display())]
    Sidecar {
        /// The sidecar.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// No folder with shipped data.
    #[error("no data folder: {message}; give --data-dir or set STREAMJOIN_DATA")]
    NoDataDir {
        /// Where it was looked for.
        message: String,
    },
    /// A file whose content is not what its sidecar says.
    #[error("{}: {message}; fetch or import it again", path.display())]
    Verify {
        /// The file.
        path: PathBuf,
        /// The difference.
        message: String,
    },
    /// An Arrow computation failed.
    #[error("{doing}: {source}")]
    Arrow {
        /// What was being done.
        doing: String,
        /// Why it failed.
        source: ArrowError,
    },
}

impl DatasetError {
    /// Names the file that a writer, which only knows its sink, was writing.
    pub(crate) fn written_to(self, path: &Path) -> Self {
        match self {
            DatasetError::Write { .. }
            | DatasetError::WriteColumn { .. }
            | DatasetError::WriteCompressed { .. } => {
                DatasetError::WriteFile { path: path.to_owned(), source: Box::new(self) }
            }
            error => error,
        }
    }

    /// `known` = the columns that exist.
    pub(crate) fn unknown_column<'a>(
        origin: impl fmt::Display,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.collect();
        DatasetError::UnknownColumn {
            origin: origin.to_string(),
            name: name.to_owned(),
            hint: nearest(name, known.iter().copied()),
            known: known.join(", "),
        }
    }

    pub(crate) fn arrow(doing: impl fmt::Display, source: ArrowError) -> Self {
        DatasetError::Arrow { doing: doing.to_string(), source }
    }

    pub(crate) fn generator(
        kind: &'static str,
        field: &'static str,
        message: impl Into<String>,
    ) -> Self {
        DatasetError::Generator { kind, field, message: message.into() }
    }

    pub(crate) fn io(path: &Path, doing: &'static str, source: io::Error) -> Self {
        DatasetError::Io { path: path.to_owned(), doing, source }
    }

    pub(crate) fn corrupt(
        path: &Path,
        format: FileFormat,
        place: Place,
        message: impl fmt::Display,
    ) -> Self {
        DatasetError::Corrupt { path: path.to_owned(), format, place, message: message.to_string() }
    }

    pub(crate) fn line(path: &Path, line: u64, message: impl Into<String>) -> Self {
        DatasetError::MalformedLine { path: path.to_owned(), line, message: message.into() }
    }

    /// True for what names, declarations and the heads of files show, and another
    /// declaration, name or kind of file puts right: all that is refused before the
    /// first row. A file that is missing or damaged is not among it.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            DatasetError::UnknownFormat { .. }
                | DatasetError::UnknownFormatName { .. }
                | DatasetError::UnknownColumn { .. }
                | DatasetError::UnknownType { .. }
                | DatasetError::CannotHold { .. }
                | DatasetError::NoOrder { .. }
                | DatasetError::Collision { .. }
                | DatasetError::Exists { .. }
                | DatasetError::Glob { .. }
                | DatasetError::Generator { .. }
                | DatasetError::LakeTable { .. }
                | DatasetError::MixedFormats { .. }
                | DatasetError::NotAFile { .. }
                | DatasetError::Partition { .. }
                | DatasetError::SchemaMismatch { .. }
        )
    }

    /// True when the reader of a pipe went away, which ends a program quietly.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        self.of_system().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// True when the system refused to write, whatever was written.
    pub(crate) fn is_of_system(&self) -> bool {
        self.of_system().is_some()
    }

    fn of_system(&self) -> Option<&io::Error> {
        match self {
            DatasetError::Io { source, .. } | DatasetError::WriteCompressed { source, .. } => {
                Some(source)
            }
            DatasetError::Write { source, .. } => {
                let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(source);
                while let Some(error) = cause {
                    if let Some(ArrowError::IoError(_, e)) = error.downcast_ref() {
                        return Some(e);
                    }
                    if let Some(e) = error.downcast_ref::<io::Error>() {
                        return Some(e);
                    }
                    cause = error.source();
                }
                None
            }
            DatasetError::WriteFile { source, .. } => source.of_system(),
            _ => None,
        }
    }
}
