//! Distances between times in a unit, and times moved by a number of units.

use std::sync::Arc;

use arrow::array::{ArrayRef, PrimitiveArray};
use arrow::datatypes::{Int64Type, TimestampMicrosecondType};
use streamjoin_kernels::spark::calendar::civil_from_days;
use streamjoin_kernels::{JoinError, Result};

use super::{Arguments, Given};
use crate::compute::{in_range, plus_months};
use crate::interval::{DAY, SECOND};
use crate::names::hint;

/// A unit of time.
#[derive(Clone, Copy)]
enum Unit {
    Micros(i64),
    Months(i64),
}

const UNITS: [(&str, Unit); 10] = [
    ("microsecond", Unit::Micros(1)),
    ("millisecond", Unit::Micros(1000)),
    ("second", Unit::Micros(SECOND)),
    ("minute", Unit::Micros(60 * SECOND)),
    ("hour", Unit::Micros(3600 * SECOND)),
    ("day", Unit::Micros(DAY)),
    ("week", Unit::Micros(7 * DAY)),
    ("month", Unit::Months(1)),
    ("quarter", Unit::Months(3)),
    ("year", Unit::Months(12)),
];

fn unit(name: &str) -> std::result::Result<Unit, String> {
    let lower = name.to_lowercase();
    UNITS.iter().find(|(known, _)| *known == lower).map(|(_, unit)| *unit).ok_or_else(|| {
        let known = UNITS.map(|(known, _)| known);
        format!(
            "unknown unit `{name}`{}; the units are {}",
            hint(&lower, &known),
            known.join(", ").to_uppercase()
        )
    })
}

/// As [`unit`], with another name for days.
fn unit_to_add(name: &str) -> std::result::Result<Unit, String> {
    match name.eq_ignore_ascii_case("dayofyear") {
        true => Ok(Unit::Micros(DAY)),
        false => unit(name),
    }
}

fn check(
    given: &[Given<'_>],
    unit: fn(&str) -> std::result::Result<Unit, String>,
) -> std::result::Result<(), String> {
    let name = given[0].text().ok_or("the first argument must be a unit, such as HOUR")?;
    unit(name).map(|_| ())
}

pub(super) fn check_difference(given: &[Given<'_>]) -> std::result::Result<(), String> {
    check(given, unit)
}

pub(super) fn check_add(given: &[Given<'_>]) -> std::result::Result<(), String> {
    check(given, unit_to_add)
}

fn of_call(a: &Arguments<'_>, unit: fn(&str) -> std::result::Result<Unit, String>) -> Result<Unit> {
    unit(a.text(0)(0).unwrap_or_default()).map_err(JoinError::InvalidPlan)
}

/// Whole units from the second argument to the third; what is left is cut off.
pub(super) fn difference(a: &Arguments<'_>) -> Result<ArrayRef> {
    let unit = of_call(a, unit)?;
    let start = a.primitive::<TimestampMicrosecondType>(1);
    let end = a.primitive::<TimestampMicrosecondType>(2);
    let between = |row| {
        let (start, end) = (start(row)?, end(row)?);
        Some(match unit {
            Unit::Micros(micros) => end.checked_sub(start).map(|distance| distance / micros),
            Unit::Months(months) => Some(months_between(start, end) / months),
        })
    };
    Ok(Arc::new(in_range::<Int64Type>(a.rows, a.mode, "timestampdiff", between)?))
}

/// Whole months from one moment to another, as `java.time` counts them.
fn months_between(start: i64, end: i64) -> i64 {
    let (start_day, start_time) = (start.div_euclid(DAY), start.rem_euclid(DAY));
    let (mut end_day, end_time) = (end.div_euclid(DAY), end.rem_euclid(DAY));
    // A last day that is not whole does not count.
    if end_day > start_day && end_time < start_time {
        end_day -= 1;
    } else if end_day < start_day && end_time > start_time {
        end_day += 1;
    }
    let packed = |days: i64| {
        let (year, month, day) = civil_from_days(days);
        (year * 12 + i64::from(month)) * 32 + i64::from(day)
    };
    (packed(end_day) - packed(start_day)) / 32
}

/// The third argument moved by as many units as the second says.
pub(super) fn add(a: &Arguments<'_>) -> Result<ArrayRef> {
    let unit = of_call(a, unit_to_add)?;
    let (count, time) = (a.primitive::<Int64Type>(1), a.primitive::<TimestampMicrosecondType>(2));
    let moved = |row| {
        let (count, time) = (count(row)?, time(row)?);
        Some(match unit {
            Unit::Micros(micros) => count.checked_mul(micros).and_then(|by| time.checked_add(by)),
            Unit::Months(months) => count
                .checked_mul(months)
                .filter(|months| i32::try_from(*months).is_ok())
                .and_then(|months| plus_months(time.div_euclid(DAY), months).checked_mul(DAY))
                .and_then(|day| day.checked_add(time.rem_euclid(DAY))),
        })
    };
    let times: PrimitiveArray<TimestampMicrosecondType> =
        in_range(a.rows, a.mode, "timestampadd", moved)?;
    Ok(Arc::new(times.with_timezone("UTC")))
}
