//! Arithmetic on numbers: overflow is an error in ANSI mode; otherwise integers
//! wrap around and decimals become null, as in Spark.

use std::sync::Arc;

use arrow::array::{Array, AsArray, BooleanArray, PrimitiveArray};
use arrow::compute::kernels::{cmp, numeric};
use arrow::datatypes::*;
use streamjoin_kernels::Result;
use streamjoin_kernels::spark::{CastMode, cast, decimal_digits};

use super::{arithmetic_error, division_by_zero, nullify, overflow_error, unexpected, zero};
use crate::operators::ArithmeticOp;
use crate::types::widest;
use crate::value::{Value, pair};

/// `left op right`, both of the same type or both decimals.
pub(crate) fn arithmetic(
    op: ArithmeticOp,
    left: &Value,
    right: &Value,
    result: &DataType,
    mode: CastMode,
) -> Result<Value> {
    let right = &if op.divides() { without_zeros(left, right, mode)? } else { right.clone() };
    if left.array().data_type().is_decimal() {
        return decimal(op, left, right, result, mode);
    }
    let checked = mode == CastMode::Ansi;
    let computed = match op {
        ArithmeticOp::Add if checked => numeric::add(left, right),
        ArithmeticOp::Add => numeric::add_wrapping(left, right),
        ArithmeticOp::Subtract if checked => numeric::sub(left, right),
        ArithmeticOp::Subtract => numeric::sub_wrapping(left, right),
        ArithmeticOp::Multiply if checked => numeric::mul(left, right),
        ArithmeticOp::Multiply => numeric::mul_wrapping(left, right),
        ArithmeticOp::Divide | ArithmeticOp::IntegerDivide => numeric::div(left, right),
        ArithmeticOp::Remainder => numeric::rem(left, right),
    };
    let computed = computed.map_err(arithmetic_error)?;
    let value = pair(left, right, computed);
    if value.array().data_type() == result {
        return Ok(value);
    }
    Ok(value.map(cast(value.array(), result, mode)?))
}

/// The divisor with null for zero; in ANSI mode, dividing a value by zero is an
/// error.
fn without_zeros(left: &Value, right: &Value, mode: CastMode) -> Result<Value> {
    let divisor = right.array();
    // -0.0 counts as zero too.
    let is_zero: BooleanArray = match divisor.data_type() {
        DataType::Float32 => {
            divisor.as_primitive::<Float32Type>().iter().map(|v| Some(v? == 0.0)).collect()
        }
        DataType::Float64 => {
            divisor.as_primitive::<Float64Type>().iter().map(|v| Some(v? == 0.0)).collect()
        }
        _ => cmp::eq(divisor, &zero(divisor.data_type(), CastMode::Try)?)?,
    };
    if is_zero.true_count() == 0 {
        return Ok(right.clone());
    }
    let rows = if right.is_scalar() { left.array().len() } else { divisor.len() };
    let hit = |row: usize| {
        let at = right.row(row);
        is_zero.is_valid(at) && is_zero.value(at) && left.array().is_valid(left.row(row))
    };
    if mode == CastMode::Ansi && (0..rows).any(hit) {
        return Err(division_by_zero());
    }
    Ok(right.map(nullify(divisor, &is_zero)?))
}

