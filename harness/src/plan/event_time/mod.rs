//! Event times as microseconds, whatever the column that holds them.

#[cfg(test)]
mod tests;

use arrow::array::cast::AsArray;
use arrow::array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit};
use chrono::NaiveDateTime;
use chrono::format::{Item as StrftimeItem, StrftimeItems};
use streamjoin_kernels::JoinError;

use super::computed::Value;
use crate::scenario::EventTimeSpec;

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Reads event times from batches of a stream as they are read.
#[derive(Clone, Debug)]
pub struct EventTime {
    value: Value,
    reading: Reading,
    /// The unit of integers.
    unit: Option<TimeUnit>,
    column: String,
}

/// How a value becomes microseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reading {
    /// A number of units.
    Units(TimeUnit),
    /// A number of days.
    Days,
    /// Text of this `strftime` pattern, in UTC.
    Text(String),
}

impl EventTime {
    /// Event times from a column of type `data_type`.
    ///
    /// # Errors
    /// A message that says what is accepted.
    pub fn new(spec: &EventTimeSpec, value: Value, data_type: &DataType) -> Result<Self, String> {
        let reading = match (data_type, spec.unit, &spec.format) {
            (DataType::Timestamp(unit, _), None, None) => Reading::Units(*unit),
            (DataType::Date32, None, None) => Reading::Days,
            (data_type, Some(unit), None) if data_type.is_integer() => Reading::Units(unit.into()),
            (DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View, None, Some(format)) => {
                if StrftimeItems::new(format).any(|item| item == StrftimeItem::Error) {
                    return Err(format!(
                        "`format` is not a strftime pattern: `{format}`; write it as \"%Y-%m-%d %H:%M:%S\""
                    ));
                }
                Reading::Text(format.clone())
            }
            (data_type, _, _) => {
                let remedy = match data_type {
                    data_type if data_type.is_integer() => {
                        "say { column = ..., unit = \"s\" | \"ms\" | \"us\" | \"ns\" }, or --event-time COLUMN:ms"
                    }
                    DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                        "say { column = ..., format = \"%Y-%m-%d %H:%M:%S\" }, or --event-time 'COLUMN:%Y-%m-%d %H:%M:%S'"
                    }
                    DataType::Timestamp(..) | DataType::Date32 => {
                        "it is a time already: leave `unit` and `format` out"
                    }
                    _ => {
                        "an event time is a timestamp, a date, an integer with a `unit` or a string with a `format`"
                    }
                };
                return Err(format!(
                    "`event_time` column `{}` is of type {data_type}: {remedy}",
                    spec.column
                ));
            }
        };
        let unit = spec.unit.map(Into::into);
        Ok(Self { value, reading, unit, column: spec.column.clone() })
    }

    /// The same times from `value`.
    pub fn over(&self, value: Value) -> Self {
        Self { value, ..self.clone() }
    }

    /// The column, as the scenario names it.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The unit that the scenario names for integers.
    pub fn unit(&self) -> Option<TimeUnit> {
        self.unit
    }

    /// Microseconds since 1970 of each row; finer digits are floored.
    ///
    /// # Errors
    /// Text that is not of the declared form, a time outside the range of
    /// 64-bit microseconds.
    pub fn micros(&self, batch: &RecordBatch) -> Result<Int64Array, JoinError> {
        let column = self.value.evaluate(batch)?;
        match &self.reading {
            Reading::Units(unit) => units(&column, *unit),
            Reading::Days => {
                let days = cast(&column, &DataType::Int32)?;
                let days = cast(&days, &DataType::Int64)?;
                scaled(days.as_primitive(), |day| day.checked_mul(MICROS_PER_DAY))
            }
            Reading::Text(format) => {
                let text = cast(&column, &DataType::Utf8)?;
                parsed(text.as_string(), format)
            }
        }
    }
}

fn units(column: &ArrayRef, unit: TimeUnit) -> Result<Int64Array, JoinError> {
    let numbers = cast(column, &DataType::Int64)?;
    let numbers = numbers.as_primitive();
    match unit {
        TimeUnit::Second => scaled(numbers, |value| value.checked_mul(1_000_000)),
        TimeUnit::Millisecond => scaled(numbers, |value| value.checked_mul(1_000)),
        TimeUnit::Microsecond => Ok(numbers.clone()),
        TimeUnit::Nanosecond => scaled(numbers, |value| Some(value.div_euclid(1_000))),
    }
}

/// The numbers of a column, without copying them.
fn scaled(
    numbers: &Int64Array,
    scale: impl Fn(i64) -> Option<i64>,
) -> Result<Int64Array, JoinError> {
    Ok(numbers.try_unary(|value| {
        scale(value).ok_or_else(|| {
            arrow::error::ArrowError::ComputeError(format!(
                "event time {value} is outside the range of microseconds in 64 bits; check its unit"
            ))
        })
    })?)
}

fn parsed(text: &StringArray, format: &str) -> Result<Int64Array, JoinError> {
    let mut times = Vec::with_capacity(text.len());
    for (row, value) in text.iter().enumerate() {
        let Some(value) = value else {
            times.push(None);
            continue;
        };
        let time = NaiveDateTime::parse_from_str(value, format)
            .or_else(|_| chrono::NaiveDate::parse_from_str(value, format).map(NaiveDateTime::from))
            .map_err(|_| {
                JoinError::predicate(format!(
                    "event time `{value}` (row {row} of the batch) is not of the form `{format}`"
                ))
            })?;
        times.push(Some(time.and_utc().timestamp_micros()));
    }
    Ok(Int64Array::from(times))
}
