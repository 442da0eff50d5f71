//! Times as text, by a pattern, in UTC.

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Int64Type, TimestampMicrosecondType};
use streamjoin_kernels::{JoinError, Result};

use super::{Arguments, Given, strings};
use crate::datetime_pattern::DateTimePattern;
use crate::interval::SECOND;
use crate::types::{is_string, sql_name, value_type};

/// What `from_unixtime` writes by if it has no second argument.
const DEFAULT: &str = "yyyy-MM-dd HH:mm:ss";

/// The pattern is constant, so that it can be checked before the first row.
pub(super) fn check(given: &[Given<'_>]) -> std::result::Result<(), String> {
    let Some(pattern) = given.get(1) else { return Ok(()) };
    if pattern.literal.is_none() {
        return Err("the pattern must be constant text, such as 'yyyy-MM-dd HH:mm:ss'".to_owned());
    }
    match pattern.text() {
        None => Ok(()),
        Some(text) => DateTimePattern::to_write(text)
            .map(|_| ())
            .map_err(|reason| format!("the pattern '{text}': {reason}")),
    }
}

fn write(a: &Arguments<'_>, micros: impl Fn(usize) -> Option<i64>) -> Result<ArrayRef> {
    let pattern = if a.has(1) { a.text(1)(0) } else { Some(DEFAULT) };
    let pattern = pattern.map(DateTimePattern::to_write).transpose();
    let pattern = pattern.map_err(JoinError::InvalidPlan)?;
    strings(a, |row| Some(pattern.as_ref()?.write(micros(row)?).into()))
}

pub(super) fn date_format(a: &Arguments<'_>) -> Result<ArrayRef> {
    write(a, a.primitive::<TimestampMicrosecondType>(0))
}

/// Numbers and strings as BIGINT, and a pattern.
pub(super) fn from_unixtime_types(
    given: &[Given<'_>],
) -> std::result::Result<Vec<DataType>, String> {
    let from = value_type(given[0].data_type);
    if !(from.is_numeric() || is_string(from) || *from == DataType::Null) {
        return Err(format!(
            "argument 1 must be a number of seconds, not {}; date_format shows times as text",
            sql_name(from)
        ));
    }
    Ok([DataType::Int64, DataType::Utf8].into_iter().take(given.len()).collect())
}

/// Seconds beyond the range of timestamps wrap around, as in Spark.
pub(super) fn from_unixtime(a: &Arguments<'_>) -> Result<ArrayRef> {
    let seconds = a.primitive::<Int64Type>(0);
    write(a, |row| Some(seconds(row)?.wrapping_mul(SECOND)))
}
