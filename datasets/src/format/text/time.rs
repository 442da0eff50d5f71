//! Texts and numbers as timestamps, as far as arrow does not read them: local times that a
//! zone skips or repeats, Spark's shorter forms, and seconds since 1970.

use std::sync::Arc;

use arrow::array::timezone::Tz;
use arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringArray, make_array};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Decimal128Type, Int64Type, TimeUnit};
use arrow::error::ArrowError;
use chrono::{
    DateTime, Datelike, LocalResult, NaiveDate, NaiveDateTime, Offset, TimeDelta, TimeZone,
};
use streamjoin_kernels::spark::{CastMode, cast};

/// Precedes a text that was a JSON number.
pub(in crate::format) const NUMBER: char = '\u{1}';

/// 2099, in seconds since 1970: soon after, the table of zones ends.
const TABLE_END: i64 = 4_070_908_800;

/// What a number without a mark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bare {
    /// A number, as in CSV, which has no others.
    Number,
    /// Text, as in JSON, where a number carries a mark.
    Text,
}

/// Texts as timestamps of a unit and, if they are instants, a zone; null where a text is
/// none.
///
/// Local times are those of the zone. One that the zone skips is shifted forward by what is
/// skipped, and of one that it repeats the earlier instant is taken, as in Spark. Numbers
/// are seconds since 1970 where there is a zone. A finer fraction is cut off.
pub(super) fn parse(
    text: &StringArray,
    to: &DataType,
    (unit, zone): (TimeUnit, Option<&str>),
    bare: Bare,
) -> Result<ArrayRef, ArrowError> {
    let safe = CastOptions { safe: true, ..Default::default() };
    let parsed = cast_with_options(text, to, &safe)?;
    let found = ticks(&parsed)?;
    let found = found.as_primitive::<Int64Type>();
    let rules_end = zone.is_some_and(is_region).then_some(TABLE_END * per_second(unit));
    let is_beyond = |ticks: i64| rules_end.is_some_and(|end| ticks >= end);
    if parsed.null_count() == text.null_count() && !found.iter().flatten().any(is_beyond) {
        return Ok(parsed);
    }
    let plain = StringArray::from_iter(text.iter().map(|text| text.filter(|t| !is_number(t))));
    let region = match zone.map(str::parse::<Tz>).transpose()? {
        Some(zone) => zone,
        None => "UTC".parse::<Tz>()?,
    };
    let forms = SparkForms::read(&plain, unit)?;
    let numbers = seconds(text, unit, zone.is_some().then_some(bare))?;
    let values = (0..text.len()).map(|row| {
        if found.is_valid(row) && is_beyond(found.value(row)) {
            forms.instant(row, &region).or(Some(found.value(row)))
        } else if found.is_valid(row) {
            Some(found.value(row))
        } else if numbers.is_valid(row) {
            Some(numbers.value(row))
        } else if plain.is_valid(row) {
            forms.instant(row, &region).or_else(|| named_zone(plain.value(row), unit))
        } else {
            None
        }
    });
    let values = values.collect::<Int64Array>();
    Ok(make_array(values.to_data().into_builder().data_type(to.clone()).build()?))
}

/// A text that is a number, marked as one or not.
pub(super) fn is_number(text: &str) -> bool {
    let text = text.strip_prefix(NUMBER).unwrap_or(text).trim();
    let digits = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().all(digits) && text.parse::<f64>().is_ok()
}

