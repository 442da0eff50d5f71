//! Arrays of any layout: list, large list, list view and fixed-size list.

use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray, OffsetSizeTrait};
use arrow::datatypes::{DataType, FieldRef};

/// The field of the elements; `None` for other types than arrays.
pub(crate) fn element(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _) => Some(field),
        _ => None,
    }
}

/// The elements of all rows of an array, and which of them are whose.
pub(crate) struct Lists {
    pub(crate) elements: ArrayRef,
    ranges: Vec<Range<usize>>,
}

impl Lists {
    /// `None` for other types than arrays and maps (whose elements are their entries).
    pub(crate) fn of(array: &ArrayRef) -> Option<Self> {
        let (elements, ranges): (ArrayRef, Vec<Range<usize>>) = match array.data_type() {
            DataType::List(_) => {
                let lists = array.as_list::<i32>();
                (lists.values().clone(), by_offsets(lists.value_offsets()))
            }
            DataType::LargeList(_) => {
                let lists = array.as_list::<i64>();
                (lists.values().clone(), by_offsets(lists.value_offsets()))
            }
            DataType::Map(..) => {
                let maps = array.as_map();
                (std::sync::Arc::new(maps.entries().clone()), by_offsets(maps.value_offsets()))
            }
            DataType::ListView(_) => {
                let lists = array.as_list_view::<i32>();
                let ranges = by_sizes(lists.value_offsets(), lists.value_sizes());
                (lists.values().clone(), ranges)
            }
            DataType::LargeListView(_) => {
                let lists = array.as_list_view::<i64>();
                let ranges = by_sizes(lists.value_offsets(), lists.value_sizes());
                (lists.values().clone(), ranges)
            }
            DataType::FixedSizeList(_, size) => {
                let size = usize::try_from(*size).unwrap_or(0);
                let ranges = (0..array.len()).map(|row| row * size..(row + 1) * size);
                (array.as_fixed_size_list().values().clone(), ranges.collect())
            }
            _ => return None,
        };
        Some(Self { elements, ranges })
    }

    /// The positions of a row's elements; the row must not be null.
    pub(crate) fn range(&self, row: usize) -> Range<usize> {
        self.ranges[row].clone()
    }
}

fn by_offsets<O: OffsetSizeTrait>(offsets: &[O]) -> Vec<Range<usize>> {
    offsets.windows(2).map(|pair| pair[0].as_usize()..pair[1].as_usize()).collect()
}

fn by_sizes<O: OffsetSizeTrait>(offsets: &[O], sizes: &[O]) -> Vec<Range<usize>> {
    let ranges = offsets.iter().zip(sizes);
    ranges.map(|(start, size)| start.as_usize()..start.as_usize() + size.as_usize()).collect()
}
