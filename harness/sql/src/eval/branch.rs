//! Operations that do not evaluate every operand for every row: AND, OR, CASE,
//! COALESCE.
//!
//! Operands are first evaluated for all rows, which is fastest. Only if that
//! fails (a division by zero, a malformed number) are they evaluated for just
//! the rows that need them, so that `b <> 0 AND a / b > 1` is safe.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, UInt32Array, new_null_array};
use arrow::buffer::BooleanBuffer;
use arrow::compute;
use arrow::datatypes::DataType;
use streamjoin_kernels::{JoinError, Result};

use super::{Input, evaluate};
use crate::expr::Expr;
use crate::value::Value;

/// The value for the rows of a mask; it is undefined for other rows.
fn evaluate_where(expr: &Expr, input: Input<'_>, mask: &BooleanBuffer) -> Result<Value> {
    let error = match evaluate(expr, input) {
        Ok(value) => return Ok(value),
        Err(error) if mask.count_set_bits() == input.rows => return Err(error),
        Err(error) => error,
    };
    let rows: Vec<u32> = mask.set_indices().map(|row| row as u32).collect();
    if rows.is_empty() {
        return Ok(Value::Scalar(new_null_array(&expr.data_type, 1)));
    }
    if input.rows > u32::MAX as usize {
        return Err(error);
    }
    let indices = UInt32Array::from(rows);
    let columns = input
        .columns
        .iter()
        .map(|column| compute::take(column, &indices, None))
        .collect::<std::result::Result<Vec<ArrayRef>, _>>()?;
    let some = Input { columns: &columns, rows: indices.len() };
    let value = evaluate(expr, some).map_err(|e| in_batch(e, &indices))?;
    let value = value.into_array(indices.len())?;
    // Back to the rows of the batch.
    let mut places: Vec<Option<u32>> = vec![None; input.rows];
    for (place, row) in indices.values().iter().enumerate() {
        places[*row as usize] = Some(place as u32);
    }
    Ok(Value::Array(compute::take(&value, &UInt32Array::from(places), None)?))
}

/// Maps the row of an error back to the whole batch.
fn in_batch(error: JoinError, indices: &UInt32Array) -> JoinError {
    let of_batch = |row: usize| indices.values().get(row).map_or(row, |r| *r as usize);
    match error {
        JoinError::MalformedValue { value, from, to, row } => {
            JoinError::MalformedValue { value, from, to, row: of_batch(row) }
        }
        JoinError::OutOfRange { value, from, to, row } => {
            JoinError::OutOfRange { value, from, to, row: of_batch(row) }
        }
        other => other,
    }
}

/// Bits that are set where the value is `wanted`.
fn bits(booleans: &BooleanArray, wanted: bool) -> BooleanBuffer {
    let values = if wanted { booleans.values().clone() } else { !booleans.values() };
    match booleans.nulls() {
        Some(nulls) => &values & nulls.inner(),
        None => values,
    }
}

/// `AND` (or `OR`) in three-valued logic; an operand matters only for rows where
/// no previous operand is false (true).
pub(super) fn and_or(operands: &[Expr], input: Input<'_>, and: bool) -> Result<Value> {
    let Some((first, rest)) = operands.split_first() else {
        return Ok(Value::Scalar(Arc::new(BooleanArray::from(vec![and]))));
    };
    let mut result = evaluate(first, input)?.booleans(input.rows)?;
    for operand in rest {
        let open = !&bits(&result, !and);
        if open.count_set_bits() == 0 {
            break;
        }
        let next = evaluate_where(operand, input, &open)?.booleans(input.rows)?;
        result = if and {
            compute::and_kleene(&result, &next)?
        } else {
            compute::or_kleene(&result, &next)?
        };
    }
    Ok(Value::Array(Arc::new(result)))
}

/// Picks the value of one branch for each row.
struct Choice {
    values: Vec<Value>,
    /// Branch of each row; rows without one are null.
    branches: Vec<Option<usize>>,
}

impl Choice {
    fn add(&mut self, value: Value, rows: &BooleanBuffer) {
        for row in rows.set_indices() {
            self.branches[row] = Some(self.values.len());
        }
        self.values.push(value);
    }

    fn finish(self, data_type: &DataType) -> Result<Value> {
        let nothing = new_null_array(data_type, 1);
        let mut arrays: Vec<&dyn Array> = self.values.iter().map(|v| v.array().as_ref()).collect();
        arrays.push(nothing.as_ref());
        let last = arrays.len() - 1;
        let indices: Vec<(usize, usize)> = (self.branches.iter().enumerate())
            .map(|(row, branch)| branch.map_or((last, 0), |b| (b, self.values[b].row(row))))
            .collect();
        Ok(Value::Array(compute::interleave(&arrays, &indices)?))
    }
}

pub(super) fn case(
    branches: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    data_type: &DataType,
    input: Input<'_>,
) -> Result<Value> {
    let mut open = BooleanBuffer::new_set(input.rows);
    let mut choice = Choice { values: Vec::new(), branches: vec![None; input.rows] };
    for (when, then) in branches {
        if open.count_set_bits() == 0 {
            break;
        }
        let condition = evaluate_where(when, input, &open)?.booleans(input.rows)?;
        let chosen = &open & &bits(&condition, true);
        if chosen.count_set_bits() > 0 {
            choice.add(evaluate_where(then, input, &chosen)?, &chosen);
            open = &open & &!&chosen;
        }
    }
    if let Some(otherwise) = otherwise
        && open.count_set_bits() > 0
    {
        choice.add(evaluate_where(otherwise, input, &open)?, &open);
    }
    choice.finish(data_type)
}

pub(super) fn coalesce(operands: &[Expr], data_type: &DataType, input: Input<'_>) -> Result<Value> {
    let mut open = BooleanBuffer::new_set(input.rows);
    let mut choice = Choice { values: Vec::new(), branches: vec![None; input.rows] };
    for operand in operands {
        if open.count_set_bits() == 0 {
            break;
        }
        let value = evaluate_where(operand, input, &open)?;
        let valid = match value.array().logical_nulls() {
            None => BooleanBuffer::new_set(input.rows),
            Some(nulls) => {
                let valid = |row| nulls.is_valid(value.row(row));
                BooleanBuffer::collect_bool(input.rows, valid)
            }
        };
        let chosen = &open & &valid;
        open = &open & &!&valid;
        choice.add(value, &chosen);
    }
    choice.finish(data_type)
}
