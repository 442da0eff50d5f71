//! Columns to Parquet: each in the nearest Parquet type that other readers understand.
//!
//! | column | stored as |
//! | --- | --- |
//! | `timestamp[s]` | TIMESTAMP(MILLIS) |
//! | `time32[s]` | TIME(MILLIS) |
//! | `date64` | DATE |
//! | a dictionary | texts and bytes as a dictionary of at least 32 bits, others as their values |
//! | runs | their values |
//! | fixed-size binary and lists of nothing | binary and lists |
//!
//! Unions, empty structs and intervals of months, days and nanoseconds are refused: there
//! is nothing that keeps their values.

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, FieldRef, IntervalUnit, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::columns::{convert_columns, decoded, retype, retype_schema, wide_index};
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::trial::misfit;
use crate::write::{BatchWriter, Output};

/// A row group is written once it holds this many rows or bytes.
const GROUP_ROWS: usize = 1 << 18;
const GROUP_BYTES: usize = 128 << 20;

/// A writer of columns of `schema`.
pub(super) fn writer(sink: Output, schema: &SchemaRef) -> Result<Box<dyn BatchWriter>> {
    let schema = stored(schema)?;
    let level = ZstdLevel::try_new(3).map_err(failed)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .build();
    let inner = ArrowWriter::try_new(sink, schema.clone(), Some(properties));
    Ok(Box::new(Writer { inner: inner.map_err(failed)?, schema }))
}

/// The columns as they are stored.
fn stored(schema: &Schema) -> Result<SchemaRef> {
    retype_schema(schema, &mut |field: &FieldRef, part: &DataType| {
        stored_part(part).map_err(|why| DatasetError::CannotHold {
            format: FileFormat::Parquet,
            what: format!("column `{}` of type {}: {why}", field.name(), field.data_type()),
            remedy: FileFormat::Parquet.instead().to_owned(),
        })
    })
}

/// What is stored for a type; `None` = the same, but for its children.
fn stored_part(part: &DataType) -> Result<Option<DataType>, &'static str> {
    use TimeUnit::{Millisecond, Second};
    Ok(Some(match part {
        DataType::Timestamp(Second, zone) => DataType::Timestamp(Millisecond, zone.clone()),
        DataType::Time32(Second) => DataType::Time32(Millisecond),
        DataType::Date64 => DataType::Date32,
        DataType::Dictionary(index, values) => {
            let text = match decoded(values) {
                DataType::Utf8View => DataType::Utf8,
                DataType::BinaryView => DataType::Binary,
                other => other,
            };
            match text {
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => {
                    DataType::Dictionary(Box::new(wide_index(index)), Box::new(text))
                }
                other => retype(&other, &mut stored_part)?,
            }
        }
        DataType::RunEndEncoded(_, values) => {
            retype(&decoded(values.data_type()), &mut stored_part)?
        }
        DataType::FixedSizeBinary(0) => DataType::Binary,
        DataType::FixedSizeList(item, 0) => {
            retype(&DataType::List(item.clone()), &mut stored_part)?
        }
        // One digit becomes an INT64, for which the writer takes no 32 bits.
        DataType::Decimal32(1, scale) => DataType::Decimal64(1, *scale),
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            return Err("Parquet's intervals end at milliseconds");
        }
        DataType::Union(..) => return Err("Parquet has no unions"),
        DataType::Struct(fields) if fields.is_empty() => {
            return Err("Parquet has no structs without fields");
        }
        _ => return Ok(None),
    }))
}

pub(super) fn failed(error: ParquetError) -> DatasetError {
    DatasetError::Write { format: FileFormat::Parquet, source: error.into() }
}

struct Writer {
    inner: ArrowWriter<Output>,
    /// The columns as they are stored.
    schema: SchemaRef,
}

impl BatchWriter for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = convert_columns(batch, &self.schema).map_err(misfit(FileFormat::Parquet))?;
        self.inner.write(&batch).map_err(failed)?;
        if self.inner.in_progress_size() > GROUP_BYTES {
            self.inner.flush().map_err(failed)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.inner.finish().map_err(failed)?;
        std::io::Write::flush(self.inner.inner_mut()).map_err(|e| failed(e.into()))
    }
}
