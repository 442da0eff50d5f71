//! Rows into one file, which gets its name only when it is whole.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use streamjoin_datasets::{AtomicFile, BatchWriter, DatasetError, FileFormat, writer_for};

use super::{PipeStdout, Sink, duplicates, is_stdout};
use crate::error::{Failure, Result};

/// Rows of the batch under way that are held back, so that a failed batch
/// leaves no part of itself behind; a batch that gives more is written through.
const HELD_BACK_BYTES: usize = 32 << 20;

/// Writes to a temporary name next to the target and renames when finished.
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
    /// A device or pipe: written in place.
    Special(PathBuf),
    File {
        path: PathBuf,
        file: Option<AtomicFile>,
    },
}

/// What is known before the first row.
pub(super) fn check(
    path: &Path,
    format: FileFormat,
    force: bool,
    schema: &SchemaRef,
) -> Result<()> {
    duplicates::refuse(schema, format)?;
    writer_for(path, format, Box::new(std::io::sink()), schema)
        .map_err(|error| Failure::usage(error).at(path.display()))?;
    if is_stdout(path) || is_special(path) {
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
    Ok(())
}

/// Whether `path` is a device or pipe, such as `/dev/null`, which must be
/// written in place and never be replaced.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn cannot(error: DatasetError) -> Failure {
    match error {
        DatasetError::Exists { path } => used(&path),
        error => Failure::run(error),
    }
}

fn used(path: &Path) -> Failure {
    Failure::usage(format!(
        "output path {} exists: choose another, or add --force to replace it",
        path.display()
    ))
}

/// Gives the file its name. If somebody else has taken the name since the first
/// row, the rows are kept next to it.
fn commit(path: &Path, mut file: AtomicFile) -> Result<()> {
    match file.try_commit() {
        Err(DatasetError::Exists { .. }) => {
            let partial = file.keep_partial().map_err(Failure::run)?;
            Err(Failure::run(format!(
                "output path {} was taken by somebody else during the run: the rows are kept in {}",
                path.display(),
                partial.display()
            )))
        }
        result => result.map_err(Failure::run),
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
            (Target::Stdout, Box::new(PipeStdout::default()))
        } else if is_special(path) {
            let file = OpenOptions::new().write(true).open(path).map_err(|error| {
                Failure::run(format!("cannot write {}: {error}", path.display()))
            })?;
            (Target::Special(path.to_owned()), Box::new(file))
        } else {
            let file = AtomicFile::create(path, force).map_err(cannot)?;
            let handle = file.handle().map_err(cannot)?;
            (Target::File { path: path.to_owned(), file: Some(file) }, Box::new(handle))
        };
        let writer = writer_for(path, format, output, schema)
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
            Target::Special(path) | Target::File { path, .. } => path.display().to_string(),
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
        match &mut self.target {
            Target::Stdout | Target::Special(_) => Ok(()),
            Target::File { path, file } => match file.take() {
                Some(file) => commit(path, file),
                None => Ok(()),
            },
        }
    }

    fn abandon(mut self: Box<Self>) -> Result<Option<String>> {
        self.held.clear();
        self.close()?;
        if self.rows == 0 {
            return Ok(None);
        }
        let Self { target, whole_batches, rows, written_through, .. } = self.as_mut();
        let Target::File { file, .. } = target else { return Ok(None) };
        let Some(file) = file.take() else { return Ok(None) };
        let partial = file.keep_partial().map_err(Failure::run)?;
        let also = written_through
            .map(|batch_id| format!(" and the first rows of batch {batch_id}"))
            .unwrap_or_default();
        Ok(Some(format!(
            "the {whole_batches} batches before the failure{also} ({rows} rows) are kept in {}",
            partial.display()
        )))
    }
}
