//! Rows that a one-sided filter drops before their keys are looked at.

use arrow::array::{ArrayRef, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::compute::filter;

use super::encode::passed;
use super::planned::Planned;
use crate::error::Result;

/// Where no stream row is preserved, those that fail the one-sided filter are
/// gone before their keys are looked at, as Spark pushes the filter below the
/// join: a malformed key in such a row is not an error. Returns the columns and
/// which rows they belong to, unless that is all of them.
pub(super) fn drop_filtered(
    join: &Planned,
    columns: Vec<ArrayRef>,
    rows: usize,
) -> Result<(Vec<ArrayRef>, Option<BooleanBuffer>)> {
    if join.plan.preserves_stream() {
        return Ok((columns, None));
    }
    let Some(passed) = passed(&join.plan, &columns, rows)? else { return Ok((columns, None)) };
    if passed.count_set_bits() == rows {
        return Ok((columns, None));
    }
    let mask = BooleanArray::new(passed.clone(), None);
    let kept = columns.iter().map(|column| Ok(filter(column, &mask)?)).collect::<Result<_>>()?;
    Ok((kept, Some(passed)))
}
