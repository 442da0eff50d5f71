//! Numbers to numbers.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, PrimitiveArray};
use arrow::compute;
use arrow::datatypes::*;
use arrow::error::ArrowError;

use super::arrow_casts::{SAFE, arrow_cast};
use super::number_text::{self, DecimalText};
use crate::error::Result;

pub(super) fn number_to_number(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let from = array.data_type();
    if let Some(wide) = widen(array, to) {
        return Ok(wide);
    }
    match (from.is_decimal(), to.is_decimal()) {
        (false, true) if from.is_floating() => float_to_decimal(array, to),
        (false, true) => integer_to_decimal(array, to),
        (true, false) if to.is_floating() => {
            let doubles = decimal_to_float(array)?;
            arrow_cast(&doubles, to)
        }
        _ => match compute::cast_with_options(array, to, &SAFE) {
            Ok(result) => Ok(result),
            // A factor of ten to the scale difference that the type cannot
            // hold: only zero fits. Arrow refuses the whole array.
            Err(ArrowError::CastError(_) | ArrowError::InvalidArgumentError(_)) => {
                through_text(array, to)
            }
            Err(e) => Err(e.into()),
        },
    }
}

/// The lossless pairs that joins meet, without Arrow's check for each row.
fn widen(array: &ArrayRef, to: &DataType) -> Option<ArrayRef> {
    macro_rules! pairs {
        ($($from:ident => $to:ident as $native:ty),+ $(,)?) => {
            match (array.data_type(), to) {
                $((f, t) if *f == $from::DATA_TYPE && *t == $to::DATA_TYPE => {
                    let wide = array.as_primitive::<$from>().unary::<_, $to>(|v| v as $native);
                    Some(Arc::new(wide) as ArrayRef)
                })+
                _ => None,
            }
        };
    }
    pairs! {
        Int8Type => Int16Type as i16, Int8Type => Int32Type as i32, Int8Type => Int64Type as i64,
        Int16Type => Int32Type as i32, Int16Type => Int64Type as i64,
        Int32Type => Int64Type as i64,
        UInt8Type => Int16Type as i16, UInt8Type => Int32Type as i32, UInt8Type => Int64Type as i64,
        UInt16Type => Int32Type as i32, UInt16Type => Int64Type as i64,
        UInt32Type => Int64Type as i64,
        Int8Type => Float64Type as f64, Int16Type => Float64Type as f64,
        Int32Type => Float64Type as f64, Int64Type => Float64Type as f64,
        UInt8Type => Float64Type as f64, UInt16Type => Float64Type as f64,
        UInt32Type => Float64Type as f64, UInt64Type => Float64Type as f64,
        Float32Type => Float64Type as f64, Float64Type => Float32Type as f32,
    }
}

/// Arrow multiplies an integer in the decimal's own width, which refuses
/// values that would fit after all; 128 bits are tried first.
fn integer_to_decimal(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let wide = compute::cast_with_options(array, &DataType::Decimal128(20, 0), &SAFE)?;
    if *to == DataType::Decimal128(20, 0) {
        return Ok(wide);
    }
    match compute::cast_with_options(&wide, to, &SAFE) {
        Ok(result) => Ok(result),
        Err(_) => through_text(&wide, to),
    }
}

/// Through the shortest text of a double, as Spark does: 0.1 becomes 0.1.
/// NaN and the infinities have no decimal.
fn float_to_decimal(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let doubles = arrow_cast(array, &DataType::Float64)?;
    let doubles = doubles.as_primitive::<Float64Type>();
    decimals(to, doubles.len(), |row| {
        (doubles.is_valid(row) && doubles.value(row).is_finite())
            .then(|| doubles.value(row).to_string())
    })
}

/// Correctly rounded, which a division by a power of ten is only while both
/// are exact.
fn decimal_to_float(array: &ArrayRef) -> Result<ArrayRef> {
    let scale = match array.data_type() {
        DataType::Decimal128(_, scale) => *scale,
        DataType::Decimal256(..) => {
            let text = arrow_cast(array, &DataType::Utf8)?;
            let text = text.as_string::<i32>();
            let doubles: PrimitiveArray<Float64Type> =
                text.iter().map(|t| t?.parse::<f64>().ok()).collect();
            return Ok(Arc::new(doubles));
        }
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) => {
            return decimal_to_float(&arrow_cast(array, &DataType::Decimal128(*p, *s))?);
        }
        _ => return arrow_cast(array, &DataType::Float64),
    };
    let decimals = array.as_primitive::<Decimal128Type>();
    const EXACT: u128 = 1 << f64::MANTISSA_DIGITS;
    let power = (0..=22).contains(&scale).then(|| 10f64.powi(i32::from(scale)));
    let doubles = (0..decimals.len()).map(|row| {
        if decimals.is_null(row) {
            return None;
        }
        let value = decimals.value(row);
        match power {
            Some(power) if value.unsigned_abs() <= EXACT => Some(value as f64 / power),
            _ => format!("{value}e{}", -i32::from(scale)).parse().ok(),
        }
    });
    Ok(Arc::new(doubles.collect::<PrimitiveArray<Float64Type>>()))
}

/// A decimal is true unless it is zero.
pub(super) fn decimal_to_boolean(array: &ArrayRef) -> Result<ArrayRef> {
    let doubles = decimal_to_float(array)?;
    let doubles = doubles.as_primitive::<Float64Type>();
    let result: BooleanArray = doubles.iter().map(|v| v.map(|v| v != 0.0)).collect();
    Ok(Arc::new(result))
}

fn through_text(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let text = arrow_cast(array, &DataType::Utf8)?;
    let text = text.as_string::<i32>();
    decimals(to, text.len(), |row| text.is_valid(row).then(|| text.value(row).to_owned()))
}

/// A decimal array of `to` from the text of each row.
pub(super) fn decimals(
    to: &DataType,
    rows: usize,
    text: impl Fn(usize) -> Option<String>,
) -> Result<ArrayRef> {
    let read = |row: usize, precision: u8, scale: i8| match number_text::decimal(
        &text(row)?,
        precision,
        scale,
    ) {
        DecimalText::Value(value) => Some(value),
        DecimalText::Overflow | DecimalText::Malformed => None,
    };
    match to {
        DataType::Decimal256(p, s) => {
            let values = (0..rows).map(|row| read(row, *p, *s));
            finish(values.collect::<PrimitiveArray<Decimal256Type>>(), *p, *s)
        }
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) | DataType::Decimal128(p, s) => {
            let values = (0..rows).map(|row| read(row, *p, *s)?.to_i128());
            let wide = finish(values.collect::<PrimitiveArray<Decimal128Type>>(), *p, *s)?;
            arrow_cast(&wide, to)
        }
        other => Err(crate::JoinError::InvalidPlan(format!("{other} is not a decimal type"))),
    }
}

fn finish<T: DecimalType + ArrowPrimitiveType>(
    values: PrimitiveArray<T>,
    precision: u8,
    scale: i8,
) -> Result<ArrayRef> {
    Ok(Arc::new(values.with_precision_and_scale(precision, scale)?))
}
