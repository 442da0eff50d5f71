//! Types rewritten from the top down to their leaves.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, UnionFields};

/// `data_type` with parts of it replaced: `rule` says what stands for a type, `None` to
/// go on with its children. It is asked in depth-first order; the values of a dictionary
/// are no children.
///
/// # Errors
/// Those of `rule`.
pub(crate) fn retype<E>(
    data_type: &DataType,
    rule: &mut dyn FnMut(&DataType) -> Result<Option<DataType>, E>,
) -> Result<DataType, E> {
    if let Some(other) = rule(data_type)? {
        return Ok(other);
    }
    let mut field = |field: &FieldRef| -> Result<FieldRef, E> {
        let other = retype(field.data_type(), rule)?;
        Ok(with_type(field, other))
    };
    Ok(match data_type {
        DataType::List(item) => DataType::List(field(item)?),
        DataType::LargeList(item) => DataType::LargeList(field(item)?),
        DataType::ListView(item) => DataType::ListView(field(item)?),
        DataType::LargeListView(item) => DataType::LargeListView(field(item)?),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(field(item)?, *size),
        DataType::Map(entries, sorted) => DataType::Map(field(entries)?, *sorted),
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(field).collect::<Result<Fields, E>>()?)
        }
        DataType::Union(fields, mode) => {
            let fields = fields.iter().map(|(id, child)| Ok((id, field(child)?)));
            DataType::Union(fields.collect::<Result<UnionFields, E>>()?, *mode)
        }
        DataType::RunEndEncoded(ends, values) => {
            DataType::RunEndEncoded(ends.clone(), field(values)?)
        }
        other => other.clone(),
    })
}

/// A schema whose columns have other types, by [`retype`].
///
/// # Errors
/// Those of `rule`, which is also given the column.
pub(crate) fn retype_schema<E>(
    schema: &Schema,
    mut rule: impl FnMut(&FieldRef, &DataType) -> Result<Option<DataType>, E>,
) -> Result<SchemaRef, E> {
    let fields = schema.fields().iter().map(|field| {
        let other = retype(field.data_type(), &mut |part| rule(field, part))?;
        Ok(with_type(field, other))
    });
    let fields = fields.collect::<Result<Fields, E>>()?;
    Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

fn with_type(field: &FieldRef, data_type: DataType) -> FieldRef {
    if field.data_type() == &data_type {
        return field.clone();
    }
    let nullable = field.is_nullable() || values_may_be_null(field.data_type());
    Arc::new(Field::new(field.name(), data_type, nullable).with_metadata(field.metadata().clone()))
}

/// Whether nulls hide in the values of an encoding.
fn values_may_be_null(data_type: &DataType) -> bool {
    match data_type {
        DataType::RunEndEncoded(_, values) => values.is_nullable(),
        _ => false,
    }
}

/// A type without dictionaries and runs: of their values.
pub(crate) fn decoded(data_type: &DataType) -> DataType {
    let rule = &mut |part: &DataType| -> Result<_, std::convert::Infallible> {
        Ok(match part {
            DataType::Dictionary(_, values) => Some(decoded(values)),
            DataType::RunEndEncoded(_, values) => Some(decoded(values.data_type())),
            _ => None,
        })
    };
    match retype(data_type, rule) {
        Ok(other) => other,
    }
}

/// A type without values of no width, which arrow's `take` and `interleave` count wrongly:
/// fixed-size binary and lists of nothing as binary and lists.
pub(crate) fn with_width(data_type: &DataType) -> DataType {
    let rule = &mut |part: &DataType| -> Result<_, std::convert::Infallible> {
        Ok(match part {
            DataType::FixedSizeBinary(0) => Some(DataType::Binary),
            DataType::FixedSizeList(item, 0) => {
                let item = with_type(item, with_width(item.data_type()));
                Some(DataType::List(item))
            }
            _ => None,
        })
    };
    match retype(data_type, rule) {
        Ok(other) => other,
    }
}

/// The index type of a dictionary that may grow: no narrower than 32 bits.
pub(crate) fn wide_index(index: &DataType) -> DataType {
    match index {
        DataType::Int8 | DataType::UInt8 | DataType::Int16 | DataType::UInt16 => DataType::Int32,
        wide => wide.clone(),
    }
}

/// Whether every format holds values of the type as they are.
pub(crate) fn is_plain(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Boolean | DataType::Utf8 | DataType::Binary | DataType::Date32)
        || matches!(data_type, DataType::Timestamp(..) | DataType::Decimal128(_, 0..))
        || data_type.is_integer()
        || matches!(data_type, DataType::Float32 | DataType::Float64)
}
