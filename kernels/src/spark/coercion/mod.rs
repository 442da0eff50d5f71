//! The type in which two sides are compared: Spark's `AnsiTypeCoercion`,
//! widened by the Arrow types that Spark does not have.

use std::sync::Arc;

use arrow::datatypes::{
    DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, DataType, IntervalUnit, TimeUnit,
};

use super::cast::can_cast;
use super::types::{is_binary, is_string};
use crate::error::{JoinError, Result};

#[cfg(test)]
mod tests;

/// The type that `left` and `right` are both [`cast`](super::cast) to before
/// `=`, `<=>`, `<` and their kin.
///
/// The result is symmetric and never a dictionary:
///
/// | pair | compared as |
/// | --- | --- |
/// | two integer types | the narrowest that holds both; `UInt64` with a signed type: `Decimal128(20, 0)` |
/// | integer or decimal with float or double, float with double | `Float64` |
/// | decimals, decimal with integer | decimal with the larger scale and range; `Decimal256` past 38 digits, so that the comparison stays by value |
/// | timestamps | instants in the finer unit; a timestamp without zone is taken as UTC |
/// | nanosecond timestamps with a coarser unit or a date | `Decimal128(38, 9)` seconds, since an `i64` of nanoseconds ends in the year 2262 |
/// | times of day, durations | the finer unit |
/// | date with timestamp | that timestamp type (midnight UTC) |
/// | string with integer | `Int64` (`UInt64` for `UInt64`) |
/// | string with float, double or decimal | `Float64` |
/// | string with date, timestamp, boolean | that type |
/// | string with binary, binary kinds | binary |
/// | string kinds, dictionaries and run-end encoded columns of anything | by value |
/// | null with a type | that type; two nulls: `Boolean` |
///
/// # Errors
/// [`JoinError::TypeMismatch`] for what Spark refuses (boolean with a number,
/// date with a number, ...) and for nested types.
pub fn comparison_type(left: &DataType, right: &DataType) -> Result<DataType> {
    let (l, r) = (value_type(left), value_type(right));
    common(l, r).or_else(|| common(r, l)).ok_or_else(|| {
        let (remedy, cast_to) = remedy(l, r);
        JoinError::TypeMismatch {
            left: left.clone(),
            right: right.clone(),
            place: String::new(),
            remedy,
            cast_to,
        }
    })
}

/// Dictionaries and runs compare by their values.
fn value_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, value) => value_type(value),
        DataType::RunEndEncoded(_, values) => value_type(values.data_type()),
        other => other,
    }
}

/// One order of each pair suffices: the caller tries both.
fn common(l: &DataType, r: &DataType) -> Option<DataType> {
    use DataType::*;
    if l == r {
        return same(l);
    }
    Some(match (l, r) {
        (Null, other) => same(other)?,
        (l, r) if l.is_integer() && r.is_integer() => integers(l, r)?,
        (Float16, Float32) => Float32,
        (Float16 | Float32 | Float64, Float64) => Float64,
        (l, Float16 | Float32 | Float64) if l.is_integer() || l.is_decimal() => Float64,
        (l, r) if l.is_decimal() && (r.is_decimal() || r.is_integer()) => decimals(l, r)?,
        (Date32, Date64) => Date32,
        (Date32 | Date64, Timestamp(TimeUnit::Nanosecond, _)) => NANOSECOND_SECONDS,
        (Date32 | Date64, Timestamp(unit, zone)) => Timestamp(*unit, zone.clone()),
        (Timestamp(a, za), Timestamp(b, zb)) => timestamps(*a, za.as_ref(), *b, zb.as_ref()),
        (Duration(a), Duration(b)) => Duration(finer(*a, *b)),
        (Time32(_) | Time64(_), Time32(_) | Time64(_)) => Time64(TimeUnit::Nanosecond),
        (l, r) if is_string(l) && is_string(r) => widest_string(l, r),
        (l, r) if is_binary(l) && (is_binary(r) || is_string(r)) => widest_binary(l, r),
        (l, UInt64) if is_string(l) => UInt64,
        (l, r) if is_string(l) && r.is_integer() => Int64,
        (l, r) if is_string(l) && (r.is_floating() || r.is_decimal()) => Float64,
        (l, r @ (Boolean | Date32 | Timestamp(..))) if is_string(l) => r.clone(),
        (l, Date64) if is_string(l) => Date32,
        _ => return None,
    })
}

/// Seconds with nine digits after the point: every instant of every unit.
const NANOSECOND_SECONDS: DataType = DataType::Decimal128(DECIMAL128_MAX_PRECISION, 9);

