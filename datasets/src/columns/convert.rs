//! Values as another type that holds the same ones.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayData, ArrayRef, AsArray, BinaryArray, Date32Array, Int64Array,
    IntervalMonthDayNanoArray, ListArray, RecordBatch, RecordBatchOptions, RunArray,
    Time32MillisecondArray, make_array, new_null_array,
};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow::compute::{CastOptions, cast_with_options, take};
use arrow::datatypes::{
    DataType, Date64Type, Field, Int16Type, Int32Type, Int64Type, IntervalMonthDayNano,
    IntervalUnit, RunEndIndexType, SchemaRef, Time32SecondType, TimeUnit,
};
use arrow::error::ArrowError;

use super::retype::with_width;

const STRICT: CastOptions<'static> =
    CastOptions { safe: false, format_options: arrow::util::display::FormatOptions::new() };

/// Why a column has no values of the other type: its name, and what is wrong.
pub(crate) type Misfit = (String, String);

/// A batch whose columns have the types of `schema`.
///
/// # Errors
/// The column, and the row with its value where a value does not fit.
pub(crate) fn convert_columns(
    batch: &RecordBatch,
    schema: &SchemaRef,
) -> Result<RecordBatch, Misfit> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| {
        convert(column, field.data_type())
            .map_err(|error| (field.name().clone(), misfit(column, field, &error)))
    });
    let columns = columns.collect::<Result<_, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(|error| {
        (schema.fields().first().map_or_else(String::new, |f| f.name().clone()), error.to_string())
    })
}

/// What is wrong, with the row of the batch where one is to blame.
fn misfit(column: &ArrayRef, field: &Field, error: &ArrowError) -> String {
    let fails = |row: &usize| convert(&column.slice(*row, 1), field.data_type()).is_err();
    match (0..column.len()).find(fails) {
        Some(row) => format!("row {row} of the batch: {error}"),
        None => error.to_string(),
    }
}

/// The same values as `to`.
///
/// # Errors
/// A value that `to` cannot hold, or a type that it cannot be converted to.
pub(crate) fn convert(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, ArrowError> {
    match (array.data_type(), to) {
        (from, to) if from == to => Ok(array.clone()),
        (DataType::Dictionary(..), DataType::Dictionary(index, values)) => {
            let dictionary = array.as_any_dictionary();
            let values = convert(dictionary.values(), values)?;
            let keys = cast_with_options(dictionary.keys(), index, &STRICT)?;
            let data = keys.into_data().into_builder().data_type(to.clone());
            Ok(make_array(data.add_child_data(values.into_data()).build()?))
        }
        (DataType::Dictionary(..), _) => {
            let dictionary = array.as_any_dictionary();
            taken(&convert(dictionary.values(), to)?, dictionary.keys())
        }
        (DataType::RunEndEncoded(ends, _), _) if !matches!(to, DataType::RunEndEncoded(..)) => {
            match ends.data_type() {
                DataType::Int16 => without_runs::<Int16Type>(array, to),
                DataType::Int32 => without_runs::<Int32Type>(array, to),
                _ => without_runs::<Int64Type>(array, to),
            }
        }
        (DataType::Date64, DataType::Date32) => {
            let days = array.as_primitive::<Date64Type>().try_unary(|millis| {
                i32::try_from(millis.div_euclid(86_400_000)).map_err(|_| {
                    ArrowError::CastError(format!("{millis} ms since 1970 are beyond all dates"))
                })
            });
            days.map(|days: Date32Array| Arc::new(days) as ArrayRef)
        }
        (DataType::Time32(TimeUnit::Second), DataType::Time32(TimeUnit::Millisecond)) => {
            let millis = array.as_primitive::<Time32SecondType>().try_unary(|seconds| {
                seconds.checked_mul(1000).ok_or_else(|| {
                    ArrowError::CastError(format!("{seconds} s are not a time of day"))
                })
            });
            millis.map(|millis: Time32MillisecondArray| Arc::new(millis) as ArrayRef)
        }
        (DataType::FixedSizeBinary(12), DataType::Interval(IntervalUnit::MonthDayNano)) => {
            intervals(array)
        }
        (DataType::FixedSizeBinary(0), DataType::Binary) => {
            let offsets = OffsetBuffer::new_zeroed(array.len());
            Ok(Arc::new(BinaryArray::try_new(offsets, [].into(), array.nulls().cloned())?))
        }
        (DataType::FixedSizeList(_, 0), DataType::List(item)) => {
            let offsets = OffsetBuffer::new_zeroed(array.len());
            let items = new_null_array(item.data_type(), 0);
            let nulls = array.nulls().cloned();
            Ok(Arc::new(ListArray::try_new(item.clone(), offsets, items, nulls)?))
        }
        (DataType::Binary, DataType::FixedSizeBinary(0)) => {
            let data =
                ArrayData::builder(to.clone()).len(array.len()).nulls(array.nulls().cloned());
            Ok(make_array(data.add_buffer(Buffer::from_vec(Vec::<u8>::new())).build()?))
        }
        (DataType::List(_), DataType::FixedSizeList(item, 0)) => {
            let data =
                ArrayData::builder(to.clone()).len(array.len()).nulls(array.nulls().cloned());
            let items = new_null_array(item.data_type(), 0).into_data();
            Ok(make_array(data.add_child_data(items).build()?))
        }
        (from, to) if children_of(from).is_some() && children_of(to).is_some() => {
            map_children(array, to, &mut |child, to| convert(&child, to))
        }
        _ => cast_with_options(array, to, &STRICT),
    }
}

/// An array whose children are what `map` makes of its own, as the type `to`.
pub(super) fn map_children(
    array: &ArrayRef,
    to: &DataType,
    map: &mut dyn FnMut(ArrayRef, &DataType) -> Result<ArrayRef, ArrowError>,
) -> Result<ArrayRef, ArrowError> {
    let data = array.to_data();
    let types = children_of(to).unwrap_or_default();
    if types.len() != data.child_data().len() {
        let message = format!("{} cannot become {to}", array.data_type());
        return Err(ArrowError::CastError(message));
    }
    let children = data.child_data().iter().zip(types);
    let children = children.map(|(child, to)| Ok(map(make_array(child.clone()), to)?.into_data()));
    let children = children.collect::<Result<Vec<_>, ArrowError>>()?;
    Ok(make_array(data.into_builder().data_type(to.clone()).child_data(children).build()?))
}

/// The types of the children of a nested type.
pub(super) fn children_of(data_type: &DataType) -> Option<Vec<&DataType>> {
    Some(match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => vec![item.data_type()],
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.data_type()).collect(),
        DataType::RunEndEncoded(ends, values) => vec![ends.data_type(), values.data_type()],
        _ => return None,
    })
}

