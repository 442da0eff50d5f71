//! Functions of numbers.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, PrimitiveArray};
use arrow::compute;
use arrow::datatypes::*;
use streamjoin_kernels::spark::{CastMode, cast};
use streamjoin_kernels::{JoinError, Result};

use super::Arguments;
use crate::compute::{compare, negate, overflow_error, zero};
use crate::operators::CompareOp;
use crate::value::Value;

fn doubles(a: &Arguments<'_>, value: impl Fn(usize) -> Option<f64>) -> Result<ArrayRef> {
    let doubles: PrimitiveArray<Float64Type> = (0..a.rows).map(value).collect();
    Ok(Arc::new(doubles))
}

/// The first argument, one value per row.
fn first(a: &Arguments<'_>) -> Result<ArrayRef> {
    a.values[0].clone().into_array(a.rows)
}

pub(super) fn abs(a: &Arguments<'_>) -> Result<ArrayRef> {
    let array = first(a)?;
    if array.data_type().is_unsigned_integer() {
        return Ok(array);
    }
    macro_rules! floats {
        ($type:ident) => {
            Ok(Arc::new(array.as_primitive::<$type>().unary::<_, $type>(|v| v.abs())))
        };
    }
    match array.data_type() {
        DataType::Float32 => return floats!(Float32Type),
        DataType::Float64 => return floats!(Float64Type),
        _ => {}
    }
    let value = Value::Array(array.clone());
    let negative = compare(CompareOp::Lt, &value, &zero(array.data_type(), a.mode)?)?;
    let opposite = negate(&value, a.mode)?;
    let negative = negative.into_array(a.rows)?;
    Ok(compute::kernels::zip::zip(negative.as_boolean(), opposite.array(), &array)?)
}

pub(super) fn floor(a: &Arguments<'_>) -> Result<ArrayRef> {
    whole(a, f64::floor, false)
}

pub(super) fn ceil(a: &Arguments<'_>) -> Result<ArrayRef> {
    whole(a, f64::ceil, true)
}

fn whole(a: &Arguments<'_>, round: fn(f64) -> f64, up: bool) -> Result<ArrayRef> {
    let array = first(a)?;
    let from = array.data_type().clone();
    if let DataType::Decimal128(_, scale @ 1..) = from {
        let step = 10_i128.pow(scale.unsigned_abs().into());
        let decimals = array.as_primitive::<Decimal128Type>();
        let whole = decimals.unary::<_, Decimal128Type>(|v| {
            let floor = v.div_euclid(step);
            if up && v.rem_euclid(step) != 0 { floor + 1 } else { floor }
        });
        let whole: ArrayRef = Arc::new(whole.with_precision_and_scale(38, 0)?);
        return cast(&whole, a.result, a.mode);
    }
    if from.is_floating() {
        let array = cast(&array, &DataType::Float64, a.mode)?;
        let whole = array.as_primitive::<Float64Type>().unary::<_, Float64Type>(round);
        return cast(&(Arc::new(whole) as ArrayRef), a.result, a.mode);
    }
    cast(&array, a.result, a.mode)
}

/// Rounds half away from zero; a negative second argument rounds to tens, hundreds, ...
pub(super) fn round(a: &Arguments<'_>) -> Result<ArrayRef> {
    let array = first(a)?;
    let digits = a.primitive::<Int32Type>(1);
    let given = a.has(1);
    let digits = |row| if given { digits(row) } else { Some(0) };
    // By way of text: 2.675 rounds to 2.68, as with Spark's BigDecimal.
    if array.data_type().is_floating() {
        let wide = cast(&array, &DataType::Float64, a.mode)?;
        let wide = wide.as_primitive::<Float64Type>();
        let rounded: ArrayRef = Arc::new(
            (0..a.rows)
                .map(|row| {
                    let digits = digits(row)?;
                    wide.is_valid(row).then(|| round_double(wide.value(row), digits))
                })
                .collect::<PrimitiveArray<Float64Type>>(),
        );
        return cast(&rounded, array.data_type(), a.mode);
    }
    let scale = match array.data_type() {
        DataType::Decimal128(_, scale) => i64::from(*scale),
        other if other.is_integer() => 0,
        other => {
            return Err(JoinError::InvalidPlan(format!("round does not take {other}")));
        }
    };
    let wide = match array.data_type() {
        DataType::Decimal128(..) => array.clone(),
        _ => cast(&array, &DataType::Decimal128(20, 0), a.mode)?,
    };
    let wide = wide.as_primitive::<Decimal128Type>();
    let mut overflow = false;
    let rounded: PrimitiveArray<Decimal128Type> = (0..a.rows)
        .map(|row| {
            let digits = i64::from(digits(row)?);
            if wide.is_null(row) {
                return None;
            }
            let value = round_decimal(wide.value(row), scale - digits);
            overflow |= value.is_none();
            value
        })
        .collect();
    if overflow && a.mode == CastMode::Ansi {
        return Err(overflow_error("round leaves the range of its type"));
    }
    let scale = scale as i8;
    let rounded: ArrayRef = Arc::new(rounded.with_precision_and_scale(38, scale)?);
    cast(&rounded, array.data_type(), a.mode)
}

