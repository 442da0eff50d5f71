//! The output columns of `ON` and `USING`, by stream and table.

use arrow::datatypes::Schema;

use crate::column::{ColumnRef, OutputColumn, SideColumn};
use crate::error::Result;
use crate::join_type::JoinType;
use crate::side::{Side, Sides};
use crate::spark;

/// The columns of `left JOIN right ON ...`, as [`spark::output_on`] has them.
#[must_use]
pub fn output_on(
    join_type: JoinType,
    stream_side: Side,
    stream: &Schema,
    table: &Schema,
) -> Vec<OutputColumn> {
    by_input(spark::output_on(join_type, by_side(stream_side, stream, table)), stream_side)
}

/// The columns of `left JOIN right USING (names)`, as [`spark::output_using`]
/// has them.
///
/// # Errors
/// Those of [`spark::output_using`].
pub fn output_using(
    join_type: JoinType,
    stream_side: Side,
    stream: &Schema,
    table: &Schema,
    names: &[impl AsRef<str>],
) -> Result<Vec<OutputColumn>> {
    let inputs = by_side(stream_side, stream, table);
    Ok(by_input(spark::output_using(join_type, inputs, names)?, stream_side))
}

fn by_side<'a>(stream_side: Side, stream: &'a Schema, table: &'a Schema) -> Sides<&'a Schema> {
    Sides::new(|side| if side == stream_side { stream } else { table })
}

fn by_input(columns: Vec<OutputColumn<SideColumn>>, stream_side: Side) -> Vec<OutputColumn> {
    let by_input = |SideColumn { side, column }| {
        if side == stream_side { ColumnRef::Stream(column) } else { ColumnRef::Table(column) }
    };
    let columns = columns.into_iter();
    columns
        .map(|OutputColumn { source, name }| OutputColumn { source: by_input(source), name })
        .collect()
}
