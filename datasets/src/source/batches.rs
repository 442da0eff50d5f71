//! Reading the files of a source one after another.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::columns::Layout;
use super::conform::conform;
use super::open::Source;
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::{FileBatches, ReadRequest};
use crate::nearest::shorten;
use crate::nested::Unfit;
use crate::place::Place;
use crate::type_text::type_text;

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
    /// The columns that are wanted, as positions in the source's.
    wanted: Vec<usize>,
    /// As much of each as is used; empty for all of all.
    narrow: Vec<DataType>,
    /// The layout of the file that is read, and what is read of it.
    layout: Arc<Layout>,
    /// Columns to read from the file: ascending, unique, never empty.
    file_columns: Vec<usize>,
    /// As much of each as is to be read; empty for all of all.
    file_types: Vec<DataType>,
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
    /// The file lacks it.
    Missing,
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
    /// A position outside the schema, a column that differs between files, or a first file
    /// that is gone or damaged.
    pub fn read(&self, projection: Option<&[usize]>) -> Result<Batches> {
        Batches::open(self.clone(), projection, &[])
    }

    /// As [`read`](Source::read), for a reader who uses of each column only what
    /// `types` has: its type without some fields of structs. Where the format allows it
    /// those are not read, and the column has that type; elsewhere it is whole.
    ///
    /// # Errors
    /// As [`read`](Source::read).
    pub fn read_narrow(&self, projection: &[usize], types: &[DataType]) -> Result<Batches> {
        Batches::open(self.clone(), Some(projection), types)
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
    fn open(source: Source, projection: Option<&[usize]>, narrow: &[DataType]) -> Result<Batches> {
        let all: Vec<usize> = (0..source.schema().fields().len()).collect();
        let wanted = projection.unwrap_or(&all).to_vec();
        let schema = source.schema().project(&wanted).map_err(|error| {
            DatasetError::arrow(format!("{}: select columns", source.origin().display()), error)
        })?;
        source.check_columns(&wanted)?;
        let mut batches = Batches {
            layout: source.inner.layouts[0].clone(),
            source,
            schema: Arc::new(schema),
            wanted,
            narrow: narrow.to_vec(),
            file_columns: Vec::new(),
            file_types: Vec::new(),
            picks: Vec::new(),
            file: 0,
            reader: None,
            next_row: 0,
            whole: None,
            failed: false,
        };
        batches.pick();
        batches.open_file()?;
        Ok(batches)
    }

    /// Chooses what to read of files with the current layout.
    fn pick(&mut self) {
        let own = self.source.inner.file_schema.fields().len();
        let places = &self.layout.places;
        let place = |column: usize| places.get(column).copied().flatten();
        let mut file_columns: Vec<usize> = self.wanted.iter().filter_map(|c| place(*c)).collect();
        file_columns.sort_unstable();
        file_columns.dedup();
        if file_columns.is_empty() {
            // Rows are still to be counted, and checked against a real column.
            file_columns.push(0);
        }
        let pick = |column: usize| match place(column) {
            _ if column >= own => Pick::Partition(column - own),
            Some(place) => Pick::File(file_columns.binary_search(&place).unwrap_or(0)),
            None => Pick::Missing,
        };
        self.picks = self.wanted.iter().map(|&column| pick(column)).collect();
        self.file_types = self.file_types(&file_columns);
        self.file_columns = file_columns;
    }

    /// As much of each column of the file as is used. A column whose type differs
    /// between files is read whole, to be made into the common one.
    fn file_types(&self, file_columns: &[usize]) -> Vec<DataType> {
        let types = file_columns.iter().map(|&column| {
            let whole = self.layout.schema.field(column).data_type();
            let wanted = self.wanted.iter().zip(&self.narrow);
            let mut uses = wanted.filter(|(wanted, _)| {
                self.layout.places.get(**wanted).copied().flatten() == Some(column)
            });
            match (uses.next(), uses.next()) {
                (Some((&wanted, narrow)), None)
                    if self.source.schema().field(wanted).data_type() == whole =>
                {
                    narrow.clone()
                }
                _ => whole.clone(),
            }
        });
        if self.narrow.is_empty() { Vec::new() } else { types.collect() }
    }

    /// The columns of the batches.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn open_file(&mut self) -> Result<()> {
        let source = self.source.clone();
        let inner = &source.inner;
        // A file without columns has no rows.
        let is_empty = |layout: &&Arc<Layout>| layout.schema.fields().is_empty();
        self.file += inner.layouts[self.file..].iter().take_while(is_empty).count();
        if let Some(path) = inner.files.get(self.file) {
            let layout = &inner.layouts[self.file];
            if !Arc::ptr_eq(layout, &self.layout) {
                self.layout = layout.clone();
                self.pick();
            }
            inner.stamps[self.file].check_before(path)?;
            self.reader = Some(inner.format.read(ReadRequest {
                path,
                schema: &self.layout.schema,
                projection: &self.file_columns,
                narrow: &self.file_types,
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
            let read = read.or_else(|error| stamp.check_after(path).and(Err(error)));
            match read.map_err(|error| self.blame(path, error))? {
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

    /// Names the column that a damaged file cannot be read for, if it is one column's fault.
    fn blame(&self, path: &Path, error: DatasetError) -> DatasetError {
        let DatasetError::Corrupt { path: damaged, format, place, message } = error else {
            return error;
        };
        let message = match message.starts_with("column `") {
            true => message,
            false => match self.culprit(path, place) {
                Some(column) => format!("column `{column}`: {message}"),
                None => message,
            },
        };
        DatasetError::Corrupt { path: damaged, format, place, message }
    }

    /// The first column that fails by itself at `place`; none where all of them do.
    fn culprit(&self, path: &Path, place: Place) -> Option<&str> {
        let inner = &self.source.inner;
        // Elsewhere each column would cost another pass over all bytes.
        if !matches!(inner.format, FileFormat::Parquet | FileFormat::ArrowFile) {
            return None;
        }
        let fails = |column: &usize| {
            let projection = std::slice::from_ref(column);
            let schema = &self.layout.schema;
            let request =
                ReadRequest { path, schema, projection, narrow: &[], options: &inner.options };
            let Ok(mut reader) = inner.format.read(request) else { return true };
            loop {
                let at = reader.place();
                match inner.format.guard(path, at, || reader.next_batch()) {
                    Ok(Some(_)) => {}
                    Ok(None) => return false,
                    Err(_) => return at == place,
                }
            }
        };
        let column = self.file_columns.iter().find(|column| fails(column))?;
        let all = self.file_columns.len() > 1 && self.file_columns.iter().all(fails);
        (!all).then(|| self.layout.schema.field(*column).name().as_str())
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
                    if self.file_types.get(position) == Some(column.data_type()) {
                        columns.push(column.clone());
                        continue;
                    }
                    let expected = self.layout.schema.field(self.file_columns[position]);
                    if column.data_type() != expected.data_type() {
                        return Err(self.changed(path, field.name(), column.data_type()));
                    }
                    self.conform(path, column, field)?
                }
                Pick::Missing => new_null_array(field.data_type(), rows),
                Pick::Partition(partition) => {
                    self.source.inner.partitions.column(partition, self.file, rows)?
                }
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let types = columns.iter().map(|column| column.data_type());
        let schema = match types.eq(self.schema.fields().iter().map(|field| field.data_type())) {
            true => self.schema.clone(),
            false => {
                let fields = self.schema.fields().iter().zip(&columns).map(|(field, column)| {
                    field.as_ref().clone().with_data_type(column.data_type().clone())
                });
                Arc::new(Schema::new(fields.collect::<Vec<_>>()))
            }
        };
        RecordBatch::try_new_with_options(schema, columns, &options)
            .map_err(|source| DatasetError::arrow(path.display(), source))
    }

    /// A column of the file in the type that it has in all files.
    fn conform(&self, path: &Path, column: &ArrayRef, field: &Field) -> Result<ArrayRef> {
        let conformed = conform(column, field.data_type()).map_err(|source| {
            DatasetError::arrow(format!("{}: column `{}`", path.display(), field.name()), source)
        })?;
        conformed.map_err(|Unfit { row, value, data_type }| DatasetError::SchemaMismatch {
            path: path.to_owned(),
            first: self.source.origin().to_owned(),
            column: field.name().clone(),
            message: format!(
                "holds {} in row {} (from 0), which is not a {}; declare another type, such as string",
                shorten(&value),
                self.next_row + row as u64,
                type_text(&data_type)
            ),
        })
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
