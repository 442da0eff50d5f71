//! Reading the files of a source one after another.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, SchemaRef};

use super::open::Source;
use crate::error::{DatasetError, Result};
use crate::format::{FileBatches, ReadRequest};

/// Rows of a source, with where they come from.
#[derive(Debug, Clone)]
pub struct SourceBatch {
    /// The rows.
    pub batch: RecordBatch,
    /// The file, as an index into [`Source::files`].
    pub file: usize,
    /// Number of the first row in that file, from 0.
    pub first_row: u64,
}

/// Iterator over the rows of a source. It ends after the first error. Batches
/// have at most [`ReadOptions::batch_rows`](crate::ReadOptions::batch_rows) rows and never cross files; batches
/// without rows are skipped.
pub struct Batches {
    source: Source,
    schema: SchemaRef,
    /// Columns to read from each file: ascending, unique, never empty.
    file_columns: Vec<usize>,
    /// Where each output column comes from.
    picks: Vec<Pick>,
    /// The file being read and its reader.
    file: usize,
    reader: Option<Box<dyn FileBatches>>,
    next_row: u64,
    /// A batch that is emitted in parts, and how many of its rows have been.
    whole: Option<(RecordBatch, usize)>,
    failed: bool,
}

#[derive(Debug, Clone, Copy)]
enum Pick {
    /// Position among the columns read from the file.
    File(usize),
    Partition(usize),
}

impl std::fmt::Debug for Batches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batches")
            .field("source", &self.source.origin())
            .field("file", &self.file)
            .field("next_row", &self.next_row)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// Reads all rows, file after file. `projection` = positions in
    /// [`schema`](Source::schema), in any order; columns that are not in it are
    /// not decoded.
    ///
    /// # Errors
    /// A position outside the schema, or a first file that is gone or damaged.
    pub fn read(&self, projection: Option<&[usize]>) -> Result<Batches> {
        Batches::open(self.clone(), projection)
    }
}

/// All rows of a table.
///
/// # Errors
/// As [`Source::read`], and any that reading meets.
pub fn read_table(source: &Source, projection: Option<&[usize]>) -> Result<Vec<RecordBatch>> {
    source.read(projection)?.map(|batch| batch.map(|b| b.batch)).collect()
}

impl Batches {
    fn open(source: Source, projection: Option<&[usize]>) -> Result<Batches> {
        let own = source.inner.file_schema.fields().len();
        let all: Vec<usize> = (0..source.schema().fields().len()).collect();
        let wanted = projection.unwrap_or(&all);
        let schema = source.schema().project(wanted).map_err(|error| {
            DatasetError::arrow(format!("{}: select columns", source.origin().display()), error)
        })?;
        let mut file_columns: Vec<usize> = wanted.iter().copied().filter(|c| *c < own).collect();
        file_columns.sort_unstable();
        file_columns.dedup();
        if file_columns.is_empty() {
            // Rows are still to be counted, and checked against a real column.
            file_columns.push(0);
        }
        let pick = |column: usize| match file_columns.binary_search(&column) {
            Ok(position) if column < own => Pick::File(position),
            _ => Pick::Partition(column - own),
        };
        let picks = wanted.iter().map(|&column| pick(column)).collect();
        let mut batches = Batches {
            source,
            schema: Arc::new(schema),
            file_columns,
            picks,
            file: 0,
            reader: None,
            next_row: 0,
            whole: None,
            failed: false,
        };
        batches.open_file()?;
        Ok(batches)
    }

    /// The columns of the batches.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn open_file(&mut self) -> Result<()> {
        let inner = &self.source.inner;
        if let Some(path) = inner.files.get(self.file) {
            inner.stamps[self.file].check_before(path)?;
            self.reader = Some(inner.format.read(ReadRequest {
                path,
                schema: &inner.file_schema,
                projection: &self.file_columns,
                options: &inner.options,
            })?);
            self.next_row = 0;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<SourceBatch>> {
        loop {
            if let Some(part) = self.part() {
                let rows = part.num_rows();
                let batch = self.finish(&part)?;
                let first_row = self.next_row;
                self.next_row += rows as u64;
                return Ok(Some(SourceBatch { batch, file: self.file, first_row }));
            }
            let Some(reader) = &mut self.reader else { return Ok(None) };
            let inner = &self.source.inner;
            let path = &inner.files[self.file];
            let place = reader.place();
            let stamp = inner.stamps[self.file];
            let read = inner.format.guard(path, place, || reader.next_batch());
            // A file that is being written to is not damaged, and its end may not be the end.
            match read.or_else(|error| stamp.check_after(path).and(Err(error)))? {
                Some(batch) => {
                    self.whole = Some((batch, 0));
                }
                None => {
                    stamp.check_after(path)?;
                    self.reader = None;
                    self.file += 1;
                    self.open_file()?;
                }
            }
        }
    }

    /// The next part of the current batch.
    fn part(&mut self) -> Option<RecordBatch> {
        let (whole, from) = self.whole.as_mut()?;
        let left = whole.num_rows() - *from;
        if left == 0 {
            self.whole = None;
            return None;
        }
        let rows = left.min(self.source.inner.options.batch_rows.max(1));
        if rows == whole.num_rows() {
            return self.whole.take().map(|(whole, _)| whole);
        }
        let part = whole.slice(*from, rows);
        *from += rows;
        Some(part)
    }

    /// Columns in the asked order, partition columns added.
    fn finish(&self, read: &RecordBatch) -> Result<RecordBatch> {
        let rows = read.num_rows();
        let path = &self.source.inner.files[self.file];
        let mut columns = Vec::with_capacity(self.picks.len());
        for (pick, field) in self.picks.iter().zip(self.schema.fields()) {
            columns.push(match *pick {
                Pick::File(position) => {
                    let column = read.column(position);
                    if column.data_type() != field.data_type() {
                        return Err(self.changed(path, field.name(), column.data_type()));
                    }
                    column.clone()
                }
                Pick::Partition(partition) => {
                    self.source.inner.partitions.column(partition, self.file, rows)?
                }
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .map_err(|source| DatasetError::arrow(path.display(), source))
    }

    /// The file was replaced by another since the source was opened.
    fn changed(&self, path: &Path, column: &str, found: &DataType) -> DatasetError {
        DatasetError::SchemaMismatch {
            path: path.to_owned(),
            first: self.source.origin().to_owned(),
            column: column.to_owned(),
            message: format!("is {found} now: the file changed after it was opened"),
        }
    }
}

impl Iterator for Batches {
    type Item = Result<SourceBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step().transpose()?;
        if step.is_err() {
            self.failed = true;
            self.reader = None;
            self.whole = None;
        }
        Some(step)
    }
}
