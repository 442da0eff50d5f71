//! Opening a source: its files, their format and their schema.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};

use super::columns::{Conflicts, Layout};
use super::listing::{self, Listing};
use super::partition::Partitions;
use super::schema::{self, Agreed};
use super::stamp::Stamp;
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::{ReadOptions, format_of};
use crate::place::Place;
use crate::sidecar::Sidecar;

/// One recording or one table.
///
/// A path may be a file, a folder (with partition folders such as
/// `dt=2024-01-01`, whose values become columns after the files' own) or a glob.
/// Files are in order of their path, byte by byte; partition values that are
/// numbers are ordered as numbers, so `hour=2` comes before `hour=10`. Hidden
/// files, sidecars and names that start with `_` are skipped.
///
/// CSV and JSON lines take their types from [`ReadOptions::schema`], else from
/// the recording's sidecar if it has one, else from the first 1,000 rows of
/// each file.
///
/// Columns of several files are joined up by name, in any case; a column is of the
/// narrowest type that holds its values in all files, and null in a file that lacks it. One
/// for which there is no such type can be declared; it is refused where it is read, and
/// where it is not read it makes no difference.
#[derive(Debug, Clone)]
pub struct Source {
    pub(super) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) origin: PathBuf,
    pub(super) files: Vec<PathBuf>,
    /// What each file looked like before anything of it was read.
    pub(super) stamps: Vec<Stamp>,
    pub(super) format: FileFormat,
    /// Columns of the files, without the partition columns.
    pub(super) file_schema: SchemaRef,
    /// For each file, where it has these columns.
    pub(super) layouts: Vec<Arc<Layout>>,
    /// Columns that differ between files so that they cannot be read.
    conflicts: Conflicts,
    pub(super) schema: SchemaRef,
    pub(super) rows: Option<u64>,
    pub(super) partitions: Partitions,
    pub(super) options: ReadOptions,
}

impl Source {
    /// Finds the files, checks that each is readable, and joins up their columns.
    ///
    /// # Errors
    /// Nothing there, an empty file or folder, what is no file, a table of a lake
    /// format, an unknown or mixed format, a damaged file, a declared column that is not
    /// there, partition folders that do not fit together.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Source> {
        let Listing { files, base } = listing::list(path)?;
        let stamps = files.iter().map(|file| Stamp::take(file)).collect::<Result<_>>()?;
        let format = one_format(&files, options)?;
        let mut options = options.clone();
        if options.schema.is_none() && !format.stores_types() {
            options.schema = Sidecar::of(path)?.map(|known| known.arrow_schema()).transpose()?;
        }
        let partitions = Partitions::find(&base, &files, options.schema.as_deref())?;
        options.schema = options.schema.as_ref().map(|declared| partitions.without(declared));
        let Agreed { schema: file_schema, layouts, conflicts, rows } =
            schema::agree(format, &files, &options, path)?;
        if file_schema.fields().is_empty() {
            let message = "the file has no columns";
            return Err(DatasetError::corrupt(&files[0], format, Place::Header, message));
        }
        for name in partitions.names() {
            if file_schema.column_with_name(name).is_some() {
                let message = format!(
                    "`{name}` is both a partition folder and a column of the files; rename one"
                );
                return Err(DatasetError::Partition { path: files[0].clone(), message });
            }
        }
        let mut fields = file_schema.fields().to_vec();
        fields.extend(partitions.fields());
        let schema = Arc::new(Schema::new_with_metadata(fields, file_schema.metadata().clone()));
        let origin = path.to_owned();
        let inner = Inner {
            origin,
            files,
            stamps,
            format,
            file_schema,
            layouts,
            conflicts,
            schema,
            rows,
            partitions,
            options,
        };
        Ok(Source { inner: Arc::new(inner) })
    }

    /// The path that was opened.
    #[must_use]
    pub fn origin(&self) -> &Path {
        &self.inner.origin
    }

    /// The columns, partition columns last.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.inner.schema
    }

    /// The files, in reading order.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        &self.inner.files
    }

    /// The files' format.
    #[must_use]
    pub fn format(&self) -> FileFormat {
        self.inner.format
    }

    /// Rows of all files, when the format stores their number (Parquet and Arrow
    /// files).
    #[must_use]
    pub fn rows(&self) -> Option<u64> {
        self.inner.rows
    }

    /// Checks that columns, by their positions in the schema, can be read of all files.
    ///
    /// # Errors
    /// The first that differs between files so that no type holds its values.
    pub fn check_columns(&self, columns: &[usize]) -> Result<()> {
        columns.iter().try_for_each(|&column| self.inner.conflicts.check(column))
    }

    /// Position of a column; names are compared exactly.
    ///
    /// # Errors
    /// No such column; the nearest name is suggested.
    pub fn column(&self, name: &str) -> Result<usize> {
        let names = || self.inner.schema.fields().iter().map(|f| f.name().as_str());
        names()
            .position(|known| known == name)
            .ok_or_else(|| DatasetError::unknown_column(self.inner.origin.display(), name, names()))
    }
}

fn one_format(files: &[PathBuf], options: &ReadOptions) -> Result<FileFormat> {
    if let Some(format) = options.format {
        return Ok(format);
    }
    let mut first: Option<(&PathBuf, FileFormat)> = None;
    for path in files {
        let format = format_of(path)?;
        match first {
            None => first = Some((path, format)),
            Some((_, expected)) if expected == format => {}
            Some((first, expected)) => {
                return Err(DatasetError::MixedFormats {
                    path: path.clone(),
                    found: format,
                    first: first.clone(),
                    expected,
                });
            }
        }
    }
    first.map(|(_, format)| format).ok_or_else(|| DatasetError::EmptyFolder {
        path: files.first().cloned().unwrap_or_default(),
    })
}
