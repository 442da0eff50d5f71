//! Dates and timestamps from their parts.

use std::sync::Arc;

use arrow::array::{ArrayRef, PrimitiveArray};
use arrow::datatypes::*;
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::spark::calendar::checked_days;
use streamjoin_kernels::{JoinError, Result};

use super::zone::Zone;
use super::{Arguments, Given};
use crate::interval::{DAY, SECOND};
use crate::types::{is_string, sql_name, value_type};

/// Year to minute as INT, the seconds as DECIMAL(16, 6), and a time zone.
pub(super) fn timestamp_types(given: &[Given<'_>]) -> std::result::Result<Vec<DataType>, String> {
    let of = |(at, given): (usize, &Given<'_>)| {
        let from = value_type(given.data_type);
        let fits = is_string(from) || *from == DataType::Null;
        match at {
            0..=5 if !fits && !from.is_numeric() => {
                Err(format!("argument {} must be a number, not {}", at + 1, sql_name(from)))
            }
            0..=4 => Ok(DataType::Int32),
            5 => Ok(DataType::Decimal128(16, 6)),
            _ if !fits => Err(format!(
                "the time zone must be text, such as 'Europe/Berlin', not {}",
                sql_name(from)
            )),
            _ => Ok(DataType::Utf8),
        }
    };
    given.iter().enumerate().map(of).collect()
}

pub(super) fn check_zone(given: &[Given<'_>]) -> std::result::Result<(), String> {
    match given.get(6).and_then(Given::text) {
        None => Ok(()),
        Some(zone) => Zone::parse(zone).map(|_| ()),
    }
}

/// In UTC, or in the zone of the last argument. 60 seconds begin the next minute.
pub(super) fn make_timestamp(a: &Arguments<'_>) -> Result<ArrayRef> {
    timestamps(a, a.mode)
}

/// As [`make_timestamp`], with null for what does not exist.
pub(super) fn try_make_timestamp(a: &Arguments<'_>) -> Result<ArrayRef> {
    timestamps(a, CastMode::Try)
}

fn timestamps(a: &Arguments<'_>, mode: CastMode) -> Result<ArrayRef> {
    let parts: [_; 5] = std::array::from_fn(|at| a.primitive::<Int32Type>(at));
    let (seconds, zone) = (a.primitive::<Decimal128Type>(5), a.text(6));
    let given = a.has(6);
    let mut last: Option<(&str, Zone)> = None;
    let mut of_row = |row: usize| -> Result<Option<i64>> {
        let parts = parts.each_ref().map(|part| part(row));
        let zone = if given { zone(row) } else { Some("UTC") };
        let (
            [Some(year), Some(month), Some(day), Some(hour), Some(minute)],
            Some(micros),
            Some(zone),
        ) = (parts, seconds(row), zone)
        else {
            return Ok(None);
        };
        if last.as_ref().is_none_or(|(known, _)| *known != zone) {
            let parsed = Zone::parse(zone).map_err(|e| {
                JoinError::predicate(format!("make_timestamp: {e} (row {row} of the batch)"))
            })?;
            last = Some((zone, parsed));
        }
        let local = local_micros(year, month, day, hour, minute, micros);
        match local.zip(last.as_ref()).and_then(|(local, (_, zone))| zone.to_utc(local)) {
            None if mode == CastMode::Ansi => Err(JoinError::predicate(format!(
                "make_timestamp: there is no {year:04}-{month:02}-{day:02} {hour:02}:{minute:02} and {}.{:06} seconds (row {row} of the batch); use try_make_timestamp, or switch ANSI mode off to get null",
                micros / i128::from(SECOND),
                micros.unsigned_abs() % SECOND.unsigned_abs() as u128
            ))),
            micros => Ok(micros),
        }
    };
    let times = (0..a.rows).map(&mut of_row).collect::<Result<Vec<_>>>()?;
    let times = PrimitiveArray::<TimestampMicrosecondType>::from(times);
    Ok(Arc::new(times.with_timezone("UTC")))
}

/// Microseconds from 1970-01-01 to a local time, if it exists.
fn local_micros(
    year: i32,
    month: i32,
    day: i32,
    hour: i32,
    minute: i32,
    micros: i128,
) -> Option<i64> {
    let days = days(year, month, day)?;
    let minute_of_day = (0..24).contains(&hour).then_some(hour)? * 60
        + (0..60).contains(&minute).then_some(minute)?;
    // 60 is the next minute, but 60.5 nothing.
    let minute_long = i128::from(60 * SECOND);
    let micros = (0..=minute_long).contains(&micros).then_some(micros as i64)?;
    days.checked_mul(DAY)?.checked_add(i64::from(minute_of_day) * 60 * SECOND + micros)
}

fn days(year: i32, month: i32, day: i32) -> Option<i64> {
    checked_days(year.into(), u32::try_from(month).ok()?, u32::try_from(day).ok()?)
}

pub(super) fn make_date(a: &Arguments<'_>) -> Result<ArrayRef> {
    let parts: [_; 3] = std::array::from_fn(|at| a.primitive::<Int32Type>(at));
    let of_row = |row: usize| -> Result<Option<i32>> {
        let [Some(year), Some(month), Some(day)] = parts.each_ref().map(|part| part(row)) else {
            return Ok(None);
        };
        match days(year, month, day).and_then(|days| i32::try_from(days).ok()) {
            None if a.mode == CastMode::Ansi => Err(JoinError::predicate(format!(
                "make_date: there is no {year:04}-{month:02}-{day:02} (row {row} of the batch); correct it, or switch ANSI mode off to get null"
            ))),
            days => Ok(days),
        }
    };
    let dates = (0..a.rows).map(of_row).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(PrimitiveArray::<Date32Type>::from(dates)))
}
