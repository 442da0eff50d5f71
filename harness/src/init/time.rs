//! Which column says when a row happened, and how it is to be read.

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use chrono::{NaiveDate, NaiveDateTime};

use super::names::{is_key_like, words};
use super::outlier::few;
use crate::scenario::{EventTimeSpec, TimeUnitName};

/// Patterns of text that are tried, the likelier first of two that read the same text.
const PATTERNS: [&str; 20] = [
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%dT%H:%M:%S%.fZ",
    "%Y-%m-%dT%H:%M:%S%.f+00:00",
    "%Y-%m-%d %H:%M:%S%.f+00:00",
    "%Y-%m-%d %H:%M:%S%.f UTC",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
    "%Y/%m/%d %H:%M:%S%.f",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%m/%d/%Y %H:%M:%S%.f",
    "%m/%d/%Y %I:%M:%S %p",
    "%m/%d/%Y",
    "%d/%m/%Y %H:%M:%S%.f",
    "%d/%m/%Y",
    "%d.%m.%Y %H:%M:%S%.f",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y",
    "%d/%b/%Y:%H:%M:%S +0000",
];

/// Numbers that are times since 1970 from 2000 to 2100, by unit.
const EPOCHS: [(TimeUnitName, i64); 4] = [
    (TimeUnitName::Second, 1),
    (TimeUnitName::Millisecond, 1_000),
    (TimeUnitName::Microsecond, 1_000_000),
    (TimeUnitName::Nanosecond, 1_000_000_000),
];
const YEAR_2000: i64 = 946_684_800;
const YEAR_2100: i64 = 4_102_444_800;

/// Words of columns that say when a row happened.
const HAPPENED: &str = "ts time timestamp datetime at event epoch when occurred happened date \
    day zeit datum";

/// Words of columns that say something else of a row's life, as of an entity.
const OF_AN_ENTITY: &str = "created updated modified changed inserted loaded ingested received \
    arrival processed registered signup joined born birth birthday valid expires";

/// Words of columns with a border of a span.
const OF_A_SPAN: &str = "expiry until end start";

/// A column that can be read as times.
#[derive(Clone, Debug)]
pub(super) struct TimeGuess {
    /// How a scenario says it.
    pub(super) spec: EventTimeSpec,
    /// How likely it is the event time, in no unit.
    pub(super) likelihood: f64,
    /// Why, for people.
    pub(super) why: String,
    /// Another pattern that reads every value too, though otherwise.
    pub(super) rival: Option<&'static str>,
}

/// Whether `values`, the first of a column, are times.
pub(super) fn guess(name: &str, values: &ArrayRef) -> Option<TimeGuess> {
    if values.len() == values.logical_null_count() {
        return None;
    }
    let by_name = by_name(name);
    let spec = |unit, format: Option<&str>| EventTimeSpec {
        column: name.to_owned(),
        unit,
        format: format.map(str::to_owned),
    };
    let found = |spec, certainty: f64, why: String| TimeGuess {
        spec,
        likelihood: certainty + by_name,
        why,
        rival: None,
    };
    match values.data_type() {
        DataType::Timestamp(..) => Some(found(spec(None, None), 2.0, "a timestamp".to_owned())),
        DataType::Date32 => Some(found(spec(None, None), 1.0, "a date".to_owned())),
        data_type if data_type.is_integer() => {
            let unit = epoch(values, name)?;
            let why = format!("integers that are {} since 1970", unit_name(unit));
            Some(found(spec(Some(unit), None), 1.5, why))
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let mut fitting = patterns(values);
            let format = fitting.next()?;
            let guess = found(spec(None, Some(format)), 1.7, format!("text like \"{format}\""));
            Some(TimeGuess { rival: fitting.next(), ..guess })
        }
        _ => None,
    }
}

/// What a name says: for an event time, or against it.
fn by_name(name: &str) -> f64 {
    let words = words(name);
    let any = |list: &str| list.split(' ').any(|known| words.iter().any(|word| word == known));
    let whole: String = words.concat();
    let mut score = 0.0;
    if any(HAPPENED) || whole.ends_with("time") || whole.ends_with("timestamp") {
        score += 1.0;
    }
    if any(OF_AN_ENTITY) || any(OF_A_SPAN) {
        score -= 1.2;
    }
    score
}

/// Whether a name says that the time is of the row's own life, as a table's are.
pub(super) fn is_of_an_entity(name: &str) -> bool {
    words(name).iter().any(|word| OF_AN_ENTITY.split(' ').any(|known| known == word))
}

/// The unit in which all numbers, or all but a few of many, are times from 2000 to 2100.
fn epoch(values: &ArrayRef, name: &str) -> Option<TimeUnitName> {
    if is_key_like(name) {
        return None;
    }
    let numbers = cast(values, &DataType::Int64).ok()?;
    let numbers: &Int64Array = numbers.as_primitive::<Int64Type>();
    let rows = numbers.len() - numbers.null_count();
    let (unit, _) = EPOCHS.into_iter().find(|(_, scale)| {
        let is_time = |number: &i64| {
            *number >= YEAR_2000 * scale
                && number.checked_div(*scale).is_some_and(|time| time < YEAR_2100)
        };
        let times = numbers.iter().flatten().filter(is_time).count();
        rows - times <= few(rows)
    })?;
    // Numbers of ten digits may be anything; a name must say more.
    (unit != TimeUnitName::Second || by_name(name) > 0.0).then_some(unit)
}

/// The patterns that read every value.
fn patterns(values: &ArrayRef) -> impl Iterator<Item = &'static str> {
    let text = cast(values, &DataType::Utf8).ok();
    PATTERNS.into_iter().filter(move |pattern| {
        let Some(text) = &text else { return false };
        let mut some = text.as_string::<i32>().iter().flatten();
        some.all(|value| {
            NaiveDateTime::parse_from_str(value, pattern).is_ok()
                || NaiveDate::parse_from_str(value, pattern).is_ok()
        })
    })
}

/// A unit for people.
fn unit_name(unit: TimeUnitName) -> &'static str {
    match unit {
        TimeUnitName::Second => "seconds",
        TimeUnitName::Millisecond => "milliseconds",
        TimeUnitName::Microsecond => "microseconds",
        TimeUnitName::Nanosecond => "nanoseconds",
    }
}

#[cfg(test)]
#[path = "time_tests.rs"]
mod tests;
