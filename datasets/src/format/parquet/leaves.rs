//! Which leaf columns of a Parquet file a read takes that leaves fields of structs out.

use arrow::datatypes::{DataType, FieldRef, Schema};
use parquet::arrow::ProjectionMask;
use parquet::schema::types::SchemaDescriptor;

/// The leaves of the columns at `projection` that `narrow`, a part of the type of each,
/// still has; `None` if nothing is left out, or cannot be.
pub(super) fn leaves_of(
    file: &SchemaDescriptor,
    schema: &Schema,
    projection: &[usize],
    narrow: &[DataType],
) -> Option<ProjectionMask> {
    let (mut next, mut kept) = (0, Vec::new());
    for (at, field) in schema.fields().iter().enumerate() {
        let wanted = projection.binary_search(&at).ok().and_then(|at| narrow.get(at));
        walk(field.data_type(), wanted, &mut next, &mut kept);
    }
    let narrows = !narrow.is_empty() && next == file.num_columns();
    narrows.then(|| ProjectionMask::leaves(file, kept))
}

/// Counts the leaves of a type, and keeps those that are wanted.
fn walk(whole: &DataType, wanted: Option<&DataType>, next: &mut usize, kept: &mut Vec<usize>) {
    match whole {
        DataType::Struct(fields) => {
            for field in fields {
                let wanted = wanted.and_then(|wanted| match wanted {
                    DataType::Struct(some) => Some(some.find(field.name())?.1.data_type()),
                    _ => None,
                });
                walk(field.data_type(), wanted, next, kept);
            }
        }
        other => match element(other) {
            Some(item) => {
                let wanted = wanted.and_then(element).map(|item| item.data_type());
                walk(item.data_type(), wanted, next, kept);
            }
            None => {
                kept.extend(wanted.map(|_| *next));
                *next += 1;
            }
        },
    }
}

/// What a list or a map consists of.
fn element(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => Some(item),
        _ => None,
    }
}
