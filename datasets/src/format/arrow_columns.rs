//! Which bytes of a record batch its columns are made of, so that those of other
//! columns need not be read.

use std::ops::Range;

use arrow::datatypes::{DataType, Fields, UnionMode};
use arrow::ipc::{self, MetadataVersion};

use super::arrow_message::{all_buffers, range_of, record_batch};

/// Ranges closer than this are read with one call.
const GAP_BYTES: usize = 4096;

/// The buffers of some columns of a message; all of its buffers where they are
/// not as many as `fields` ask for, which the decoder reports.
pub(super) fn buffers_of(
    message: &ipc::Message<'_>,
    fields: &Fields,
    columns: &[usize],
) -> Vec<ipc::Buffer> {
    let all = all_buffers(message);
    if columns.len() == fields.len() {
        return all;
    }
    let Some(counts) = buffer_counts(message, fields) else { return all };
    let total = counts.iter().try_fold(0_usize, |sum, count| sum.checked_add(*count));
    if total != Some(all.len()) {
        return all;
    }
    let mut wanted = Vec::new();
    let mut rest = all.as_slice();
    for (column, count) in counts.into_iter().enumerate() {
        let (own, others) = rest.split_at(count);
        if columns.contains(&column) {
            wanted.extend_from_slice(own);
        }
        rest = others;
    }
    wanted
}

/// Where the buffers lie in a body of `len` bytes, in order, neighbours joined; and
/// where the last of them ends.
pub(super) fn ranges(
    buffers: &[ipc::Buffer],
    len: usize,
) -> Result<(Vec<Range<usize>>, usize), String> {
    let mut ranges = Vec::with_capacity(buffers.len());
    let mut end = 0;
    for buffer in buffers {
        let range = range_of(buffer).filter(|range| range.end <= len);
        let range = range.ok_or("a buffer lies outside its message")?;
        end = end.max(range.end);
        if !range.is_empty() {
            ranges.push(range);
        }
    }
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, joined| {
        let near = next.start.saturating_sub(joined.end) <= GAP_BYTES;
        if near {
            joined.end = joined.end.max(next.end);
        }
        near
    });
    Ok((ranges, end))
}

/// How many buffers each column has.
fn buffer_counts(message: &ipc::Message<'_>, fields: &Fields) -> Option<Vec<usize>> {
    let batch = record_batch(message)?;
    let mut variadic = batch.variadicBufferCounts().into_iter().flatten();
    let mut count = |data_type| buffer_count(data_type, message.version(), &mut variadic);
    fields.iter().map(|field| count(field.data_type())).collect()
}

/// How many buffers an array has, its children's included. `variadic` are the
/// numbers of data buffers of the views that are still to come.
fn buffer_count(
    data_type: &DataType,
    version: MetadataVersion,
    variadic: &mut dyn Iterator<Item = i64>,
) -> Option<usize> {
    let mut with = |own: usize, children: &mut dyn Iterator<Item = &DataType>| {
        let mut sum = own;
        for child in children {
            sum = sum.checked_add(buffer_count(child, version, variadic)?)?;
        }
        Some(sum)
    };
    match data_type {
        DataType::Null => Some(0),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => Some(3),
        DataType::Utf8View | DataType::BinaryView => {
            usize::try_from(variadic.next()?).ok()?.checked_add(2)
        }
        DataType::Dictionary(..) => Some(2),
        DataType::FixedSizeList(item, _) => with(1, &mut [item.data_type()].into_iter()),
        DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => {
            with(2, &mut [item.data_type()].into_iter())
        }
        DataType::ListView(item) | DataType::LargeListView(item) => {
            with(3, &mut [item.data_type()].into_iter())
        }
        DataType::Struct(fields) => with(1, &mut fields.iter().map(|f| f.data_type())),
        DataType::RunEndEncoded(ends, values) => {
            with(0, &mut [ends.data_type(), values.data_type()].into_iter())
        }
        DataType::Union(fields, mode) => {
            let validity = usize::from(version < MetadataVersion::V5);
            let offsets = usize::from(*mode == UnionMode::Dense);
            with(validity + 1 + offsets, &mut fields.iter().map(|(_, f)| f.data_type()))
        }
        // Validity and values.
        _ => Some(2),
    }
}

#[cfg(test)]
#[path = "arrow_columns_tests.rs"]
mod tests;
