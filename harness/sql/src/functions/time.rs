//! Functions of dates and timestamps, all in UTC.

use std::sync::Arc;

use arrow::array::{ArrayRef, PrimitiveArray};
use arrow::datatypes::*;
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::spark::calendar::{civil_from_days, days_from_civil, days_in_month};
use streamjoin_kernels::{JoinError, Result};

use super::Arguments;
use crate::compute::{in_range, plus_months};
use crate::datetime_pattern::DateTimePattern;
use crate::interval::{DAY, SECOND};
use crate::names::shortened;

/// Integers from the days of the first argument.
fn of_date(a: &Arguments<'_>, part: impl Fn(i64) -> i64) -> Result<ArrayRef> {
    let days = a.primitive::<Date32Type>(0);
    let parts: PrimitiveArray<Int32Type> =
        (0..a.rows).map(|row| Some(part(days(row)?.into()) as i32)).collect();
    Ok(Arc::new(parts))
}

/// Integers from the microseconds since midnight of the first argument.
fn of_time(a: &Arguments<'_>, part: impl Fn(i64) -> i64) -> Result<ArrayRef> {
    let micros = a.primitive::<TimestampMicrosecondType>(0);
    let parts: PrimitiveArray<Int32Type> =
        (0..a.rows).map(|row| Some(part(micros(row)?.rem_euclid(DAY)) as i32)).collect();
    Ok(Arc::new(parts))
}

pub(super) fn year(a: &Arguments<'_>) -> Result<ArrayRef> {
    of_date(a, |days| civil_from_days(days).0)
}

pub(super) fn quarter(a: &Arguments<'_>) -> Result<ArrayRef> {
    of_date(a, |days| (i64::from(civil_from_days(days).1) + 2) / 3)
}

pub(super) fn month(a: &Arguments<'_>) -> Result<ArrayRef> {
    of_date(a, |days| civil_from_days(days).1.into())
}

pub(super) fn day(a: &Arguments<'_>) -> Result<ArrayRef> {
    of_date(a, |days| civil_from_days(days).2.into())
}

/// 1 is Sunday. 1970-01-01 was a Thursday.
pub(super) fn day_of_week(a: &Arguments<'_>) -> Result<ArrayRef> {
    of_date(a, |days| (days + 4).rem_euclid(7) + 1)
}

/// 0 is Monday.
pub(super) fn weekday(a: &Arguments<'_>) -> Result<ArrayRef> {
    of_date(a, |days| (days + 3).rem_euclid(7))
}

pub(super) fn day_of_year(a: &Arguments<'_>) -> Result<ArrayRef> {
    of_date(a, |days| days - days_from_civil(civil_from_days(days).0, 1, 1) + 1)
}

pub(super) fn hour(a: &Arguments<'_>) -> Result<ArrayRef> {
    of_time(a, |micros| micros / (3600 * SECOND))
}

pub(super) fn minute(a: &Arguments<'_>) -> Result<ArrayRef> {
    of_time(a, |micros| micros / (60 * SECOND) % 60)
}

pub(super) fn second(a: &Arguments<'_>) -> Result<ArrayRef> {
    of_time(a, |micros| micros / SECOND % 60)
}

fn dates(
    a: &Arguments<'_>,
    what: &str,
    day: impl Fn(usize) -> Option<Option<i64>>,
) -> Result<ArrayRef> {
    let dates = in_range::<Date32Type>(a.rows, a.mode, what, |row| {
        Some(day(row)?.and_then(|day| i32::try_from(day).ok()))
    })?;
    Ok(Arc::new(dates))
}

fn times(
    a: &Arguments<'_>,
    what: &str,
    micros: impl Fn(usize) -> Option<Option<i64>>,
) -> Result<ArrayRef> {
    let times = in_range::<TimestampMicrosecondType>(a.rows, a.mode, what, micros)?;
    Ok(Arc::new(times.with_timezone("UTC")))
}

/// Truncates a timestamp to a unit; null for an unknown unit, as in Spark.
pub(super) fn date_trunc(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (unit, micros) = (a.text(0), a.primitive::<TimestampMicrosecondType>(1));
    let truncate = |row| {
        let (unit, micros) = (unit(row)?, micros(row)?);
        let floor = |step: i64| Some(micros.checked_sub(micros.rem_euclid(step)));
        let days = micros.div_euclid(DAY);
        let midnight = |day: i64| Some(day.checked_mul(DAY));
        let (year, month, _) = civil_from_days(days);
        match unit.to_ascii_lowercase().as_str() {
            "microsecond" => Some(Some(micros)),
            "millisecond" => floor(1000),
            "second" => floor(SECOND),
            "minute" => floor(60 * SECOND),
            "hour" => floor(3600 * SECOND),
            "day" | "dd" => floor(DAY),
            "week" => midnight(days - (days + 3).rem_euclid(7)),
            "month" | "mon" | "mm" => midnight(days_from_civil(year, month, 1)),
            "quarter" => midnight(days_from_civil(year, (month - 1) / 3 * 3 + 1, 1)),
            "year" | "yyyy" | "yy" => midnight(days_from_civil(year, 1, 1)),
            _ => None,
        }
    };
    times(a, "date_trunc", truncate)
}

pub(super) fn date_add(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (days, count) = (a.primitive::<Date32Type>(0), a.primitive::<Int32Type>(1));
    dates(a, "date_add", |row| Some(Some(i64::from(days(row)?) + i64::from(count(row)?))))
}

