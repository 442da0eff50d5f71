//! Comparisons under Spark's rules for NaN and signed zeros.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::compute::kernels::cmp;
use arrow::compute::{ilike, like as arrow_like};
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use streamjoin_kernels::Result;

use crate::operators::CompareOp;
use crate::value::{Value, pair};

/// Compares values of the same type. NaN equals NaN and is greater than all
/// other numbers; -0.0 equals 0.0.
pub(crate) fn compare(op: CompareOp, left: &Value, right: &Value) -> Result<Value> {
    let (l, r) = (canonical(left), canonical(right));
    let (l, r) = (&l, &r);
    let result = match op {
        CompareOp::Eq => cmp::eq(l, r),
        CompareOp::NotEq => cmp::neq(l, r),
        CompareOp::Lt => cmp::lt(l, r),
        CompareOp::LtEq => cmp::lt_eq(l, r),
        CompareOp::Gt => cmp::gt(l, r),
        CompareOp::GtEq => cmp::gt_eq(l, r),
        CompareOp::NullSafeEq => cmp::not_distinct(l, r),
        CompareOp::Distinct => cmp::distinct(l, r),
    }?;
    Ok(pair(left, right, Arc::new(result)))
}

/// Maps all NaNs to one and -0.0 to 0.0, because Arrow compares floats in IEEE
/// total order.
fn canonical(value: &Value) -> Value {
    macro_rules! floats {
        ($type:ident, $native:ident) => {
            Arc::new(value.array().as_primitive::<$type>().unary::<_, $type>(|v| {
                // Adding 0.0 turns -0.0 into 0.0.
                if v.is_nan() { $native::NAN } else { v + 0.0 }
            }))
        };
    }
    let canonical: ArrayRef = match value.array().data_type() {
        DataType::Float32 => floats!(Float32Type, f32),
        DataType::Float64 => floats!(Float64Type, f64),
        _ => return value.clone(),
    };
    value.map(canonical)
}

pub(crate) fn like(text: &Value, pattern: &Value, ignore_case: bool) -> Result<Value> {
    let result = if ignore_case { ilike(text, pattern) } else { arrow_like(text, pattern) }?;
    Ok(pair(text, pattern, Arc::new(result)))
}
