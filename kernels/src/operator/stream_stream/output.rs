//! SQL's output columns of two streams.

use arrow::datatypes::Schema;

use super::super::stream_static;
use super::spec::Key;
use crate::column::{ColumnRef, OutputColumn, SideColumn};
use crate::error::Result;
use crate::join_type::JoinType;
use crate::side::Side;

/// The columns of `left JOIN right ON ...`: all of the left, then all of the
/// right, equal names included; left columns only for semi and anti joins.
#[must_use]
pub fn output_on(
    join_type: JoinType,
    left: &Schema,
    right: &Schema,
) -> Vec<OutputColumn<SideColumn>> {
    of_sides(stream_static::output_on(join_type, Side::Left, left, right))
}

/// The columns of `left JOIN right USING (names)`, as
/// [`output_using`](crate::stream_static::output_using) has them.
///
/// # Errors
/// [`JoinError::InvalidPlan`](crate::JoinError::InvalidPlan) if a name is
/// missing on a side or ambiguous there.
pub fn output_using(
    join_type: JoinType,
    left: &Schema,
    right: &Schema,
    names: &[String],
) -> Result<Vec<OutputColumn<SideColumn>>> {
    Ok(of_sides(stream_static::output_using(join_type, Side::Left, left, right, names)?))
}

/// The key pairs of `USING (names)`, matched without regard to case.
///
/// # Errors
/// As [`output_using`].
pub fn using_keys(left: &Schema, right: &Schema, names: &[String]) -> Result<Vec<Key>> {
    let keys = stream_static::using_keys(left, right, names)?;
    Ok(keys.into_iter().map(|key| Key::equal(key.stream, key.table)).collect())
}

/// The stream of a stream-static join on its left stands for the left stream.
fn of_sides(columns: Vec<OutputColumn>) -> Vec<OutputColumn<SideColumn>> {
    columns
        .into_iter()
        .map(|column| OutputColumn {
            source: match column.source {
                ColumnRef::Stream(column) => SideColumn::left(column),
                ColumnRef::Table(column) => SideColumn::right(column),
            },
            name: column.name,
        })
        .collect()
}
