//! Arithmetic on timestamps, dates and intervals.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use arrow::datatypes::*;
use streamjoin_kernels::Result;
use streamjoin_kernels::spark::calendar::{civil_from_days, days_from_civil, days_in_month};
use streamjoin_kernels::spark::{CastMode, cast};

use super::{overflow_error, unexpected};
use crate::value::{Value, pair};

/// Names the operation in overflow messages.
const SUM: &str = "a time plus or minus an interval";

/// The 64-bit counts of a timestamp or duration array.
fn counts(array: &ArrayRef) -> Result<PrimitiveArray<Int64Type>> {
    use TimeUnit::*;
    Ok(match array.data_type() {
        DataType::Timestamp(Second, _) => {
            array.as_primitive::<TimestampSecondType>().reinterpret_cast()
        }
        DataType::Timestamp(Millisecond, _) => {
            array.as_primitive::<TimestampMillisecondType>().reinterpret_cast()
        }
        DataType::Timestamp(Microsecond, _) => {
            array.as_primitive::<TimestampMicrosecondType>().reinterpret_cast()
        }
        DataType::Timestamp(Nanosecond, _) => {
            array.as_primitive::<TimestampNanosecondType>().reinterpret_cast()
        }
        DataType::Duration(Second) => array.as_primitive::<DurationSecondType>().reinterpret_cast(),
        DataType::Duration(Millisecond) => {
            array.as_primitive::<DurationMillisecondType>().reinterpret_cast()
        }
        DataType::Duration(Microsecond) => {
            array.as_primitive::<DurationMicrosecondType>().reinterpret_cast()
        }
        DataType::Duration(Nanosecond) => {
            array.as_primitive::<DurationNanosecondType>().reinterpret_cast()
        }
        other => return Err(unexpected("time arithmetic", other)),
    })
}

/// The counts as an array of a timestamp or duration type.
fn of_counts(counts: PrimitiveArray<Int64Type>, to: &DataType) -> Result<ArrayRef> {
    let data = counts.into_data().into_builder();
    let data = data.data_type(to.clone()).build()?;
    Ok(arrow::array::make_array(data))
}

fn combine(
    left: &Value,
    right: &Value,
    to: &DataType,
    mode: CastMode,
    op: impl Fn(i64, i64) -> Option<i64>,
) -> Result<Value> {
    let (l, r) = (counts(left.array())?, counts(right.array())?);
    let rows = if left.is_scalar() { r.len() } else { l.len() };
    let result = in_range(rows, mode, SUM, |row| {
        let (at_l, at_r) = (left.row(row), right.row(row));
        let known = !l.is_null(at_l) && !r.is_null(at_r);
        known.then(|| op(l.value(at_l), r.value(at_r)))
    })?;
    Ok(pair(left, right, of_counts(result, to)?))
}

/// A time or interval of type `to` plus or minus an interval, which counts
/// months or the unit of `to`.
pub(crate) fn add_interval(
    time: &Value,
    interval: &Value,
    subtract: bool,
    to: &DataType,
    mode: CastMode,
) -> Result<Value> {
    if matches!(interval.array().data_type(), DataType::Interval(IntervalUnit::YearMonth)) {
        return add_months(time, interval, subtract, to, mode);
    }
    if subtract {
        combine(time, interval, to, mode, i64::checked_sub)
    } else {
        combine(time, interval, to, mode, i64::checked_add)
    }
}

/// Adding months moves the date and keeps the time of day.
fn add_months(
    time: &Value,
    interval: &Value,
    subtract: bool,
    to: &DataType,
    mode: CastMode,
) -> Result<Value> {
    let months = interval.array().as_primitive::<IntervalYearMonthType>();
    let (dates, per_day) = match time.array().data_type() {
        DataType::Date32 => (cast(time.array(), &DataType::Date32, mode)?, 1),
        DataType::Timestamp(unit, _) => (time.array().clone(), per_day(*unit)),
        other => return Err(unexpected("an interval of months", other)),
    };
    let counts = match dates.data_type() {
        DataType::Date32 => dates.as_primitive::<Date32Type>().unary::<_, Int64Type>(i64::from),
        _ => counts(&dates)?,
    };
    let rows = if time.is_scalar() { months.len() } else { counts.len() };
    let moved = in_range::<Int64Type>(rows, mode, SUM, |row| {
        let (at, months_at) = (time.row(row), interval.row(row));
        if counts.is_null(at) || months.is_null(months_at) {
            return None;
        }
        let (count, months) = (counts.value(at), i64::from(months.value(months_at)));
        let months = if subtract { -months } else { months };
        let value = plus_months(count.div_euclid(per_day), months)
            .checked_mul(per_day)
            .and_then(|v| v.checked_add(count.rem_euclid(per_day)))
            .filter(|v| per_day > 1 || i32::try_from(*v).is_ok());
        Some(value)
    })?;
    let array: ArrayRef = if per_day == 1 {
        Arc::new(moved.unary::<_, Date32Type>(|v| v as i32))
    } else {
        of_counts(moved, to)?
    };
    Ok(pair(time, interval, array))
}

fn per_day(unit: TimeUnit) -> i64 {
    86_400
        * match unit {
            TimeUnit::Second => 1,
            TimeUnit::Millisecond => 1_000,
            TimeUnit::Microsecond => 1_000_000,
            TimeUnit::Nanosecond => 1_000_000_000,
        }
}

/// The interval from `right` to `left`, timestamps of the same type.
pub(crate) fn difference(
    left: &Value,
    right: &Value,
    to: &DataType,
    mode: CastMode,
) -> Result<Value> {
    combine(left, right, to, mode, i64::checked_sub)
}

/// Collects the results of an operation that may overflow: for each row, `None`
/// is null and `Some(None)` is out of range.
pub(crate) fn in_range<T: ArrowPrimitiveType>(
    rows: usize,
    mode: CastMode,
    what: &str,
    value: impl Fn(usize) -> Option<Option<T::Native>>,
) -> Result<PrimitiveArray<T>> {
    let mut overflow = None;
    let values: PrimitiveArray<T> = (0..rows)
        .map(|row| {
            let value = value(row)?;
            if value.is_none() {
                overflow.get_or_insert(row);
            }
            value
        })
        .collect();
    match overflow {
        Some(row) if mode == CastMode::Ansi => Err(overflow_error(format!(
            "{what} leaves the range of its type (row {row} of the batch)"
        ))),
        _ => Ok(values),
    }
}

/// The same day `months` later, or that month's last day if it is shorter.
pub(crate) fn plus_months(days: i64, months: i64) -> i64 {
    let (year, month, day) = civil_from_days(days);
    let total = year * 12 + i64::from(month - 1) + months;
    let (year, month) = (total.div_euclid(12), total.rem_euclid(12) as u32 + 1);
    days_from_civil(year, month, day.min(days_in_month(year, month)))
}
