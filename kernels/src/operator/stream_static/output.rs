//! SQL's output columns: `ON` keeps both sides', `USING` merges the keys.

use arrow::datatypes::Schema;

use super::spec::KeyPair;
use crate::column::{ColumnRef, OutputColumn};
use crate::error::{JoinError, Result};
use crate::join_type::JoinType;
use crate::side::Side;

/// The columns of `left JOIN right ON ...`: all of the left, then all of the
/// right, equal names included; left columns only for semi and anti joins.
#[must_use]
pub fn output_on(
    join_type: JoinType,
    stream_side: Side,
    stream: &Schema,
    table: &Schema,
) -> Vec<OutputColumn> {
    sides(join_type, stream_side, stream, table)
        .into_iter()
        .flat_map(|(schema, source)| columns(schema, source, &[]))
        .collect()
}

/// The columns of `left JOIN right USING (names)`: the keys once, in the order
/// given, then the other columns of the left, then those of the right. The kept
/// key is the left's, in a right outer join the right's (Spark's rule).
///
/// # Errors
/// [`JoinError::InvalidPlan`] if a name is missing on a side or ambiguous there.
pub fn output_using(
    join_type: JoinType,
    stream_side: Side,
    stream: &Schema,
    table: &Schema,
    names: &[String],
) -> Result<Vec<OutputColumn>> {
    let keys = using_keys(stream, table, names)?;
    let kept = match join_type {
        JoinType::RightOuter => Side::Right,
        _ => Side::Left,
    };
    let mut output: Vec<OutputColumn> = keys
        .iter()
        .map(|key| {
            let (source, schema, at) = if kept == stream_side {
                (ColumnRef::Stream(key.stream), stream, key.stream)
            } else {
                (ColumnRef::Table(key.table), table, key.table)
            };
            OutputColumn { source, name: schema.field(at).name().clone() }
        })
        .collect();
    let used: Vec<ColumnRef> = keys
        .iter()
        .flat_map(|key| [ColumnRef::Stream(key.stream), ColumnRef::Table(key.table)])
        .collect();
    for (schema, source) in sides(join_type, stream_side, stream, table) {
        output.extend(columns(schema, source, &used));
    }
    Ok(output)
}

/// The key pairs of `USING (names)`, matched without regard to case.
///
/// # Errors
/// [`JoinError::InvalidPlan`] if a name is missing on a side or ambiguous there.
pub fn using_keys(stream: &Schema, table: &Schema, names: &[String]) -> Result<Vec<KeyPair>> {
    let find = |schema: &Schema, side: &str, name: &str| {
        let found: Vec<usize> = (0..schema.fields().len())
            .filter(|&i| schema.field(i).name().to_lowercase() == name.to_lowercase())
            .collect();
        match found[..] {
            [one] => Ok(one),
            [] => Err(JoinError::InvalidPlan(format!(
                "USING column `{name}` cannot be resolved on the {side} side, which has: {}",
                schema.fields().iter().map(|f| f.name().as_str()).collect::<Vec<_>>().join(", ")
            ))),
            _ => Err(JoinError::InvalidPlan(format!(
                "USING column `{name}` is ambiguous: the {side} side has {} columns of that name; rename all but one",
                found.len()
            ))),
        }
    };
    names
        .iter()
        .map(|name| Ok(KeyPair::equal(find(stream, "stream", name)?, find(table, "table", name)?)))
        .collect()
}

/// Makes a reference to a column of one side.
type Source = fn(usize) -> ColumnRef;

/// The sides that come out, in the query's order.
fn sides<'a>(
    join_type: JoinType,
    stream_side: Side,
    stream: &'a Schema,
    table: &'a Schema,
) -> Vec<(&'a Schema, Source)> {
    let stream: (_, Source) = (stream, ColumnRef::Stream);
    let table: (_, Source) = (table, ColumnRef::Table);
    let mut sides = match stream_side {
        Side::Left => vec![stream, table],
        Side::Right => vec![table, stream],
    };
    if join_type.is_existence() {
        sides.truncate(1);
    }
    sides
}

fn columns(schema: &Schema, source: Source, without: &[ColumnRef]) -> Vec<OutputColumn> {
    (0..schema.fields().len())
        .map(|i| (source(i), schema.field(i).name().clone()))
        .filter(|(source, _)| !without.contains(source))
        .map(|(source, name)| OutputColumn { source, name })
        .collect()
}
