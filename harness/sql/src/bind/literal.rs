//! Binds literals to arrays of one row.

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{DECIMAL128_MAX_PRECISION, DataType};
use sqlparser::ast;
use streamjoin_kernels::spark::{CastMode, cast};

use crate::error::{Result, SqlError};
use crate::expr::{Expr, Node};
use crate::interval::{self, IntervalValue};
use crate::names::shortened;
use crate::types;

fn literal(array: impl Array + 'static) -> Expr {
    one(Arc::new(array))
}

/// A literal from an array of one row.
pub(super) fn one(array: ArrayRef) -> Expr {
    let (data_type, nullable) = (array.data_type().clone(), array.logical_null_count() > 0);
    Expr::new(Node::Literal(array), data_type, nullable)
}

/// A string literal of a string type.
pub(super) fn text(text: &str, to: &DataType) -> Result<Expr> {
    let text: ArrayRef = Arc::new(StringArray::from(vec![text]));
    cast(&text, to, CastMode::Ansi).map(one).map_err(|e| SqlError::new(e.to_string()))
}

pub(super) fn value(value: &ast::Value) -> Result<Expr> {
    use ast::Value as V;
    match value {
        V::Number(digits, long) => number(digits, *long),
        V::SingleQuotedString(text)
        | V::EscapedStringLiteral(text)
        | V::NationalStringLiteral(text)
        | V::UnicodeStringLiteral(text) => Ok(literal(StringArray::from(vec![text.as_str()]))),
        V::Boolean(value) => Ok(literal(BooleanArray::from(vec![*value]))),
        V::Null => Ok(literal(NullArray::new(1))),
        V::HexStringLiteral(digits) => {
            let bytes = hex(digits).ok_or_else(|| {
                SqlError::new("malformed binary literal: expected an even number of digits")
            })?;
            Ok(literal(BinaryArray::from_vec(vec![&bytes])))
        }
        V::Placeholder(_) => Err(SqlError::new("parameters are not supported; write the value")),
        _ => Err(SqlError::new(
            "this kind of literal is not supported; write strings in single quotes",
        )),
    }
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    if !digits.is_ascii() || !digits.len().is_multiple_of(2) {
        return None;
    }
    (0..digits.len() / 2).map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok()).collect()
}

/// `1`, `1L`, `1.5`, `1e3`, `1.5D`, `2BD`, with an optional minus: INT,
/// BIGINT or DECIMAL as wide as needed; DOUBLE with an exponent.
pub(super) fn number(text: &str, long: bool) -> Result<Expr> {
    let out_of_range = || {
        let shown = shortened(text, 60);
        SqlError::new(format!("the number {shown} is out of the range of its type"))
    };
    let lower = text.to_ascii_lowercase();
    // `f` and `d` are not digits here: there are no hexadecimal numbers.
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = if long { "l" } else { &lower[digits.len()..] };
    let text_of = |digits: &str| -> ArrayRef { Arc::new(StringArray::from(vec![digits])) };
    let typed = |to: &DataType| {
        cast(&text_of(digits), to, CastMode::Ansi).map(one).map_err(|_| out_of_range())
    };
    match suffix {
        "l" => return typed(&DataType::Int64),
        "s" => return typed(&DataType::Int16),
        "y" => return typed(&DataType::Int8),
        "d" => return typed(&DataType::Float64),
        "f" => return typed(&DataType::Float32),
        "" | "bd" => {}
        _ => return Err(SqlError::new(format!("malformed number `{text}`"))),
    }
    if digits.contains('e') && suffix.is_empty() {
        return typed(&DataType::Float64);
    }
    if suffix.is_empty() && !digits.contains('.') {
        for to in [DataType::Int32, DataType::Int64] {
            if let Ok(value) = typed(&to) {
                return Ok(value);
            }
        }
    }
    let plain = digits.trim_start_matches('-');
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    let scale = fraction.len();
    let precision = (whole.trim_start_matches('0').len() + scale).max(1);
    if precision > usize::from(DECIMAL128_MAX_PRECISION) || digits.contains('e') {
        return Err(out_of_range());
    }
    typed(&DataType::Decimal128(precision as u8, scale as i8))
}

/// `DATE '2013-01-01'`, `TIMESTAMP '2013-01-01 12:00:00'`.
pub(super) fn typed(typed: &ast::TypedString) -> Result<Expr> {
    let Some(text) = typed.value.clone().into_string() else {
        return Err(SqlError::new("expected a string after the type"));
    };
    let to = types::arrow_type(&typed.data_type)?;
    let array: ArrayRef = Arc::new(StringArray::from(vec![text.as_str()]));
    cast(&array, &to, CastMode::Ansi).map(one).map_err(|_| {
        let shown = shortened(&text, 60);
        SqlError::new(format!(
            "`{shown}` is not a {}; write it like {}",
            types::sql_name(&to),
            if types::is_date(&to) {
                "DATE '2013-01-31'"
            } else {
                "TIMESTAMP '2013-01-31 12:00:00'"
            }
        ))
    })
}

pub(super) fn interval(interval: &ast::Interval) -> Result<Expr> {
    Ok(match interval::interval(interval)? {
        IntervalValue::Months(months) => literal(IntervalYearMonthArray::from(vec![months])),
        IntervalValue::Micros { micros, .. } => {
            literal(DurationMicrosecondArray::from(vec![micros]))
        }
    })
}
