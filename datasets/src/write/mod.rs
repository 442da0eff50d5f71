//! Writing batches in any of the formats.

mod atomic;
mod compressed;
mod dictionary;

use std::fmt::Debug;
use std::io::{BufWriter, Write};
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use crate::error::{DatasetError, Result};
use crate::format::FileFormat;
use crate::input::Compression;

pub use atomic::{AtomicFile, remove_unfinished};
pub(crate) use dictionary::DictionaryUnifier;

/// Where bytes go.
pub(crate) type Output = Box<dyn Write + Send>;

/// Writes record batches in one format.
pub trait BatchWriter: Send {
    /// Writes a batch; its columns are those the writer was made for.
    ///
    /// # Errors
    /// The sink failed, or a value cannot be written.
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Writes what ends the file and flushes the sink. A file that is not
    /// finished may be unreadable.
    ///
    /// # Errors
    /// The sink failed.
    fn finish(self: Box<Self>) -> Result<()>;
}

impl Debug for dyn BatchWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BatchWriter")
    }
}

/// A writer of `format` for batches of `schema`. Writes are buffered.
///
/// # Errors
/// The format cannot hold the columns: two of one name in anything but Arrow,
/// nested columns in CSV, types that the format does not know.
pub fn writer(
    format: FileFormat,
    sink: Box<dyn Write + Send>,
    schema: &SchemaRef,
) -> Result<Box<dyn BatchWriter>> {
    format.write(buffered(sink), schema, Path::new(""))
}

/// A writer for a file of the name `path`, whose extension may ask for
/// compression (`rows.csv.gz`, `rows.jsonl.zst`) or tabulators (`.tsv`).
///
/// # Errors
/// As [`writer`]; a format that is not compressed as a whole.
pub fn writer_for(
    path: &Path,
    format: FileFormat,
    sink: Box<dyn Write + Send>,
    schema: &SchemaRef,
) -> Result<Box<dyn BatchWriter>> {
    let Some(compression) = Compression::from_path(path) else {
        return format.write(buffered(sink), schema, path);
    };
    if !format.may_be_compressed() {
        return Err(DatasetError::CannotHold {
            format,
            what: format!("{compression} around the whole file"),
            remedy: "leave the extension away: its columns are compressed".to_owned(),
        });
    }
    compressed::writer(compression, buffered(sink), |sink| format.write(sink, schema, path))
}

fn buffered(sink: Box<dyn Write + Send>) -> Output {
    Box::new(BufWriter::with_capacity(256 << 10, sink))
}
