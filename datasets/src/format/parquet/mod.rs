//! Parquet: row groups streamed one after another, only the projected columns
//! read.

mod columns;
mod leaves;
mod write;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::errors::ParquetError;

use self::columns::Columns;
use self::leaves::leaves_of;
use super::arrow_message::placed;
use super::options::ReadOptions;
use super::reader::{FileBatches, Format, ReadRequest, Shape, refuse_duplicate_names, unchanged};
use crate::columns::convert_columns;
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::place::Place;
use crate::write::{BatchWriter, Output};

/// The Parquet format.
pub(crate) struct Parquet;

impl Format for Parquet {
    fn shape(&self, path: &Path, _options: &ReadOptions) -> Result<Shape> {
        let (file, Columns { metadata, schema }) = Columns::open(path)?;
        let rows = metadata.metadata().file_metadata().num_rows();
        let rows = u64::try_from(rows).map_err(|_| {
            DatasetError::corrupt(path, FileFormat::Parquet, Place::Footer, "negative row count")
        })?;
        readable(path, &metadata)?;
        // A type that the reader does not know shows before the first row.
        reader(file, &metadata, ProjectionMask::all(), Vec::new(), 1)
            .map_err(|e| placed(path, FileFormat::Parquet, Place::Footer)(e.to_string()))?;
        Ok(Shape { schema, rows: Some(rows), inferred: false })
    }

    fn read(&self, request: ReadRequest<'_>) -> Result<Box<dyn FileBatches>> {
        let ReadRequest { path, schema, projection, narrow, options } = request;
        let (file, columns) = Columns::open(path)?;
        unchanged(path, schema, &columns.schema)?;
        let Columns { metadata, schema } = columns;
        let leaves = leaves_of(metadata.parquet_schema(), &schema, projection, narrow);
        let narrow = if leaves.is_some() { narrow } else { &[] };
        let mask = if let Some(leaves) = leaves {
            leaves
        } else if projection.len() < schema.fields().len() {
            ProjectionMask::roots(metadata.parquet_schema(), projection.iter().copied())
        } else {
            ProjectionMask::all()
        };
        let projected = schema.project(projection);
        let schema = projected.map_err(|source| DatasetError::arrow(path.display(), source))?;
        let fields = schema.fields().iter().enumerate().map(|(at, field)| {
            let data_type = narrow.get(at).unwrap_or(field.data_type());
            field.as_ref().clone().with_data_type(data_type.clone())
        });
        let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata.clone());
        Ok(Box::new(Batches {
            path: path.to_owned(),
            file,
            metadata,
            schema: Arc::new(schema),
            mask,
            batch_rows: options.batch_rows.max(1),
            group: 0,
            reader: None,
            rows: 0,
        }))
    }

    fn write(&self, sink: Output, schema: &SchemaRef, _: &Path) -> Result<Box<dyn BatchWriter>> {
        refuse_duplicate_names(FileFormat::Parquet, schema)?;
        write::writer(sink, schema)
    }
}

fn reader(
    file: File,
    metadata: &ArrowReaderMetadata,
    mask: ProjectionMask,
    groups: Vec<usize>,
    batch_rows: usize,
) -> Result<ParquetRecordBatchReader, ParquetError> {
    ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
        .with_row_groups(groups)
        .with_projection(mask)
        .with_batch_size(batch_rows)
        .build()
}

/// Refuses an unknown compression now, not when its row group is read.
fn readable(path: &Path, metadata: &ArrowReaderMetadata) -> Result<()> {
    for (number, group) in metadata.metadata().row_groups().iter().enumerate() {
        let unknown = group.columns().iter().find(|column| {
            matches!(column.compression(), Compression::BROTLI(_) | Compression::LZO)
        });
        if let Some(column) = unknown {
            let message = format!(
                "column `{}` is compressed with {}; zstd, snappy, gzip and lz4 are read",
                column.column_path().string(),
                column.compression().to_string().split('(').next().unwrap_or_default()
            );
            let place = Place::RowGroup(number);
            return Err(DatasetError::corrupt(path, FileFormat::Parquet, place, message));
        }
    }
    Ok(())
}

struct Batches {
    path: PathBuf,
    file: File,
    metadata: ArrowReaderMetadata,
    /// The columns that are read, as they come out.
    schema: SchemaRef,
    mask: ProjectionMask,
    batch_rows: usize,
    /// The row group after the one being read.
    group: usize,
    reader: Option<ParquetRecordBatchReader>,
    /// Rows of the current row group that are still to be read.
    rows: i64,
}

impl FileBatches for Batches {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(reader) = &mut self.reader {
                let damaged =
                    placed(&self.path, FileFormat::Parquet, Place::RowGroup(self.group - 1));
                match reader.next().transpose().map_err(|e| damaged(e.to_string()))? {
                    Some(batch) => {
                        self.rows -= batch.num_rows() as i64;
                        let batch = convert_columns(&batch, &self.schema);
                        let unfit =
                            |(column, message)| damaged(format!("column `{column}`: {message}"));
                        return batch.map(Some).map_err(unfit);
                    }
                    None if self.rows != 0 => {
                        return Err(damaged(format!("{} rows are missing", self.rows)));
                    }
                    None => self.reader = None,
                }
            }
            let Some(group) = self.metadata.metadata().row_groups().get(self.group) else {
                return Ok(None);
            };
            self.rows = group.num_rows();
            let damaged = placed(&self.path, FileFormat::Parquet, Place::RowGroup(self.group));
            let file =
                self.file.try_clone().map_err(|e| DatasetError::io(&self.path, "read", e))?;
            let reader =
                reader(file, &self.metadata, self.mask.clone(), vec![self.group], self.batch_rows);
            self.reader = Some(reader.map_err(|e| damaged(e.to_string()))?);
            self.group += 1;
        }
    }

    fn place(&self) -> Place {
        Place::RowGroup(self.group.saturating_sub(usize::from(self.reader.is_some())))
    }
}
