//! Evaluation of bound expressions, column by column, with Arrow's kernels.

mod branch;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StructArray, new_null_array};
use arrow::compute::{is_null, not};
use arrow::datatypes::DataType;
use streamjoin_kernels::spark::cast;
use streamjoin_kernels::{JoinError, Result};

use crate::compute;
use crate::expr::{BoundExpr, Expr, Node};
use crate::functions::Arguments;
use crate::nested::is_part;
use crate::operators::Truth;
use crate::types::is_string;
use crate::uuid::uuid_text;
use crate::value::Value;

/// The columns that the expressions of one evaluation read.
#[derive(Clone, Copy, Debug)]
struct Input<'a> {
    columns: &'a [ArrayRef],
    rows: usize,
}

impl BoundExpr {
    /// The value of each row.
    ///
    /// `columns` are those that [`columns`](Self::columns) lists, in that
    /// order, each `rows` long; expressions without columns need only `rows`.
    ///
    /// # Errors
    /// Malformed values, overflow and division by zero in ANSI mode; columns
    /// other than those that the expression was bound to.
    pub fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        if columns.len() != self.columns().len() {
            return Err(JoinError::Schema(format!(
                "an expression over {} columns received {}",
                self.columns().len(),
                columns.len()
            )));
        }
        if let Some(column) = columns.iter().find(|c| c.len() != rows) {
            return Err(JoinError::Schema(format!(
                "a column of {} rows was passed for a batch of {rows}",
                column.len()
            )));
        }
        let input = Input { columns, rows };
        let array = evaluate(self.root(), input)?.into_array(rows)?;
        debug_assert_eq!(array.data_type(), self.data_type());
        Ok(array)
    }
}

fn evaluate(expr: &Expr, input: Input<'_>) -> Result<Value> {
    let operand = |expr: &Expr| evaluate(expr, input);
    match &expr.node {
        Node::Column { slot, name, .. } => match input.columns.get(*slot) {
            // Fields that nothing uses may have been left out.
            Some(column) if is_part(column.data_type(), &expr.data_type) => {
                Ok(Value::Array(column.clone()))
            }
            Some(column) => Err(JoinError::Schema(format!(
                "column `{name}` is {}, but the expression was bound to {}",
                column.data_type(),
                expr.data_type
            ))),
            None => Err(JoinError::Schema(format!("column `{name}` is missing"))),
        },
        Node::Literal(one) => Ok(Value::Scalar(one.clone())),
        Node::Cast { expr: inner, .. } if inner.is_uuid() && is_string(&expr.data_type) => {
            let value = operand(inner)?;
            Ok(value.map(uuid_text(value.array(), &expr.data_type)?))
        }
        Node::Cast { expr: inner, mode } => {
            let value = operand(inner)?;
            Ok(value.map(cast(value.array(), &expr.data_type, *mode)?))
        }
        Node::Compare { op, left, right } => {
            compute::compare(*op, &operand(left)?, &operand(right)?)
        }
        Node::And(operands) => branch::and_or(operands, input, true),
        Node::Or(operands) => branch::and_or(operands, input, false),
        Node::Not(inner) => {
            let value = operand(inner)?;
            let booleans = value.booleans(value.array().len())?;
            Ok(value.map(Arc::new(not(&booleans)?)))
        }
        Node::Is { expr: inner, what, negated } => is(&operand(inner)?, *what, *negated),
        Node::Like { expr: inner, pattern, ignore_case } => {
            compute::like(&operand(inner)?, &operand(pattern)?, *ignore_case)
        }
        Node::Arithmetic { op, left, right, mode } => {
            let (left, right) = (operand(left)?, operand(right)?);
            compute::arithmetic(*op, &left, &right, &expr.data_type, *mode)
        }
        Node::Negate { expr: inner, mode } => {
            let value = operand(inner)?;
            Ok(value.map(compute::negate(&value, *mode)?.array().clone()))
        }
        Node::AddInterval { time, interval, subtract, mode } => {
            let (time, interval) = (operand(time)?, operand(interval)?);
            compute::add_interval(&time, &interval, *subtract, &expr.data_type, *mode)
        }
        Node::TimeDifference { left, right, mode } => {
            compute::difference(&operand(left)?, &operand(right)?, &expr.data_type, *mode)
        }
        Node::Field { expr: inner, name } => {
            let value = operand(inner)?;
            Ok(value.map(compute::field(value.array(), name, &expr.data_type)?))
        }
        Node::Element { expr: list, index, mode } => {
            let (list, index) = (operand(list)?, operand(index)?);
            of_both(&list, &index, input.rows, |rows| compute::element(&list, &index, rows, *mode))
        }
        Node::MapValue { expr: map, key } => {
            let (map, key) = (operand(map)?, operand(key)?);
            of_both(&map, &key, input.rows, |rows| compute::map_value(&map, &key, rows))
        }
        Node::Narrow(inner) => {
            let value = operand(inner)?;
            Ok(value.map(compute::narrowed(value.array(), &expr.data_type)?))
        }
        Node::FromJson { expr: inner, reader, .. } => {
            let value = operand(inner)?;
            let texts = value.array().as_string::<i32>();
            Ok(value.map(reader.read(texts.iter())?))
        }
        Node::ToJson { expr: inner, writer, .. } => {
            let value = operand(inner)?;
            let text = match value.array().data_type() {
                DataType::Null => new_null_array(&DataType::Utf8, value.array().len()),
                _ => writer.write(value.array())?,
            };
            Ok(value.map(text))
        }
        Node::Struct(values) => structs(values, &expr.data_type, input),
        Node::Case { branches, otherwise } => {
            branch::case(branches, otherwise.as_deref(), &expr.data_type, input)
        }
        Node::Coalesce(operands) => branch::coalesce(operands, &expr.data_type, input),
        Node::Call { function, arguments, mode } => {
            let values = arguments.iter().map(operand).collect::<Result<Vec<Value>>>()?;
            let constant = values.iter().all(Value::is_scalar);
            let arguments = Arguments {
                values: &values,
                rows: if constant { 1 } else { input.rows },
                mode: *mode,
                result: &expr.data_type,
            };
            let result = (function.eval)(&arguments)?;
            Ok(if constant { Value::Scalar(result) } else { Value::Array(result) })
        }
    }
}