/// Copies columns in which arrow's IPC writer would write slices of unions wrongly.
///
/// # Errors
/// As [`convert_columns`].
pub(crate) fn without_slices(batch: &RecordBatch) -> Result<RecordBatch, Misfit> {
    let sliced = |data_type: &DataType| data_type.is_nested() && has_union(data_type);
    let schema = batch.schema();
    if !schema.fields().iter().any(|field| sliced(field.data_type())) {
        return Ok(batch.clone());
    }
    let rows = Int64Array::from_iter_values(0..batch.num_rows() as i64);
    let columns = batch.columns().iter().zip(schema.fields()).map(|(column, field)| {
        let copied = match sliced(field.data_type()) {
            true => taken(column, &rows),
            false => Ok(column.clone()),
        };
        copied.map_err(|error| (field.name().clone(), error.to_string()))
    });
    let columns = columns.collect::<Result<_, _>>()?;
    RecordBatch::try_new(schema.clone(), columns)
        .map_err(|error| (schema.field(0).name().clone(), error.to_string()))
}

/// Whether a type has a dictionary of unions: arrow writes a part of one wrongly, and has
/// no value for its null.
pub(crate) fn has_dictionary_of_unions(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => has_union(values),
        other => children_of(other).unwrap_or_default().into_iter().any(has_dictionary_of_unions),
    }
}

/// Whether a type has a union somewhere. Arrow puts rows of unions into no order unless
/// their type ids count from 0.
#[must_use]
pub fn has_union(data_type: &DataType) -> bool {
    match data_type {
        DataType::Union(..) => true,
        DataType::Dictionary(_, values) => has_union(values),
        other => children_of(other).unwrap_or_default().into_iter().any(has_union),
    }
}

/// `values` at `places`; of no values all are null.
pub(super) fn taken(values: &ArrayRef, places: &dyn Array) -> Result<ArrayRef, ArrowError> {
    if values.is_empty() {
        return Ok(new_null_array(values.data_type(), places.len()));
    }
    if matches!(values.data_type(), DataType::Union(..)) && places.null_count() > 0 {
        let message = "a null of a dictionary of unions has no value in a union";
        return Err(ArrowError::NotYetImplemented(message.to_owned()));
    }
    let with_width = with_width(values.data_type());
    if &with_width == values.data_type() {
        return take(values, places, None);
    }
    let taken = take(&convert(values, &with_width)?, places, None)?;
    convert(&taken, values.data_type())
}

fn without_runs<R: RunEndIndexType>(
    array: &ArrayRef,
    to: &DataType,
) -> Result<ArrayRef, ArrowError> {
    let Some(runs) = array.as_any().downcast_ref::<RunArray<R>>() else {
        return Err(ArrowError::CastError(format!("{} has no runs", array.data_type())));
    };
    let places = (0..runs.len()).map(|row| runs.get_physical_index(row) as i64);
    taken(&convert(runs.values(), to)?, &Int64Array::from_iter_values(places))
}

/// Parquet's INTERVAL: months, days and milliseconds, unsigned.
fn intervals(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let bytes = array.as_fixed_size_binary();
    let part = |value: &[u8], at: usize| {
        let part = value.get(at..).and_then(|rest| rest.first_chunk::<4>());
        part.map_or(0, |part| u32::from_le_bytes(*part))
    };
    let whole = |part: u32, what: &str| {
        i32::try_from(part)
            .map_err(|_| ArrowError::CastError(format!("an interval of {part} {what} is too long")))
    };
    let mut values = Vec::with_capacity(bytes.len());
    for row in 0..bytes.len() {
        values.push(match bytes.is_null(row) {
            true => IntervalMonthDayNano::ZERO,
            false => {
                let value = bytes.value(row);
                let (months, days) = (part(value, 0), part(value, 4));
                let nanos = i64::from(part(value, 8)) * 1_000_000;
                IntervalMonthDayNano::new(whole(months, "months")?, whole(days, "days")?, nanos)
            }
        });
    }
    let nulls: Option<NullBuffer> = bytes.nulls().cloned();
    Ok(Arc::new(IntervalMonthDayNanoArray::try_new(values.into(), nulls)?))
}
