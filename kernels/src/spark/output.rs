//! The output columns of a join: `ON` keeps those of both sides, `USING` has
//! its keys once.

use arrow::datatypes::Schema;

use crate::column::{OutputColumn, SideColumn};
use crate::error::Result;
use crate::join_type::JoinType;
use crate::key_pair::{KeyPair, resolve_keys};
use crate::side::{Side, Sides};

/// The columns of `left JOIN right ON ...`: all of the left, then all of the
/// right, equal names included; left columns only for semi and anti joins.
///
/// ```
/// use streamjoin_kernels::arrow::datatypes::{DataType, Field, Schema};
/// use streamjoin_kernels::{JoinType, Sides, spark};
///
/// # fn main() -> streamjoin_kernels::Result<()> {
/// let left = Schema::new(vec![Field::new("id", DataType::Int64, true)]);
/// let right = left.clone();
/// let inputs = Sides { left: &left, right: &right };
/// assert_eq!(spark::output_on(JoinType::Inner, inputs).len(), 2);
/// assert_eq!(spark::output_using(JoinType::Inner, inputs, &["id"])?.len(), 1);
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn output_on(join_type: JoinType, inputs: Sides<&Schema>) -> Vec<OutputColumn<SideColumn>> {
    columns_except(join_type, inputs, &[])
}

/// The columns of `left JOIN right USING (names)`: the keys once, in the order
/// given, then the other columns of the left, then those of the right. The key
/// columns are those of the left side, or of the right side in a right outer
/// join.
///
/// # Errors
/// [`JoinError::UnknownColumn`](crate::JoinError::UnknownColumn) if a name is
/// missing on a side, [`JoinError::AmbiguousColumn`](crate::JoinError::AmbiguousColumn)
/// if several columns there have it.
pub fn output_using(
    join_type: JoinType,
    inputs: Sides<&Schema>,
    names: &[impl AsRef<str>],
) -> Result<Vec<OutputColumn<SideColumn>>> {
    let keys = using_keys(inputs, names)?;
    let kept = if join_type == JoinType::RightOuter { Side::Right } else { Side::Left };
    let column = |key: &KeyPair| output_column(inputs, kept, key.on(kept));
    let mut output: Vec<_> = keys.iter().map(column).collect();
    output.extend(columns_except(join_type, inputs, &keys));
    Ok(output)
}

/// The pairs of columns that `USING (names)` compares.
///
/// # Errors
/// Those of [`output_using`].
pub(crate) fn using_keys(
    inputs: Sides<&Schema>,
    names: &[impl AsRef<str>],
) -> Result<Vec<KeyPair>> {
    let keys = names.iter().map(|name| (name.as_ref(), name.as_ref()));
    resolve_keys(keys, [("the left side", inputs.left), ("the right side", inputs.right)])
}

/// All columns that the join outputs but these keys.
fn columns_except(
    join_type: JoinType,
    inputs: Sides<&Schema>,
    keys: &[KeyPair],
) -> Vec<OutputColumn<SideColumn>> {
    let sides = if join_type.is_existence() { &Side::BOTH[..1] } else { &Side::BOTH };
    let columns = sides.iter().flat_map(|&side| {
        let is_key = move |column: usize| keys.iter().any(|key| key.on(side) == column);
        let others = (0..inputs[side].fields().len()).filter(move |&column| !is_key(column));
        others.map(move |column| output_column(inputs, side, column))
    });
    columns.collect()
}

fn output_column(inputs: Sides<&Schema>, side: Side, column: usize) -> OutputColumn<SideColumn> {
    let name = inputs[side].field(column).name().clone();
    OutputColumn { source: SideColumn { side, column }, name }
}
