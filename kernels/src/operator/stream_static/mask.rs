//! Which rows of a micro-batch a semi or anti join puts out, without the rows.

use arrow::array::{ArrayRef, BooleanBufferBuilder};
use arrow::buffer::BooleanBuffer;

use super::exchange::units;
use super::filtered::drop_filtered;
use super::plan::Emit;
use super::planned::Planned;
use super::unit::Unit;
use crate::error::{JoinError, Result};
use crate::snapshot::TableSnapshot;

/// One bit per row of the batch, whose columns that the join reads are `columns`.
///
/// # Errors
/// [`JoinError::InvalidPlan`] for other join types; errors of casts and
/// predicates.
pub(super) fn mask(
    join: &Planned,
    snapshot: &TableSnapshot,
    columns: Vec<ArrayRef>,
    rows: usize,
) -> Result<BooleanBuffer> {
    if !matches!(join.plan.emit, Emit::Existence { .. }) {
        return Err(JoinError::InvalidPlan(format!(
            "a mask says which rows a left-semi or left-anti join puts out, and this one is of type \
             {}: `push` the batch, with `ColumnRef::StreamRow` in the output for the numbers of its rows",
            join.spec.join_type
        )));
    }
    let (columns, passed) = drop_filtered(join, columns, rows)?;
    let passed_rows = passed.as_ref().map_or(rows, BooleanBuffer::count_set_bits);
    let units = units(join, snapshot, &columns, passed_rows)?;
    let selected: Vec<(Unit, BooleanBuffer)> =
        join.options.run::<_, _, Result<_>>(units, |rows| {
            let mut unit = Unit::new(rows);
            let selected = unit.select(join, snapshot, &columns)?;
            Ok((unit, selected))
        })?;
    let mut bits = BooleanBufferBuilder::new(passed_rows);
    if snapshot.parts().partition_bits == 0 {
        selected.iter().for_each(|(_, selected)| bits.append_buffer(selected));
    } else {
        bits.append_n(passed_rows, false);
        for (unit, selected) in &selected {
            selected.set_indices().for_each(|row| bits.set_bit(unit.row_of_batch(row), true));
        }
    }
    let Some(passed) = passed else { return Ok(bits.finish()) };
    let (of_passed, mut bits) = (bits.finish(), BooleanBufferBuilder::new(rows));
    bits.append_n(rows, false);
    for (row, kept) in passed.set_indices().zip(&of_passed) {
        bits.set_bit(row, kept);
    }
    Ok(bits.finish())
}
