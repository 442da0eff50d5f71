//! Batches of a format whose rows are text.

use std::path::{Path, PathBuf};

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{Field, SchemaRef};

use crate::error::{DatasetError, Result};
use crate::format::options::ReadOptions;
use crate::format::reader::FileBatches;
use crate::place::Place;

/// A batch ends at this many bytes of text, however few its rows.
const BATCH_BYTES: usize = 32 << 20;

/// A row of a batch whose value does not fit its column, and the error.
pub(in crate::format) type Misfit = (usize, DatasetError);

/// Reads the rows of one text format.
pub(in crate::format) trait TextRows: Send {
    /// Reads the next row; its line, or `None` at the end.
    fn append(&mut self) -> Result<Option<u64>>;

    /// When the row that was read last arrived, if the input is live.
    fn arrived(&self) -> Option<i64>;

    /// Bytes of the rows since `decode`.
    fn bytes(&self) -> usize;

    /// The rows that stand on `lines` as columns, and the error of the row after
    /// them where not all could be decoded.
    fn decode(&mut self, lines: &[u64]) -> Result<(Vec<ArrayRef>, Option<DatasetError>)>;

    /// A decoded column in the type of `field`.
    fn convert(&self, column: &ArrayRef, field: &Field, lines: &[u64]) -> Result<ArrayRef, Misfit>;

    /// The line that is being read.
    fn line(&self) -> u64;
}

/// Cuts rows into batches. What precedes a row with an error is emitted first.
pub(in crate::format) struct TextBatches<R> {
    path: PathBuf,
    rows: R,
    schema: SchemaRef,
    batch_rows: usize,
    /// Of the rows of the last batch, if the input is live.
    arrivals: Vec<i64>,
    /// The error of the row after the last batch.
    broken: Option<DatasetError>,
}

impl<R: TextRows> TextBatches<R> {
    pub(in crate::format) fn new(
        path: &Path,
        rows: R,
        schema: SchemaRef,
        options: &ReadOptions,
    ) -> TextBatches<R> {
        TextBatches {
            path: path.to_owned(),
            rows,
            schema,
            batch_rows: options.batch_rows.max(1),
            arrivals: Vec::new(),
            broken: None,
        }
    }

    /// Decoded columns in their own types, or the first row that does not fit.
    fn convert(&self, decoded: &[ArrayRef], lines: &[u64]) -> Result<Vec<ArrayRef>, Misfit> {
        let mut columns = Vec::with_capacity(decoded.len());
        let mut first: Option<Misfit> = None;
        for (column, field) in decoded.iter().zip(self.schema.fields()) {
            match self.rows.convert(column, field, lines) {
                Ok(column) => columns.push(column),
                Err(misfit) if first.as_ref().is_none_or(|first| misfit.0 < first.0) => {
                    first = Some(misfit);
                }
                Err(_) => {}
            }
        }
        first.map_or(Ok(columns), Err)
    }
}

impl<R: TextRows> FileBatches for TextBatches<R> {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        let mut lines = Vec::new();
        self.arrivals.clear();
        while lines.len() < self.batch_rows && self.rows.bytes() < BATCH_BYTES {
            match self.rows.append() {
                Ok(Some(line)) => {
                    lines.push(line);
                    self.arrivals.extend(self.rows.arrived());
                }
                Ok(None) => break,
                Err(error) => {
                    self.broken = Some(error);
                    break;
                }
            }
        }
        let (mut decoded, error) = self.rows.decode(&lines)?;
        self.broken = error.or(self.broken.take());
        let columns = match self.convert(&decoded, &lines) {
            Ok(columns) => columns,
            Err((row, error)) => {
                self.broken = Some(error);
                decoded.iter_mut().for_each(|column| *column = column.slice(0, row));
                self.convert(&decoded, &lines).map_err(|(_, error)| error)?
            }
        };
        let rows = columns.first().map_or(0, Array::len);
        self.arrivals.truncate(rows);
        if rows == 0 {
            return self.broken.take().map_or(Ok(None), Err);
        }
        RecordBatch::try_new(self.schema.clone(), columns)
            .map(Some)
            .map_err(|source| DatasetError::arrow(self.path.display(), source))
    }

    fn place(&self) -> Place {
        Place::Line(self.rows.line())
    }

    fn arrivals(&mut self) -> Vec<i64> {
        std::mem::take(&mut self.arrivals)
    }
}