/// One value if both operands are, else one per row.
fn of_both(
    left: &Value,
    right: &Value,
    rows: usize,
    compute: impl FnOnce(usize) -> Result<ArrayRef>,
) -> Result<Value> {
    match left.is_scalar() && right.is_scalar() {
        true => Ok(Value::Scalar(compute(1)?)),
        false => Ok(Value::Array(compute(rows)?)),
    }
}

fn structs(values: &[Expr], data_type: &DataType, input: Input<'_>) -> Result<Value> {
    let DataType::Struct(fields) = data_type else {
        return Err(JoinError::InvalidPlan(format!("a struct of type {data_type}")));
    };
    let values = values.iter().map(|value| evaluate(value, input)).collect::<Result<Vec<_>>>()?;
    let constant = values.iter().all(Value::is_scalar);
    let rows = if constant { 1 } else { input.rows };
    let columns = values.into_iter().map(|value| value.into_array(rows)).collect::<Result<_>>()?;
    let structs = StructArray::try_new_with_length(fields.clone(), columns, None, rows)?;
    let structs: ArrayRef = Arc::new(structs);
    Ok(if constant { Value::Scalar(structs) } else { Value::Array(structs) })
}

/// `IS [NOT] NULL | TRUE | FALSE`, never null itself.
fn is(value: &Value, what: Truth, negated: bool) -> Result<Value> {
    let array = value.array();
    let result = match what {
        Truth::Null => is_null(array)?,
        Truth::True | Truth::False => {
            let booleans = value.booleans(array.len())?;
            let wanted = what == Truth::True;
            let hits = booleans.iter().map(|b| Some(b == Some(wanted)));
            hits.collect()
        }
    };
    let result = if negated { not(&result)? } else { result };
    Ok(value.map(Arc::new(result)))
}