/// Replaces the last `drop` decimal digits by zeros, rounding half away from zero.
fn round_decimal(value: i128, drop: i64) -> Option<i128> {
    let Ok(drop) = u32::try_from(drop) else {
        return Some(value);
    };
    let Some(step) = 10_i128.checked_pow(drop) else {
        return Some(0);
    };
    let half = step / 2;
    let towards = if value < 0 { value.checked_sub(half) } else { value.checked_add(half) };
    towards?.checked_div(step)?.checked_mul(step)
}

fn round_double(value: f64, digits: i32) -> f64 {
    if !value.is_finite() || digits > 340 {
        return value;
    }
    if digits < -340 {
        return 0.0;
    }
    // Shift the decimal point in the shortest text, round, shift back.
    let shifted: Option<f64> = format!("{value:e}").split_once('e').and_then(|(m, e)| {
        let e: i32 = e.parse().ok()?;
        format!("{m}e{}", e + digits).parse().ok()
    });
    match shifted {
        Some(shifted) if shifted.is_finite() && shifted.abs() < 9e15 => {
            format!("{}e{}", shifted.round(), -digits).parse().unwrap_or(value)
        }
        _ => value,
    }
}

pub(super) fn sqrt(a: &Arguments<'_>) -> Result<ArrayRef> {
    let value = a.primitive::<Float64Type>(0);
    doubles(a, |row| value(row).map(f64::sqrt))
}

pub(super) fn exp(a: &Arguments<'_>) -> Result<ArrayRef> {
    let value = a.primitive::<Float64Type>(0);
    doubles(a, |row| value(row).map(f64::exp))
}

/// Null unless the value is positive, as in Spark.
pub(super) fn ln(a: &Arguments<'_>) -> Result<ArrayRef> {
    let value = a.primitive::<Float64Type>(0);
    doubles(a, |row| value(row).filter(|v| *v > 0.0 || v.is_nan()).map(f64::ln))
}

pub(super) fn power(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (base, exponent) = (a.primitive::<Float64Type>(0), a.primitive::<Float64Type>(1));
    doubles(a, |row| Some(base(row)?.powf(exponent(row)?)))
}

/// False for null, as in Spark.
pub(super) fn is_nan(a: &Arguments<'_>) -> Result<ArrayRef> {
    let value = a.primitive::<Float64Type>(0);
    let tests: BooleanArray =
        (0..a.rows).map(|row| Some(value(row).is_some_and(f64::is_nan))).collect();
    Ok(Arc::new(tests))
}

pub(super) fn greatest(a: &Arguments<'_>) -> Result<ArrayRef> {
    extreme(a, CompareOp::Gt)
}

pub(super) fn least(a: &Arguments<'_>) -> Result<ArrayRef> {
    extreme(a, CompareOp::Lt)
}

/// The extreme of the values that are not null.
fn extreme(a: &Arguments<'_>, better: CompareOp) -> Result<ArrayRef> {
    let mut best = first(a)?;
    for value in &a.values[1..] {
        let next = value.clone().into_array(a.rows)?;
        let wins = compare(better, &Value::Array(next.clone()), &Value::Array(best.clone()))?;
        let wins = wins.into_array(a.rows)?;
        let wins = wins.as_boolean();
        let takes: BooleanArray = (0..a.rows)
            .map(|row| {
                let won = wins.is_valid(row) && wins.value(row);
                Some(next.is_valid(row) && (best.is_null(row) || won))
            })
            .collect();
        best = compute::kernels::zip::zip(&takes, &next, &best)?;
    }
    Ok(best)
}