fn same(data_type: &DataType) -> Option<DataType> {
    use DataType::*;
    match data_type {
        Null => Some(Boolean),
        Float16 => Some(Float32),
        Date64 => Some(Date32),
        Decimal32(p, s) | Decimal64(p, s) => Some(Decimal128(*p, *s)),
        // Months, days and nanoseconds have no order among each other.
        Interval(IntervalUnit::DayTime | IntervalUnit::MonthDayNano) => None,
        other if other.is_nested() => None,
        other => Some(other.clone()),
    }
}

fn integers(l: &DataType, r: &DataType) -> Option<DataType> {
    use DataType::*;
    let (lw, rw) = (l.primitive_width()?, r.primitive_width()?);
    let (signed, unsigned) = (l.is_signed_integer(), r.is_signed_integer());
    if signed == unsigned {
        return Some(if lw >= rw { l.clone() } else { r.clone() });
    }
    let (signed, unsigned) = if signed { (lw, rw) } else { (rw, lw) };
    Some(match signed.max(unsigned * 2) {
        2 => Int16,
        4 => Int32,
        8 => Int64,
        _ => Decimal128(20, 0),
    })
}

/// Precision and scale of a decimal, or of the decimal that holds an integer
/// type (Spark's choices); `None` for other types.
#[must_use]
pub fn decimal_digits(data_type: &DataType) -> Option<(i32, i32)> {
    use DataType::*;
    Some(match data_type {
        Decimal32(p, s) | Decimal64(p, s) | Decimal128(p, s) | Decimal256(p, s) => {
            (i32::from(*p), i32::from(*s))
        }
        Int8 | UInt8 => (3, 0),
        Int16 | UInt16 => (5, 0),
        Int32 | UInt32 => (10, 0),
        Int64 | UInt64 => (20, 0),
        _ => return None,
    })
}

fn decimals(l: &DataType, r: &DataType) -> Option<DataType> {
    let ((lp, ls), (rp, rs)) = (decimal_digits(l)?, decimal_digits(r)?);
    let scale = ls.max(rs);
    let precision = (lp - ls).max(rp - rs) + scale;
    // `scale` is one of two i8 scales; a precision below it is padded.
    let scale_8 = i8::try_from(scale).ok()?;
    let precision = u8::try_from(precision.max(scale).max(1)).ok()?;
    if precision <= DECIMAL128_MAX_PRECISION {
        Some(DataType::Decimal128(precision, scale_8))
    } else if precision <= DECIMAL256_MAX_PRECISION {
        Some(DataType::Decimal256(precision, scale_8))
    } else {
        None
    }
}

type Zone = Arc<str>;

fn finer(a: TimeUnit, b: TimeUnit) -> TimeUnit {
    use TimeUnit::*;
    [Nanosecond, Microsecond, Millisecond]
        .into_iter()
        .find(|unit| a == *unit || b == *unit)
        .unwrap_or(Second)
}

fn timestamps(a: TimeUnit, za: Option<&Zone>, b: TimeUnit, zb: Option<&Zone>) -> DataType {
    let finer = finer(a, b);
    if finer == TimeUnit::Nanosecond && a != b {
        return NANOSECOND_SECONDS;
    }
    let zone = match (za, zb) {
        (None, None) => None,
        (Some(x), Some(y)) if x == y => Some(x.clone()),
        _ => Some("UTC".into()),
    };
    DataType::Timestamp(finer, zone)
}

/// Large before view before plain: each can hold what the next one holds.
fn widest_string(l: &DataType, r: &DataType) -> DataType {
    use DataType::*;
    if matches!((l, r), (LargeUtf8, _) | (_, LargeUtf8)) { LargeUtf8 } else { Utf8View }
}

fn widest_binary(l: &DataType, r: &DataType) -> DataType {
    use DataType::*;
    let any =
        |large: &DataType, text: &DataType| l == large || r == large || l == text || r == text;
    if any(&LargeBinary, &LargeUtf8) {
        LargeBinary
    } else if any(&BinaryView, &Utf8View) {
        BinaryView
    } else {
        Binary
    }
}

/// What to do about two types that are not compared, and the type to cast one
/// of them to, where that helps.
fn remedy(l: &DataType, r: &DataType) -> (String, Option<DataType>) {
    let other = |remedy: &str| (remedy.to_owned(), None);
    if l.is_nested() || r.is_nested() {
        return other("nested values are not compared; select the fields that you mean");
    }
    if matches!(l, DataType::Interval(_)) && l == r {
        return other("these intervals have no order; compare timestamps instead");
    }
    let (from, to) = match (l, r) {
        (DataType::Boolean, other) | (other, DataType::Boolean) => (&DataType::Boolean, other),
        other => other,
    };
    if can_cast(from, to) {
        (format!("cast one of them to {to} first"), Some(to.clone()))
    } else {
        other("they have no common type; compare columns of like types")
    }
}