pub(super) fn date_sub(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (days, count) = (a.primitive::<Date32Type>(0), a.primitive::<Int32Type>(1));
    dates(a, "date_sub", |row| Some(Some(i64::from(days(row)?) - i64::from(count(row)?))))
}

/// Days from the second date to the first.
pub(super) fn date_diff(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (end, start) = (a.primitive::<Date32Type>(0), a.primitive::<Date32Type>(1));
    let days = |row| Some(end(row)?.checked_sub(start(row)?));
    let days = in_range::<Int32Type>(a.rows, a.mode, "datediff", days)?;
    Ok(Arc::new(days))
}

pub(super) fn add_months(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (days, months) = (a.primitive::<Date32Type>(0), a.primitive::<Int32Type>(1));
    dates(a, "add_months", |row| Some(Some(plus_months(days(row)?.into(), months(row)?.into()))))
}

pub(super) fn last_day(a: &Arguments<'_>) -> Result<ArrayRef> {
    let days = a.primitive::<Date32Type>(0);
    dates(a, "last_day", |row| {
        let (year, month, _) = civil_from_days(days(row)?.into());
        Some(Some(days_from_civil(year, month, days_in_month(year, month))))
    })
}

/// The microseconds of each row's text, read by the pattern, which is the same for
/// all rows.
fn by_pattern(a: &Arguments<'_>) -> Result<Vec<Option<i64>>> {
    let (text, pattern) = (a.text(0), a.text(1)(0).unwrap_or_default());
    let parsed = DateTimePattern::to_read(pattern).map_err(JoinError::InvalidPlan)?;
    let time = |row: usize| {
        let Some(text) = text(row) else { return Ok(None) };
        match parsed.read(text) {
            None if a.mode == CastMode::Ansi => {
                let shown = shortened(text, 60);
                Err(JoinError::predicate(format!(
                    "'{shown}' (row {row} of the batch) does not fit the pattern '{pattern}'; correct either, or switch ANSI mode off to get null"
                )))
            }
            time => Ok(time),
        }
    };
    (0..a.rows).map(time).collect()
}

pub(super) fn timestamp_by_pattern(a: &Arguments<'_>) -> Result<ArrayRef> {
    let micros = PrimitiveArray::<TimestampMicrosecondType>::from(by_pattern(a)?);
    Ok(Arc::new(micros.with_timezone("UTC")))
}

pub(super) fn date_by_pattern(a: &Arguments<'_>) -> Result<ArrayRef> {
    let days = by_pattern(a)?.into_iter().map(|micros| Some(micros?.div_euclid(DAY) as i32));
    Ok(Arc::new(days.collect::<PrimitiveArray<Date32Type>>()))
}

/// Whole seconds since 1970, cut off towards it, as Spark does.
pub(super) fn unix_timestamp_by_pattern(a: &Arguments<'_>) -> Result<ArrayRef> {
    let seconds = by_pattern(a)?.into_iter().map(|micros| Some(micros? / SECOND));
    Ok(Arc::new(seconds.collect::<PrimitiveArray<Int64Type>>()))
}

/// As [`unix_timestamp_by_pattern`]: the fraction before 1970 is cut off upwards, which
/// [`unix_seconds`] does not.
pub(super) fn unix_timestamp(a: &Arguments<'_>) -> Result<ArrayRef> {
    let time = a.primitive::<TimestampMicrosecondType>(0);
    let seconds: PrimitiveArray<Int64Type> =
        (0..a.rows).map(|row| Some(time(row)? / SECOND)).collect();
    Ok(Arc::new(seconds))
}

fn timestamp_of(a: &Arguments<'_>, what: &str, micros: i64) -> Result<ArrayRef> {
    let count = a.primitive::<Int64Type>(0);
    times(a, what, |row| Some(count(row)?.checked_mul(micros)))
}

pub(super) fn timestamp_seconds(a: &Arguments<'_>) -> Result<ArrayRef> {
    timestamp_of(a, "timestamp_seconds", SECOND)
}

pub(super) fn timestamp_millis(a: &Arguments<'_>) -> Result<ArrayRef> {
    timestamp_of(a, "timestamp_millis", 1000)
}

pub(super) fn timestamp_micros(a: &Arguments<'_>) -> Result<ArrayRef> {
    timestamp_of(a, "timestamp_micros", 1)
}

fn unix_of(a: &Arguments<'_>, micros: i64) -> Result<ArrayRef> {
    let time = a.primitive::<TimestampMicrosecondType>(0);
    let counts: PrimitiveArray<Int64Type> =
        (0..a.rows).map(|row| Some(time(row)?.div_euclid(micros))).collect();
    Ok(Arc::new(counts))
}

pub(super) fn unix_seconds(a: &Arguments<'_>) -> Result<ArrayRef> {
    unix_of(a, SECOND)
}

pub(super) fn unix_millis(a: &Arguments<'_>) -> Result<ArrayRef> {
    unix_of(a, 1000)
}

pub(super) fn unix_micros(a: &Arguments<'_>) -> Result<ArrayRef> {
    unix_of(a, 1)
}

pub(super) fn unix_date(a: &Arguments<'_>) -> Result<ArrayRef> {
    of_date(a, |days| days)
}

pub(super) fn date_from_unix_date(a: &Arguments<'_>) -> Result<ArrayRef> {
    let days = a.primitive::<Int32Type>(0);
    dates(a, "date_from_unix_date", |row| Some(Some(days(row)?.into())))
}
