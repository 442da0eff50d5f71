//! Rows into one file, which gets its name only when it is whole.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use streamjoin_datasets::{BatchWriter, FileFormat, writer};

use super::{PipeStdout, Sink, duplicates, is_stdout};
use crate::error::{Failure, Result};

/// Rows of the batch under way that are held back, so that a failed batch
/// leaves no part of itself behind; a batch that gives more is written through.
const HELD_BACK_BYTES: usize = 32 << 20;

/// Writes to a temporary name beside the target and renames when finished.
///
/// After a failed run ([`Sink::abandon`]) the batches that were whole are kept
/// as `NAME.partial.EXTENSION`, a file that any reader opens; the target's name
/// is never given to part of a result, and a file that was there before stays.
pub(super) struct FileSink {
    target: Target,
    writer: Option<Box<dyn BatchWriter>>,
    held: Vec<RecordBatch>,
    held_bytes: usize,
    whole_batches: u64,
    rows: u64,
    /// The batch under way that was too large to be held back.
    written_through: Option<u64>,
}

enum Target {
    Stdout,
    File { path: PathBuf, temporary: Temporary, force: bool },
}

/// A file that is removed when it is dropped before it got a name.
struct Temporary(Option<PathBuf>);

impl Temporary {
    fn rename(&mut self, to: &Path) -> Result<()> {
        if let Some(from) = &self.0 {
            fs::rename(from, to).map_err(|error| {
                Failure::run(format!("cannot rename {} to {}: {error}", from.display(), to.display()))
            })?;
            self.0 = None;
        }
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // Nothing more can be done about a file that will not go.
            let _ = fs::remove_file(path);
        }
    }
}

/// What can be told before the first row.
pub(super) fn check(path: &Path, format: FileFormat, force: bool, schema: &SchemaRef) -> Result<()> {
    duplicates::refuse(schema, format)?;
    writer(format, Box::new(std::io::sink()), schema)
        .map_err(|error| Failure::usage(error).at(path.display()))?;
    if is_stdout(path) {
        return Ok(());
    }
    if path.file_name().is_none() || path.is_dir() {
        return Err(Failure::usage(format!(
            "output path {} is a folder: name a file in it",
            path.display()
        )));
    }
    if !force && path.symlink_metadata().is_ok() {
        return Err(used(path));
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(Failure::run(format!(
            "output folder {} does not exist: make it first",
            folder.display()
        )));
    }
    Ok(())
}

fn used(path: &Path) -> Failure {
    Failure::usage(format!(
        "output path {} exists: choose another, or add --force to replace it",
        path.display()
    ))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// `rows.partial.parquet` for `rows.parquet`.
fn partial_name(path: &Path) -> PathBuf {
    match path.extension() {
        Some(extension) => {
            let mut name = std::ffi::OsString::from("partial.");
            name.push(extension);
            path.with_extension(name)
        }
        None => path.with_extension("partial"),
    }
}

impl FileSink {
    pub(super) fn create(
        path: &Path,
        format: FileFormat,
        force: bool,
        schema: &SchemaRef,
    ) -> Result<Self> {
        let (target, output): (Target, Box<dyn Write + Send>) = if is_stdout(path) {
            (Target::Stdout, Box::new(BufWriter::new(PipeStdout::default())))
        } else {
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let hidden = format!(".{name}.{}.tmp", std::process::id());
            let temporary = folder_of(path).join(hidden);
            let file = File::create(&temporary).map_err(|error| {
                Failure::run(format!("cannot write {}: {error}", temporary.display()))
            })?;
            let temporary = Temporary(Some(temporary));
            (
                Target::File { path: path.to_owned(), temporary, force },
                Box::new(BufWriter::with_capacity(1 << 20, file)),
            )
        };
        let writer = writer(format, output, schema)
            .map_err(|error| Failure::usage(error).at(path.display()))?;
        Ok(Self {
            target,
            writer: Some(writer),
            held: Vec::new(),
            held_bytes: 0,
            whole_batches: 0,
            rows: 0,
            written_through: None,
        })
    }

    fn name(&self) -> String {
        match &self.target {
            Target::Stdout => "standard output".to_owned(),
            Target::File { path, .. } => path.display().to_string(),
        }
    }

    fn failed(&self, error: impl std::fmt::Display) -> Failure {
        Failure::run(format!("{}: {error}", self.name()))
    }

    fn write_held(&mut self) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        self.held_bytes = 0;
        for rows in held {
            if let Some(writer) = &mut self.writer {
                writer.write(&rows).map_err(|error| self.failed(error))?;
            }
            self.rows += rows.num_rows() as u64;
        }
        Ok(())
    }

    /// Writes what the format puts last and closes the file.
    fn close(&mut self) -> Result<()> {
        match self.writer.take() {
            Some(writer) => writer.finish().map_err(|error| self.failed(error)),
            None => Ok(()),
        }
    }
}

impl Sink for FileSink {
    fn batch(&mut self, batch_id: u64, rows: &RecordBatch) -> Result<()> {
        if rows.num_rows() == 0 {
            return Ok(());
        }
        self.held_bytes += rows.get_array_memory_size();
        self.held.push(rows.clone());
        if self.held_bytes > HELD_BACK_BYTES {
            self.written_through = Some(batch_id);
            self.write_held()?;
        }
        Ok(())
    }

    fn end_batch(&mut self, _batch_id: u64) -> Result<()> {
        self.write_held()?;
        self.written_through = None;
        self.whole_batches += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.write_held()?;
        self.close()?;
        if let Target::File { path, temporary, force } = &mut self.target {
            // Someone else may have made the file while the run went on.
            if !*force && path.symlink_metadata().is_ok() {
                return Err(used(path));
            }
            temporary.rename(path)?;
        }
        Ok(())
    }

    fn abandon(mut self: Box<Self>) -> Result<Option<String>> {
        self.held.clear();
        self.close()?;
        if self.rows == 0 {
            return Ok(None);
        }
        let Self { target, whole_batches, rows, written_through, .. } = self.as_mut();
        let Target::File { path, temporary, .. } = target else { return Ok(None) };
        let partial = partial_name(path);
        temporary.rename(&partial)?;
        let also = written_through
            .map(|batch_id| format!(" and the first rows of batch {batch_id}"))
            .unwrap_or_default();
        Ok(Some(format!(
            "the {whole_batches} batches before the failure{also} ({rows} rows) are kept in {}",
            partial.display()
        )))
    }
}
