//! The columns of a Parquet file, where they differ from what the reader makes of them
//! by itself.
//!
//! * INT96 is read as microseconds in UTC, as Spark reads it: nanoseconds would wrap
//!   outside of 1677 to 2262.
//! * INTERVAL is read with its months: the reader would drop them.
//! * A dictionary's index has 32 bits: row groups differ in their dictionaries. One of
//!   anything but texts and bytes is read as its values.

use std::convert::Infallible;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{DataType, IntervalUnit, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::{ConvertedType, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, ParquetMetaData};
use parquet::schema::types::{SchemaDescriptor, Type};

use crate::columns::{retype_schema, wide_index};
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::arrow_message::placed;
use crate::place::Place;
use crate::type_text::timestamp_utc;

/// A file's metadata, and its columns.
pub(super) struct Columns {
    /// How the reader reads it.
    pub(super) metadata: ArrowReaderMetadata,
    /// What its columns are, once converted.
    pub(super) schema: SchemaRef,
}

impl Columns {
    pub(super) fn open(path: &Path) -> Result<(File, Columns)> {
        let file = File::open(path).map_err(|e| DatasetError::io(path, "open", e))?;
        let damaged =
            |e: ParquetError| placed(path, FileFormat::Parquet, Place::Footer)(e.to_string());
        let plain = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).map_err(damaged)?;
        Ok((file, Columns::of(plain).map_err(damaged)?))
    }

    fn of(plain: ArrowReaderMetadata) -> Result<Columns, ParquetError> {
        let footer = plain.metadata().file_metadata();
        let leaves = Leaf::all(footer);
        let schema = presented(plain.schema(), &leaves);
        if &schema == plain.schema() {
            return Ok(Columns { metadata: plain, schema });
        }
        let metadata = match leaves.contains(&Leaf::Interval) {
            true => Arc::new(as_bytes(plain.metadata())?),
            false => plain.metadata().clone(),
        };
        let read = as_read(&schema, &leaves);
        let options = ArrowReaderOptions::new().with_schema(read);
        let metadata = ArrowReaderMetadata::try_new(metadata, options)?;
        Ok(Columns { metadata, schema })
    }
}

/// What is special about a column of values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaf {
    Int96,
    /// An interval whose parts the file's Arrow schema does not tell.
    Interval,
    Other,
}

impl Leaf {
    fn all(footer: &FileMetaData) -> Vec<Leaf> {
        let known = footer.key_value_metadata().into_iter().flatten();
        let hinted = known.into_iter().any(|entry| entry.key == ARROW_SCHEMA_META_KEY);
        let columns = footer.schema_descr().columns().iter();
        let leaf = |physical, converted| match (physical, converted) {
            (PhysicalType::INT96, _) => Leaf::Int96,
            (_, ConvertedType::INTERVAL) if !hinted => Leaf::Interval,
            _ => Leaf::Other,
        };
        columns.map(|column| leaf(column.physical_type(), column.converted_type())).collect()
    }
}

/// The columns as they come out.
fn presented(schema: &Schema, leaves: &[Leaf]) -> SchemaRef {
    by_leaf(schema, leaves, &mut |leaf, data_type| match (leaf, data_type) {
        (Leaf::Int96, DataType::Timestamp(..)) => Some(timestamp_utc()),
        (Leaf::Interval, DataType::Interval(_)) => {
            Some(DataType::Interval(IntervalUnit::MonthDayNano))
        }
        (_, DataType::Dictionary(index, values)) => Some(match values.as_ref() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => {
                DataType::Dictionary(Box::new(wide_index(index)), values.clone())
            }
            _ => values.as_ref().clone(),
        }),
        // A dictionary over times, which are special themselves, has been one before.
        _ => None,
    })
}

/// The columns as the reader is asked for them.
fn as_read(presented: &Schema, leaves: &[Leaf]) -> SchemaRef {
    by_leaf(presented, leaves, &mut |leaf, _| match leaf {
        Leaf::Interval => Some(DataType::FixedSizeBinary(12)),
        Leaf::Int96 => Some(DataType::Timestamp(TimeUnit::Microsecond, Some(Arc::from("UTC")))),
        Leaf::Other => None,
    })
}

/// A schema with other types of its leaves, which stand in the same order as the file's.
fn by_leaf(
    schema: &Schema,
    leaves: &[Leaf],
    rule: &mut dyn FnMut(Leaf, &DataType) -> Option<DataType>,
) -> SchemaRef {
    let mut leaves = leaves.iter();
    let rule = &mut |_: &_, data_type: &DataType| -> Result<_, Infallible> {
        let encoded = matches!(data_type, DataType::Dictionary(..));
        if data_type.is_nested() && !encoded {
            return Ok(None);
        }
        Ok(leaves.next().and_then(|leaf| rule(*leaf, data_type)))
    };
    match retype_schema(schema, rule) {
        Ok(schema) => schema,
    }
}

/// Metadata in which intervals are plain bytes, which the reader leaves as they are.
fn as_bytes(metadata: &ParquetMetaData) -> Result<ParquetMetaData, ParquetError> {
    let footer = metadata.file_metadata();
    let root = without_intervals(footer.schema())?;
    let footer = FileMetaData::new(
        footer.version(),
        footer.num_rows(),
        footer.created_by().map(str::to_owned),
        footer.key_value_metadata().cloned(),
        Arc::new(SchemaDescriptor::new(root)),
        footer.column_orders().cloned(),
    );
    Ok(ParquetMetaData::new(footer, metadata.row_groups().to_vec()))
}

fn without_intervals(part: &Type) -> Result<Arc<Type>, ParquetError> {
    let info = part.get_basic_info();
    let id = info.has_id().then(|| info.id());
    let built = match part {
        Type::PrimitiveType { physical_type, type_length, .. }
            if info.converted_type() == ConvertedType::INTERVAL =>
        {
            Type::primitive_type_builder(info.name(), *physical_type)
                .with_repetition(info.repetition())
                .with_length(*type_length)
                .with_id(id)
                .build()?
        }
        Type::PrimitiveType { .. } => part.clone(),
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(|field| without_intervals(field));
            let group = Type::group_type_builder(info.name())
                .with_fields(fields.collect::<Result<_, _>>()?)
                .with_converted_type(info.converted_type())
                .with_logical_type(info.logical_type_ref().cloned())
                .with_id(id);
            match info.has_repetition() {
                true => group.with_repetition(info.repetition()).build()?,
                false => group.build()?,
            }
        }
    };
    Ok(Arc::new(built))
}
