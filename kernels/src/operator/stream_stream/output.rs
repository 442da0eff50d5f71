//! SQL's output columns of two streams.

use arrow::datatypes::Schema;

use super::super::output::{output_on, output_using, using_keys};
use super::super::spec::OutputColumn;
use super::spec::StreamKey;
use crate::error::Result;
use crate::join_type::JoinType;
use crate::probe::{ColumnRef, SideColumn};
use crate::side::Side;

/// The columns of `left JOIN right ON ...`: all of the left, then all of the
/// right, equal names included; left columns only for semi and anti joins.
#[must_use]
pub fn streams_output_on(
    join_type: JoinType,
    left: &Schema,
    right: &Schema,
) -> Vec<OutputColumn<SideColumn>> {
    of_sides(output_on(join_type, Side::Left, left, right))
}

/// The columns of `left JOIN right USING (names)`, as
/// [`output_using`](crate::output_using) has them.
///
/// # Errors
/// [`JoinError::InvalidPlan`](crate::JoinError::InvalidPlan) if a name is
/// missing on a side or ambiguous there.
pub fn streams_output_using(
    join_type: JoinType,
    left: &Schema,
    right: &Schema,
    names: &[String],
) -> Result<Vec<OutputColumn<SideColumn>>> {
    Ok(of_sides(output_using(join_type, Side::Left, left, right, names)?))
}

/// The key pairs of `USING (names)`, matched without regard to case.
///
/// # Errors
/// As [`streams_output_using`].
pub fn streams_using_keys(
    left: &Schema,
    right: &Schema,
    names: &[String],
) -> Result<Vec<StreamKey>> {
    let keys = using_keys(left, right, names)?;
    Ok(keys.into_iter().map(|key| StreamKey::equal(key.stream, key.dimension)).collect())
}

/// The stream of a stream-static join on its left stands for the left stream.
fn of_sides(columns: Vec<OutputColumn>) -> Vec<OutputColumn<SideColumn>> {
    columns
        .into_iter()
        .map(|column| OutputColumn {
            source: match column.source {
                ColumnRef::Stream(column) => SideColumn::left(column),
                ColumnRef::Dimension(column) => SideColumn::right(column),
            },
            name: column.name,
        })
        .collect()
}
