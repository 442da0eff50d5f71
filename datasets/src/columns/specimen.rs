//! Some rows of any type, to try what third-party code makes of it.

use std::sync::Arc;

use arrow::array::{Array, ArrayData, ArrayRef, NullArray, make_array, new_null_array};
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, UnionMode};
use arrow::error::ArrowError;

/// `rows` rows of `data_type` that are not null down to their leaves: zeros, empty
/// texts, lists of one item.
pub(crate) fn specimen(data_type: &DataType, rows: usize) -> Result<ArrayRef, ArrowError> {
    let child = |data_type: &DataType, rows: usize| Ok(specimen(data_type, rows)?.into_data());
    let zeros = |width: usize| Buffer::from_vec(vec![0_u8; width * rows]);
    let ends = |step: usize| (0..=rows).map(move |row| row * step);
    let small = |step| Buffer::from_iter(ends(step).map(|end| end as i32));
    let large = |step| Buffer::from_iter(ends(step).map(|end| end as i64));
    let data = ArrayData::builder(data_type.clone()).len(rows);
    let data = match data_type {
        DataType::Null => return Ok(Arc::new(NullArray::new(rows))),
        DataType::Boolean => data.add_buffer(zeros(1)),
        DataType::Utf8 | DataType::Binary => {
            data.add_buffer(small(0)).add_buffer(Buffer::from_vec(Vec::<u8>::new()))
        }
        DataType::LargeUtf8 | DataType::LargeBinary => {
            data.add_buffer(large(0)).add_buffer(Buffer::from_vec(Vec::<u8>::new()))
        }
        DataType::Utf8View | DataType::BinaryView => data.add_buffer(zeros(16)),
        DataType::FixedSizeBinary(width) => data.add_buffer(zeros(*width as usize)),
        DataType::List(item) | DataType::Map(item, _) => {
            data.add_buffer(small(1)).add_child_data(child(item.data_type(), rows)?)
        }
        DataType::LargeList(item) => {
            data.add_buffer(large(1)).add_child_data(child(item.data_type(), rows)?)
        }
        DataType::ListView(item) => {
            let offsets = Buffer::from_iter(0..rows as i32);
            let sizes = Buffer::from_iter((0..rows).map(|_| 1_i32));
            data.add_buffer(offsets)
                .add_buffer(sizes)
                .add_child_data(child(item.data_type(), rows)?)
        }
        DataType::LargeListView(item) => {
            let offsets = Buffer::from_iter(0..rows as i64);
            let sizes = Buffer::from_iter((0..rows).map(|_| 1_i64));
            data.add_buffer(offsets)
                .add_buffer(sizes)
                .add_child_data(child(item.data_type(), rows)?)
        }
        DataType::FixedSizeList(item, size) => {
            data.add_child_data(child(item.data_type(), rows * *size as usize)?)
        }
        DataType::Struct(fields) => {
            let children = fields.iter().map(|field| child(field.data_type(), rows));
            data.child_data(children.collect::<Result<_, ArrowError>>()?)
        }
        DataType::Union(fields, mode) => {
            let Some((first, _)) = fields.iter().next() else {
                return Ok(new_null_array(data_type, rows));
            };
            let children = fields.iter().map(|(_, field)| child(field.data_type(), rows));
            let data = data.add_buffer(Buffer::from_vec(vec![first; rows]));
            let data = match mode {
                UnionMode::Sparse => data,
                UnionMode::Dense => data.add_buffer(Buffer::from_iter(0..rows as i32)),
            };
            data.child_data(children.collect::<Result<_, ArrowError>>()?)
        }
        DataType::Dictionary(index, values) => {
            let width = index.primitive_width().unwrap_or(8);
            data.add_buffer(zeros(width)).add_child_data(child(values, 1)?)
        }
        DataType::RunEndEncoded(ends, values) => {
            let end: Buffer = match ends.data_type() {
                DataType::Int16 => Buffer::from_vec(vec![rows as i16]),
                DataType::Int32 => Buffer::from_vec(vec![rows as i32]),
                _ => Buffer::from_vec(vec![rows as i64]),
            };
            // Of no rows there are no runs.
            let runs = rows.min(1);
            let ends = ArrayData::builder(ends.data_type().clone()).len(runs).add_buffer(end);
            data.add_child_data(ends.build()?).add_child_data(child(values.data_type(), runs)?)
        }
        // Numbers and times.
        _ => data.add_buffer(zeros(data_type.primitive_width().unwrap_or(16))),
    };
    Ok(make_array(data.align_buffers(true).build()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::{Field, UnionFields};

    #[test]
    fn no_row_is_null() {
        let field = |data_type: DataType| Arc::new(Field::new("x", data_type, true));
        let list = DataType::List(field(DataType::Int32));
        let both = [(0, field(DataType::Utf8)), (3, field(list.clone()))];
        for data_type in [
            DataType::Decimal256(40, 2),
            DataType::Boolean,
            DataType::FixedSizeBinary(0),
            DataType::FixedSizeList(field(DataType::Utf8View), 2),
            DataType::FixedSizeList(field(DataType::Utf8View), 0),
            DataType::LargeListView(field(DataType::BinaryView)),
            DataType::Dictionary(Box::new(DataType::UInt16), Box::new(list)),
            DataType::RunEndEncoded(
                Arc::new(Field::new("run_ends", DataType::Int16, false)),
                field(DataType::Float16),
            ),
            DataType::Union(both.iter().cloned().collect::<UnionFields>(), UnionMode::Dense),
            DataType::Union(both.iter().cloned().collect::<UnionFields>(), UnionMode::Sparse),
            DataType::Struct(vec![field(DataType::Null)].into()),
        ] {
            let array = specimen(&data_type, 3).unwrap();
            assert_eq!((array.data_type(), array.len()), (&data_type, 3));
            assert_eq!(array.logical_null_count(), 0, "{data_type}");
        }
    }
}
