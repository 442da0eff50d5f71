//! Operators over columns and single values, computed by Arrow's kernels where
//! those agree with Spark.

mod arithmetic;
mod compare;
mod nested;
mod time;

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int8Array};
use arrow::compute;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use streamjoin_kernels::spark::{CastMode, cast};
use streamjoin_kernels::{JoinError, Result};

use crate::value::Value;

pub(crate) use arithmetic::{arithmetic, negate};
pub(crate) use compare::{compare, like};
pub(crate) use nested::{element, field, map_value, narrowed};
pub(crate) use time::{add_interval, difference, in_range, plus_months};

/// Translates Arrow's arithmetic errors, adding what to do about them.
fn arithmetic_error(error: ArrowError) -> JoinError {
    match error {
        ArrowError::DivideByZero => division_by_zero(),
        ArrowError::ArithmeticOverflow(text) => {
            overflow_error(format!("{text}; cast to a wider type first, or switch ANSI mode off"))
        }
        other => other.into(),
    }
}

/// The error of a result that leaves the range of its type.
pub(crate) fn overflow_error(what: impl std::fmt::Display) -> JoinError {
    JoinError::predicate(format!("overflow: {what}"))
}

fn division_by_zero() -> JoinError {
    JoinError::predicate(
        "division by zero; use NULLIF(divisor, 0) to get null, or switch ANSI mode off",
    )
}

/// Zero of a number type.
pub(crate) fn zero(data_type: &DataType, mode: CastMode) -> Result<Value> {
    let zero: ArrayRef = Arc::new(Int8Array::from(vec![0]));
    Ok(Value::Scalar(cast(&zero, data_type, mode)?))
}

/// The array with null wherever the mask is true.
fn nullify(array: &ArrayRef, mask: &BooleanArray) -> Result<ArrayRef> {
    Ok(compute::nullif(array.as_ref(), mask)?)
}

/// The error for a type that no kernel handles.
fn unexpected(what: &str, data_type: &DataType) -> JoinError {
    JoinError::InvalidPlan(format!("{what} does not take {data_type}"))
}
