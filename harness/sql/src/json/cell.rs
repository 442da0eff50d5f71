//! Values that are read from JSON, and columns of them.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::*;
use streamjoin_kernels::{JoinError, Result};

use crate::compute::overflow_error;

/// One value, of the type that its column has.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Boolean(bool),
    /// Integers, dates in days, timestamps in microseconds, unscaled decimals.
    Whole(i128),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    /// The fields of a struct, or the elements of a list.
    Many(Vec<Cell>),
    Entries(Vec<(String, Cell)>),
}

/// A column of the cells.
pub(super) fn column(cells: Vec<Cell>, data_type: &DataType) -> Result<ArrayRef> {
    macro_rules! whole {
        ($type:ty) => {
            Arc::new(
                cells
                    .iter()
                    .map(|cell| match cell {
                        Cell::Whole(value) => Some(*value as <$type as ArrowPrimitiveType>::Native),
                        _ => None,
                    })
                    .collect::<PrimitiveArray<$type>>(),
            )
        };
    }
    let floats = || {
        cells.iter().map(|cell| match cell {
            Cell::Float(value) => Some(*value),
            _ => None,
        })
    };
    Ok(match data_type {
        DataType::Boolean => {
            let values = cells.iter().map(|cell| match cell {
                Cell::Boolean(value) => Some(*value),
                _ => None,
            });
            Arc::new(values.collect::<BooleanArray>())
        }
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => whole!(Int64Type),
        DataType::Date32 => whole!(Date32Type),
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            let times: Arc<TimestampMicrosecondArray> = whole!(TimestampMicrosecondType);
            Arc::new(times.as_ref().clone().with_timezone_opt(zone.clone()))
        }
        DataType::Decimal128(precision, scale) => {
            let numbers: Arc<Decimal128Array> = whole!(Decimal128Type);
            Arc::new(numbers.as_ref().clone().with_precision_and_scale(*precision, *scale)?)
        }
        DataType::Float32 => {
            Arc::new(floats().map(|v| v.map(|v| v as f32)).collect::<Float32Array>())
        }
        DataType::Float64 => Arc::new(floats().collect::<Float64Array>()),
        DataType::Utf8 => {
            let texts = || {
                cells.iter().map(|cell| match cell {
                    Cell::Text(text) => Some(text.as_str()),
                    _ => None,
                })
            };
            small_enough(texts().flatten().map(str::len).sum())?;
            Arc::new(texts().collect::<StringArray>())
        }
        DataType::Binary => {
            let values = || {
                cells.iter().map(|cell| match cell {
                    Cell::Bytes(bytes) => Some(bytes.as_slice()),
                    _ => None,
                })
            };
            small_enough(values().flatten().map(<[u8]>::len).sum())?;
            Arc::new(values().collect::<BinaryArray>())
        }
        DataType::Struct(fields) => structs(cells, fields)?,
        DataType::List(item) => {
            let valid = validity(&cells);
            let (mut lengths, mut values) = (Vec::with_capacity(cells.len()), Vec::new());
            for cell in cells {
                let elements = if let Cell::Many(elements) = cell { elements } else { Vec::new() };
                lengths.push(elements.len());
                values.extend(elements);
            }
            small_enough(values.len())?;
            let values = column(values, item.data_type())?;
            Arc::new(ListArray::try_new(item.clone(), offsets(lengths), values, valid)?)
        }
        DataType::Map(entries, ordered) => {
            let DataType::Struct(fields) = entries.data_type() else {
                return Err(unexpected(data_type));
            };
            let valid = validity(&cells);
            let mut lengths = Vec::with_capacity(cells.len());
            let (mut keys, mut values) = (Vec::new(), Vec::new());
            for cell in cells {
                let pairs = if let Cell::Entries(pairs) = cell { pairs } else { Vec::new() };
                lengths.push(pairs.len());
                for (key, value) in pairs {
                    keys.push(Cell::Text(key));
                    values.push(value);
                }
            }
            small_enough(values.len())?;
            let [key, value] = fields.iter().as_slice() else { return Err(unexpected(data_type)) };
            let columns = vec![column(keys, key.data_type())?, column(values, value.data_type())?];
            let pairs = StructArray::try_new(fields.clone(), columns, None)?;
            let offsets = offsets(lengths);
            Arc::new(MapArray::try_new(entries.clone(), offsets, pairs, valid, *ordered)?)
        }
        other => return Err(unexpected(other)),
    })
}

fn structs(cells: Vec<Cell>, fields: &Fields) -> Result<ArrayRef> {
    let (valid, rows) = (validity(&cells), cells.len());
    let mut columns: Vec<Vec<Cell>> = fields.iter().map(|_| Vec::with_capacity(rows)).collect();
    for cell in cells {
        let mut values = if let Cell::Many(values) = cell { values } else { Vec::new() };
        values.resize(fields.len(), Cell::Null);
        for (column, value) in columns.iter_mut().zip(values) {
            column.push(value);
        }
    }
    let columns = columns.into_iter().zip(fields);
    let columns = columns.map(|(cells, field)| column(cells, field.data_type()));
    let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, valid, rows)?))
}

fn validity(cells: &[Cell]) -> Option<NullBuffer> {
    let valid: Vec<bool> = cells.iter().map(|cell| *cell != Cell::Null).collect();
    Some(NullBuffer::from(valid)).filter(|nulls| nulls.null_count() > 0)
}

fn offsets(lengths: Vec<usize>) -> OffsetBuffer<i32> {
    let mut end = 0_i32;
    let ends = lengths.into_iter().map(|length| {
        end += length as i32;
        end
    });
    OffsetBuffer::new(ScalarBuffer::from_iter(std::iter::once(0).chain(ends)))
}

fn small_enough(size: usize) -> Result<()> {
    match i32::try_from(size) {
        Ok(_) => Ok(()),
        Err(_) => Err(overflow_error(
            "the values that from_json reads from one batch exceed 2 GiB; use smaller batches",
        )),
    }
}

fn unexpected(data_type: &DataType) -> JoinError {
    JoinError::InvalidPlan(format!("from_json does not read {data_type}"))
}