/// Computes exactly in 256 bits, then rounds half up to the result's scale.
fn decimal(
    op: ArithmeticOp,
    left: &Value,
    right: &Value,
    result: &DataType,
    mode: CastMode,
) -> Result<Value> {
    let scale = |value: &Value| {
        decimal_digits(value.array().data_type())
            .map(|(_, scale)| scale)
            .ok_or_else(|| unexpected(op.sql(), value.array().data_type()))
    };
    let (l_scale, r_scale) = (scale(left)?, scale(right)?);
    let wide = |value: &Value, scale: i32| -> Result<Value> {
        Ok(value.map(cast(value.array(), &widest(scale), mode)?))
    };
    let (l, r) = (wide(left, l_scale)?, wide(right, r_scale)?);
    let computed = match op {
        ArithmeticOp::Add => numeric::add(&l, &r),
        ArithmeticOp::Subtract => numeric::sub(&l, &r),
        ArithmeticOp::Multiply => numeric::mul(&l, &r),
        ArithmeticOp::Remainder => numeric::rem(&l, &r),
        ArithmeticOp::Divide => return divide(&l, &r, l_scale - r_scale, result, mode),
        ArithmeticOp::IntegerDivide => {
            let whole = DataType::Decimal128(DECIMAL128_MAX_PRECISION, 0);
            let value = quotient(&l, &r, l_scale - r_scale, 0, false, &whole, mode)?;
            return Ok(value.map(cast(value.array(), result, mode)?));
        }
    };
    let computed = computed.map_err(arithmetic_error)?;
    Ok(pair(left, right, cast(&computed, result, mode)?))
}

fn divide(l: &Value, r: &Value, scale: i32, result: &DataType, mode: CastMode) -> Result<Value> {
    let DataType::Decimal128(_, digits) = *result else {
        return Err(unexpected("/", result));
    };
    quotient(l, r, scale, digits.into(), true, result, mode)
}

/// `l / r` with `digits` after the point, rounded half up or truncated.
fn quotient(
    l: &Value,
    r: &Value,
    scale: i32,
    digits: i32,
    round: bool,
    result: &DataType,
    mode: CastMode,
) -> Result<Value> {
    let (DataType::Decimal256(..), DataType::Decimal256(..)) =
        (l.array().data_type(), r.array().data_type())
    else {
        return Err(unexpected("/", l.array().data_type()));
    };
    let (left, right) =
        (l.array().as_primitive::<Decimal256Type>(), r.array().as_primitive::<Decimal256Type>());
    let rows = if l.is_scalar() { right.len() } else { left.len() };
    let ten = i256::from_i128(10);
    let power = |exponent: i32| ten.checked_pow(exponent.max(0).unsigned_abs());
    // The unscaled quotient is l * 10^(digits - scale) / r.
    let shift = digits - scale;
    let (up, down) = (power(shift), power(-shift));
    let (DataType::Decimal128(precision, _), Some(down)) = (result, down) else {
        return Err(unexpected("/", result));
    };
    let bound = i256::from_i128(10_i128.pow(u32::from(*precision)));
    let mut overflow = false;
    let values: PrimitiveArray<Decimal128Type> = (0..rows)
        .map(|row| {
            let (at_l, at_r) = (l.row(row), r.row(row));
            if left.is_null(at_l) || right.is_null(at_r) {
                return None;
            }
            let value = || {
                let dividend = left.value(at_l).checked_mul(up?)?;
                let divisor = right.value(at_r).checked_mul(down)?;
                let value = dividend.checked_div(divisor)?;
                let rest = dividend.checked_rem(divisor)?;
                let twice = rest.checked_add(rest)?;
                let away = round && twice.wrapping_abs() >= divisor.wrapping_abs();
                let value = match (away, (dividend < i256::ZERO) == (divisor < i256::ZERO)) {
                    (false, _) => value,
                    (true, true) => value.checked_add(i256::ONE)?,
                    (true, false) => value.checked_sub(i256::ONE)?,
                };
                (value.wrapping_abs() < bound).then(|| value.to_i128())?
            };
            let value = value();
            overflow |= value.is_none();
            value
        })
        .collect();
    if overflow && mode == CastMode::Ansi {
        return Err(overflow_error(format!(
            "a quotient does not fit {result}; cast to a narrower decimal or to double first"
        )));
    }
    let values = values.with_data_type(result.clone());
    Ok(pair(l, r, Arc::new(values)))
}

/// The negated number or interval.
pub(crate) fn negate(value: &Value, mode: CastMode) -> Result<Value> {
    let array = value.array();
    let opposite =
        if mode == CastMode::Ansi { numeric::neg(array) } else { numeric::neg_wrapping(array) };
    Ok(value.map(opposite.map_err(arithmetic_error)?))
}
