//! What every format implements, and checks that several formats make.

use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};

use super::options::ReadOptions;
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::place::Place;
use crate::write::{BatchWriter, Output};

/// The shape of a file, before its rows are read.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) schema: SchemaRef,
    /// Rows, when the format stores their number.
    pub(crate) rows: Option<u64>,
    /// The types were guessed from the first rows, so they may be widened.
    pub(crate) inferred: bool,
}

/// What is read of a file.
#[derive(Clone, Copy)]
pub(crate) struct ReadRequest<'a> {
    pub(crate) path: &'a Path,
    /// The file's columns.
    pub(crate) schema: &'a SchemaRef,
    /// The columns to read: never empty, ascending, unique.
    pub(crate) projection: &'a [usize],
    /// As much of each as is used, where the format can leave fields of structs out;
    /// empty for all of all.
    pub(crate) narrow: &'a [DataType],
    pub(crate) options: &'a ReadOptions,
}

/// The batches of one file, of whatever size the file has.
pub(crate) trait FileBatches: Send {
    /// The next batch; not called again after an error.
    fn next_batch(&mut self) -> Result<Option<RecordBatch>>;

    /// What `next_batch` reads now, for errors.
    fn place(&self) -> Place;

    /// When each row of the last batch arrived, in microseconds since 1970; empty
    /// unless the input is live.
    fn arrivals(&mut self) -> Vec<i64> {
        Vec::new()
    }
}

/// One format's reader and writer. Readers may panic: callers go through
/// [`super::dispatch`], which does not.
pub(crate) trait Format: Sync {
    /// Checks the file as far as it can be without reading all, and returns its columns.
    fn shape(&self, path: &Path, options: &ReadOptions) -> Result<Shape>;

    /// Reads some columns of a file.
    fn read(&self, request: ReadRequest<'_>) -> Result<Box<dyn FileBatches>>;

    /// A writer, or what of `schema` the format cannot hold. `name` may imply a
    /// dialect, as `.tsv` does; it is empty where the file has no name.
    fn write(&self, sink: Output, schema: &SchemaRef, name: &Path) -> Result<Box<dyn BatchWriter>>;
}

/// Refuses a file that was replaced by one of other columns since it was opened.
pub(super) fn unchanged(path: &Path, expected: &Schema, found: &Schema) -> Result<()> {
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

/// Refuses two columns of one name: a reader would lose one.
pub(super) fn refuse_duplicate_names(format: FileFormat, schema: &SchemaRef) -> Result<()> {
    let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            return Err(DatasetError::CannotHold {
                format,
                what: format!("two columns named `{name}`"),
                remedy: "rename one with `select`, or write arrow".to_owned(),
            });
        }
    }
    Ok(())
}
