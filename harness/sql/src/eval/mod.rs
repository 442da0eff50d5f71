//! Evaluation of bound expressions, column by column, with Arrow's kernels.

mod arithmetic;
mod branch;
mod compare;
mod time;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Datum, UInt32Array, new_null_array};
use arrow::compute;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use streamjoin_kernels::spark::cast;
use streamjoin_kernels::{JoinError, Result};

pub(super) use arithmetic::negate;
pub(super) use compare::compare;

use super::expr::{BoundExpr, Expr, Node, Truth};
use super::functions::Arguments;

/// A column, or one value that stands for all rows.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Array(ArrayRef),
    /// An array of one row.
    Scalar(ArrayRef),
}

impl Value {
    pub(super) fn array(&self) -> &ArrayRef {
        match self {
            Self::Array(array) | Self::Scalar(array) => array,
        }
    }

    fn is_scalar(&self) -> bool {
        matches!(self, Self::Scalar(_))
    }

    /// Where the value of a row is within the array.
    pub(super) fn row(&self, row: usize) -> usize {
        if self.is_scalar() { 0 } else { row }
    }

    /// The same kind of value from another array.
    fn map(&self, array: ArrayRef) -> Self {
        match self {
            Self::Array(_) => Self::Array(array),
            Self::Scalar(_) => Self::Scalar(array),
        }
    }

    /// One value a row.
    pub(super) fn into_array(self, rows: usize) -> Result<ArrayRef> {
        match self {
            Self::Array(array) => Ok(array),
            Self::Scalar(one) if rows == 1 => Ok(one),
            Self::Scalar(one) if one.logical_null_count() > 0 => {
                Ok(new_null_array(one.data_type(), rows))
            }
            Self::Scalar(one) => {
                let zeros = UInt32Array::from(vec![0; rows]);
                Ok(compute::take(&one, &zeros, None)?)
            }
        }
    }

    fn booleans(&self, rows: usize) -> Result<BooleanArray> {
        let array = self.clone().into_array(rows)?;
        match array.as_boolean_opt() {
            Some(booleans) => Ok(booleans.clone()),
            None => Err(JoinError::InvalidPlan(format!(
                "a truth value was expected, not {}",
                array.data_type()
            ))),
        }
    }
}

impl Datum for Value {
    fn get(&self) -> (&dyn Array, bool) {
        (self.array().as_ref(), self.is_scalar())
    }
}

/// What the expressions of one evaluation read.
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
    /// Malformed casts, overflow and division by zero in ANSI mode, and
    /// columns that are not the ones the expression was bound to.
    pub fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        if columns.len() != self.columns().len() {
            return Err(JoinError::Schema(format!(
                "an expression over {} columns was given {}",
                self.columns().len(),
                columns.len()
            )));
        }
        if let Some(column) = columns.iter().find(|c| c.len() != rows) {
            return Err(JoinError::Schema(format!(
                "a column of {} rows was given for a batch of {rows}",
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
                "column `{name}` is {}, the expression was planned for {}",
                column.data_type(),
                expr.data_type
            ))),
            None => Err(JoinError::Schema(format!("column `{name}` is missing"))),
        },
        Node::Literal(one) => Ok(Value::Scalar(one.clone())),
        Node::Cast { expr: inner, mode } => {
            let value = operand(inner)?;
            Ok(value.map(cast(value.array(), &expr.data_type, *mode)?))
        }
        Node::Compare { op, left, right } => compare(*op, &operand(left)?, &operand(right)?),
        Node::And(operands) => branch::and_or(operands, input, true),
        Node::Or(operands) => branch::and_or(operands, input, false),
        Node::Not(inner) => {
            let value = operand(inner)?;
            let booleans = value.booleans(value.array().len())?;
            Ok(value.map(std::sync::Arc::new(compute::not(&booleans)?)))
        }
        Node::Is { expr: inner, what, negated } => is(&operand(inner)?, *what, *negated),
        Node::Like { expr: inner, pattern, ignore_case } => {
            compare::like(&operand(inner)?, &operand(pattern)?, *ignore_case)
        }
        Node::Arithmetic { op, left, right, mode } => {
            let (left, right) = (operand(left)?, operand(right)?);
            arithmetic::arithmetic(*op, &left, &right, &expr.data_type, *mode)
        }
        Node::Negate { expr: inner, mode } => {
            let value = operand(inner)?;
            Ok(value.map(negate(&value, *mode)?.array().clone()))
        }
        Node::AddInterval { time, interval, subtract, mode } => {
            let (time, interval) = (operand(time)?, operand(interval)?);
            time::add_interval(&time, &interval, *subtract, &expr.data_type, *mode)
        }
        Node::TimeDifference { left, right, mode } => {
            time::difference(&operand(left)?, &operand(right)?, &expr.data_type, *mode)
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
        Truth::Null => compute::is_null(array)?,
        Truth::True | Truth::False => {
            let booleans = value.booleans(array.len())?;
            let wanted = what == Truth::True;
            let hits = booleans.iter().map(|b| Some(b == Some(wanted)));
            hits.collect()
        }
    };
    let result = if negated { compute::not(&result)? } else { result };
    Ok(value.map(std::sync::Arc::new(result)))
}

/// Both scalars or not: what an operation on the two gives.
fn pair(left: &Value, right: &Value, array: ArrayRef) -> Value {
    if left.is_scalar() && right.is_scalar() { Value::Scalar(array) } else { Value::Array(array) }
}

/// Arrow's arithmetic errors in our terms.
fn arithmetic_error(error: ArrowError) -> JoinError {
    match error {
        ArrowError::DivideByZero => division_by_zero(),
        ArrowError::ArithmeticOverflow(text) => JoinError::Overflow(format!(
            "{text}; cast to a wider type first, or switch ANSI mode off"
        )),
        other => other.into(),
    }
}

fn division_by_zero() -> JoinError {
    JoinError::Predicate(
        "division by zero; use NULLIF(divisor, 0) to get null, or switch ANSI mode off".into(),
    )
}

/// Null where a mask says so.
fn nullify(array: &ArrayRef, mask: &BooleanArray) -> Result<ArrayRef> {
    Ok(compute::nullif(array.as_ref(), mask)?)
}

/// For a type that no kernel is written for.
fn unexpected(what: &str, data_type: &DataType) -> JoinError {
    JoinError::InvalidPlan(format!("{what} does not take {data_type}"))
}
