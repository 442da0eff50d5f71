//! Evaluation of bound expressions, column by column, with Arrow's kernels.

mod branch;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::{is_null, not};
use streamjoin_kernels::spark::cast;
use streamjoin_kernels::{JoinError, Result};

use crate::compute;
use crate::expr::{BoundExpr, Expr, Node};
use crate::functions::Arguments;
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
            Some(column) if *column.data_type() == expr.data_type => {
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
