//! Values that are too large for the state, by the names of their columns.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;

use super::planned::Planned;
use crate::error::{JoinError, Result};
use crate::key::Keys;
use crate::side::Side;
use crate::state::MOST_VALUE_BYTES;

/// Kept columns that hold less than this in all are not looked at value by value.
const MANY_BYTES: usize = 1 << 26;

/// Whether single values may be too large for a block, so that the store has to
/// look. Texts are seen to by [`check_texts`].
pub(super) fn holds_much(payload: &[ArrayRef]) -> bool {
    let bytes = |column: &ArrayRef| match column.data_type() {
        DataType::Utf8View => column.as_string_view().lengths().map(|length| length as usize).sum(),
        DataType::BinaryView => {
            column.as_binary_view().lengths().map(|length| length as usize).sum()
        }
        data_type if data_type.is_nested() => column.get_array_memory_size(),
        _ => 0,
    };
    payload.iter().map(bytes).sum::<usize>() >= MANY_BYTES
}

/// # Errors
/// [`JoinError::ValueTooLarge`] for a key that fits no block.
pub(super) fn check_keys(join: &Planned, side: Side, keys: &Keys) -> Result<()> {
    let Keys::Bytes(keys) = keys else { return Ok(()) };
    let plan = &join.plan.sides[side];
    let columns = || plan.keys.iter().map(|&slot| plan.read[slot]).collect::<Vec<_>>();
    check_length(longest(keys.offsets()), || format!("a key, {},", named(join, side, &columns())))
}

/// # Errors
/// [`JoinError::ValueTooLarge`] for a text, among the kept columns, that fits no
/// block.
pub(super) fn check_texts(join: &Planned, side: Side, payload: &[ArrayRef]) -> Result<()> {
    for (column, &kept) in payload.iter().zip(&join.plan.sides[side].kept) {
        let longest = match column.data_type() {
            DataType::LargeUtf8 => longest(column.as_string::<i64>().offsets()),
            DataType::LargeBinary => longest(column.as_binary::<i64>().offsets()),
            // Offsets of 32 bits with a sign end before.
            _ => continue,
        };
        check_length(longest, || format!("a value, {},", named(join, side, &[kept])))?;
    }
    Ok(())
}

fn check_length(bytes: usize, what: impl FnOnce() -> String) -> Result<()> {
    if bytes <= MOST_VALUE_BYTES {
        return Ok(());
    }
    let (bytes, limit) = (bytes as u64, MOST_VALUE_BYTES as u64);
    Err(JoinError::ValueTooLarge { what: what(), bytes, limit })
}

/// The length of the longest value, or 0 where all of them together are too short
/// to matter.
fn longest(offsets: &[i64]) -> usize {
    let all = offsets.last().zip(offsets.first()).map_or(0, |(end, start)| end - start);
    if all as usize <= MOST_VALUE_BYTES {
        return 0;
    }
    offsets.windows(2).map(|ends| (ends[1] - ends[0]) as usize).max().unwrap_or(0)
}

/// Says which columns a value too large for the store is of: all that it keeps
/// as one byte string per row.
pub(super) fn in_columns(error: JoinError, join: &Planned, side: Side) -> JoinError {
    let JoinError::ValueTooLarge { bytes, limit, .. } = error else { return error };
    let plan = &join.plan.sides[side];
    let columns: Vec<usize> = (plan.kept.iter().zip(&plan.kept_types))
        .filter(|(_, kept)| kept.primitive_width().is_none())
        .map(|(&column, _)| column)
        .collect();
    let what = format!("a value, {},", named(join, side, &columns));
    JoinError::ValueTooLarge { what, bytes, limit }
}

fn named(join: &Planned, side: Side, columns: &[usize]) -> String {
    let schema = &join.spec.input(side).schema;
    let names: Vec<&str> = columns.iter().map(|&i| schema.field(i).name().as_str()).collect();
    let columns = if names.len() == 1 { "column" } else { "columns" };
    format!("{columns} `{}` of the {side} side", names.join("`, `"))
}
