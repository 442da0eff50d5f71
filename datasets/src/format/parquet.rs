//! Parquet: row groups streamed one after another, only the projected columns
//! read.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::arrow_message::placed;
use super::options::ReadOptions;
use super::reader::{FileBatches, Format, ReadRequest, Shape, refuse_duplicate_names, unchanged};
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::place::Place;
use crate::write::{BatchWriter, Output};

/// A row group is written once it holds this many rows or bytes.
const GROUP_ROWS: usize = 1 << 18;
const GROUP_BYTES: usize = 128 << 20;

/// The Parquet format.
pub(crate) struct Parquet;

impl Format for Parquet {
    fn shape(&self, path: &Path, _options: &ReadOptions) -> Result<Shape> {
        let (_, metadata) = open(path)?;
        let rows = metadata.metadata().file_metadata().num_rows();
        let rows = u64::try_from(rows).map_err(|_| {
            DatasetError::corrupt(path, FileFormat::Parquet, Place::Footer, "negative row count")
        })?;
        readable(path, &metadata)?;
        Ok(Shape { schema: metadata.schema().clone(), rows: Some(rows), inferred: false })
    }

    fn read(&self, request: ReadRequest<'_>) -> Result<Box<dyn FileBatches>> {
        let ReadRequest { path, schema, projection, options } = request;
        let (file, metadata) = open(path)?;
        unchanged(path, schema, metadata.schema())?;
        let mask = if projection.len() < schema.fields().len() {
            ProjectionMask::roots(metadata.parquet_schema(), projection.iter().copied())
        } else {
            ProjectionMask::all()
        };
        Ok(Box::new(Batches {
            path: path.to_owned(),
            file,
            metadata,
            mask,
            batch_rows: options.batch_rows.max(1),
            group: 0,
            reader: None,
            rows: 0,
        }))
    }

    fn write(&self, sink: Output, schema: &SchemaRef, _: &Path) -> Result<Box<dyn BatchWriter>> {
        refuse_duplicate_names(FileFormat::Parquet, schema)?;
        let level = ZstdLevel::try_new(3).map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .build();
        let inner = ArrowWriter::try_new(sink, schema.clone(), Some(properties)).map_err(|e| {
            DatasetError::CannotHold {
                format: FileFormat::Parquet,
                what: format!("these columns: {e}"),
                remedy: "cast them, or write arrow".to_owned(),
            }
        })?;
        Ok(Box::new(Writer(inner)))
    }
}

fn failed(error: ParquetError) -> DatasetError {
    DatasetError::Write { format: FileFormat::Parquet, source: error.into() }
}

struct Writer(ArrowWriter<Output>);

impl BatchWriter for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.0.write(batch).map_err(failed)?;
        if self.0.in_progress_size() > GROUP_BYTES {
            self.0.flush().map_err(failed)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.0.finish().map_err(failed)?;
        std::io::Write::flush(self.0.inner_mut()).map_err(|e| failed(e.into()))
    }
}

fn open(path: &Path) -> Result<(File, ArrowReaderMetadata)> {
    let file = File::open(path).map_err(|e| DatasetError::io(path, "open", e))?;
    let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
        .map_err(|e| placed(path, FileFormat::Parquet, Place::Footer)(e.to_string()))?;
    Ok((file, metadata))
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
                        return Ok(Some(batch));
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
                ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
                    .with_row_groups(vec![self.group])
                    .with_projection(self.mask.clone())
                    .with_batch_size(self.batch_rows)
                    .build()
                    .map_err(|e| damaged(e.to_string()))?;
            self.reader = Some(reader);
            self.group += 1;
        }
    }

    fn place(&self) -> Place {
        Place::RowGroup(self.group.saturating_sub(usize::from(self.reader.is_some())))
    }
}