/// A bare number of four to six digits may as well be a year.
fn may_be_a_year(text: &str) -> bool {
    let text = text.trim();
    (4..=6).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

/// Numbers of seconds since 1970 in ticks; null where a text is none.
fn seconds(
    text: &StringArray,
    unit: TimeUnit,
    bare: Option<Bare>,
) -> Result<Int64Array, ArrowError> {
    let Some(bare) = bare else { return Ok(Int64Array::new_null(text.len())) };
    let numbers = text.iter().map(|text| {
        let text = text?;
        match text.strip_prefix(NUMBER) {
            Some(number) => Some(number),
            None => {
                (bare == Bare::Number && is_number(text) && !may_be_a_year(text)).then_some(text)
            }
        }
    });
    let numbers: ArrayRef = Arc::new(numbers.collect::<StringArray>());
    if numbers.null_count() == numbers.len() {
        return Ok(Int64Array::new_null(text.len()));
    }
    // Nine digits, which reach beyond any unit's range.
    let exact = cast(&numbers, &DataType::Decimal128(38, 9), CastMode::Try).map_err(external)?;
    let per_tick = i128::from(1_000_000_000 / per_second(unit));
    let exact = exact.as_primitive::<Decimal128Type>();
    let ticks = exact.iter().map(|value| i64::try_from(value?.div_euclid(per_tick)).ok());
    Ok(ticks.collect())
}

/// Texts in the forms that Spark reads, such as `2024-2-9 1:2:3` or `2024-02-29 12`.
struct SparkForms {
    unit: TimeUnit,
    /// In ticks; local times as if they were UTC.
    ticks: Int64Array,
    /// Not null where a text names no zone: another one may follow.
    with_zone: ArrayRef,
    text: StringArray,
}

impl SparkForms {
    fn read(text: &StringArray, unit: TimeUnit) -> Result<SparkForms, ArrowError> {
        let read = |text: StringArray| {
            let text: ArrayRef = Arc::new(text);
            cast(&text, &DataType::Timestamp(unit, None), CastMode::Try).map_err(external)
        };
        let followed = text.iter().map(|text| Some(format!("{}Z", text?.trim_end())));
        let (with_zone, found) = (read(followed.collect())?, read(text.clone())?);
        let ticks = ticks(&found)?.as_primitive::<Int64Type>().clone();
        Ok(SparkForms { unit, ticks, with_zone, text: text.clone() })
    }

    fn instant(&self, row: usize, zone: &Tz) -> Option<i64> {
        let ticks = self.ticks.is_valid(row).then(|| self.ticks.value(row))?;
        // A zone follows seconds only.
        let is_local = self.with_zone.is_valid(row)
            || !self.text.value(row).contains(':')
            || self.text.value(row).matches(':').count() == 1;
        if is_local { resolve(ticks, self.unit, zone) } else { Some(ticks) }
    }
}

/// A local time that is followed by the name of a zone, which skips or repeats it.
fn named_zone(text: &str, unit: TimeUnit) -> Option<i64> {
    let start = text.char_indices().skip(11).find(|(_, c)| c.is_ascii_alphabetic())?.0;
    let (local, zone) = text.split_at(start);
    let zone: Tz = zone.trim().parse().ok()?;
    let local: ArrayRef = Arc::new(StringArray::from(vec![local.trim_end()]));
    let local = cast(&local, &DataType::Timestamp(unit, None), CastMode::Try).ok()?;
    let local = ticks(&local).ok()?;
    let local = local.as_primitive::<Int64Type>();
    local.is_valid(0).then(|| local.value(0)).and_then(|ticks| resolve(ticks, unit, &zone))
}

/// The instant of a local time.
fn resolve(local: i64, unit: TimeUnit, zone: &Tz) -> Option<i64> {
    let per_second = per_second(unit);
    let wall = DateTime::from_timestamp(local.div_euclid(per_second), 0)?.naive_utc();
    let east = i64::from(seconds_east(&wall, zone)?);
    local.checked_sub(east.checked_mul(per_second)?)
}

/// Seconds east of Greenwich at a local time.
fn seconds_east(wall: &NaiveDateTime, zone: &Tz) -> Option<i32> {
    let wall = &within_table(*wall)?;
    let offset = match zone.offset_from_local_datetime(wall) {
        LocalResult::Single(offset) => offset.fix(),
        // The earlier instant has the clock that was further ahead.
        LocalResult::Ambiguous(a, b) => {
            let (a, b) = (a.fix(), b.fix());
            if a.local_minus_utc() > b.local_minus_utc() { a } else { b }
        }
        // With the clock as it was before it was put forward, which is at most a day
        // and some hours ago.
        LocalResult::None => {
            let before = wall.checked_sub_signed(TimeDelta::hours(40))?;
            zone.offset_from_utc_datetime(&before).fix()
        }
    };
    Some(offset.local_minus_utc())
}

/// The same time of a year in the zone's table that has the same days of the week: a zone's
/// last rules go on for ever.
fn within_table(wall: NaiveDateTime) -> Option<NaiveDateTime> {
    if wall.and_utc().timestamp() < TABLE_END {
        return Some(wall);
    }
    let first = |year| NaiveDate::from_yo_opt(year, 1);
    let year = first(wall.year())?;
    let alike = |other: &NaiveDate| {
        other.weekday() == year.weekday() && other.leap_year() == year.leap_year()
    };
    // Each kind of year comes within 28.
    let alike = (2060..2088).filter_map(first).find(alike)?;
    wall.with_year(alike.year())
}

fn is_region(zone: &str) -> bool {
    !zone.starts_with(['+', '-']) && !zone.eq_ignore_ascii_case("UTC") && zone != "Z"
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn ticks(times: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let data = times.to_data().into_builder().data_type(DataType::Int64).build()?;
    Ok(make_array(data))
}

fn external(error: streamjoin_kernels::JoinError) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}

#[cfg(test)]
#[path = "time_tests.rs"]
mod tests;
