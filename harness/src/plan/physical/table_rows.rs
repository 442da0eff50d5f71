//! The rows of a table as its join takes them.

use std::ops::Range;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use streamjoin_datasets::SourceBatch;

use super::prepare::Prepare;
use crate::error::{Failure, Result};
use crate::failing_row::first_failing_row;
use crate::plan::feed::Feed;
use crate::plan::projector::Projector;

/// Makes a join's table side from the rows of a relation.
#[derive(Clone, Debug)]
pub struct TableColumns {
    /// The relation's rows.
    pub rows: Prepare,
    /// The same with computed keys.
    pub keys: Projector,
}

impl TableColumns {
    /// A join's table side of rows as they are read.
    fn apply(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = self.rows.apply(batch.clone()).map_err(Failure::run)?;
        self.keys.apply(&rows).map_err(Failure::run)
    }
}

/// Reads a table's rows as a join takes them.
///
/// # Errors
/// A run failure that names the file.
pub fn read_table(
    feed: &Feed,
    expected: &SchemaRef,
    columns: &TableColumns,
) -> Result<Vec<RecordBatch>> {
    let mut table = Vec::new();
    for batch in feed.read_parts(&wanted(feed, expected, columns)?, &columns.rows.parts)? {
        let batch = batch.map_err(Failure::run)?;
        let rows = columns.apply(&batch.batch).map_err(|failure| {
            let rows = batch.batch.num_rows();
            let broken = first_failing_row(rows, |range| {
                columns.apply(&batch.batch.slice(range.start, range.len())).map(|_| ())
            });
            match broken {
                Some((row, failure)) => at_row(feed, &batch, row, failure),
                None => failure.at(feed.file_name(batch.file)),
            }
        })?;
        table.push(rows);
    }
    Ok(table)
}

/// A table's rows as a join takes them, batch after batch.
///
/// # Errors
/// A run failure that names the file; so has each batch.
pub fn scan_table<'t>(
    feed: &Feed,
    expected: &SchemaRef,
    columns: &'t TableColumns,
) -> Result<impl Iterator<Item = Result<RecordBatch>> + 't> {
    let batches = feed.read_parts(&wanted(feed, expected, columns)?, &columns.rows.parts)?;
    Ok(batches.map(|batch| columns.apply(&batch.map_err(Failure::run)?.batch)))
}

/// Which row of a table that could be read made `build` fail; `None` where no
/// row alone does.
pub fn blame_table(
    feed: &Feed,
    expected: &SchemaRef,
    columns: &TableColumns,
    build: impl Fn(&[RecordBatch]) -> Result<()>,
) -> Option<Failure> {
    let wanted = wanted(feed, expected, columns).ok()?;
    let batches = feed.read_parts(&wanted, &columns.rows.parts).ok()?;
    batches.map_while(Result::ok).find_map(|batch| {
        let attempt = |range: Range<usize>| {
            let rows = columns.apply(&batch.batch.slice(range.start, range.len()))?;
            build(&[rows])
        };
        let rows = batch.batch.num_rows();
        attempt(0..rows).err()?;
        let (row, failure) = first_failing_row(rows, attempt)?;
        Some(at_row(feed, &batch, row, failure))
    })
}

fn at_row(feed: &Feed, batch: &SourceBatch, row: usize, failure: Failure) -> Failure {
    let row = batch.first_row + row as u64;
    failure.at(format!("{}, row {row} (from 0)", feed.file_name(batch.file)))
}

/// Positions in `feed` of the columns that a join takes.
pub(super) fn wanted(
    feed: &Feed,
    expected: &SchemaRef,
    columns: &TableColumns,
) -> Result<Vec<usize>> {
    let schema = feed.schema();
    // Another version may hold its columns in another order.
    let mut wanted: Vec<usize> = Vec::with_capacity(columns.rows.read.len());
    for column in columns.rows.read.positions() {
        let position = if schema.fields().get(column).map(|field| field.name())
            == Some(expected.field(column).name())
        {
            column
        } else {
            schema.index_of(expected.field(column).name()).map_err(Failure::run)?
        };
        wanted.push(position);
    }
    Ok(wanted)
}
