//! Times as text, over all that their types hold.
//!
//! Arrow's own texts end near the year 262,000, where times such as DuckDB's `infinity`
//! begin. Beyond that, times print here as Java and so Spark print them: with a sign
//! before a year of more than four digits.

use arrow::array::{Array, AsArray, types::*};
use arrow::datatypes::{DataType, TimeUnit};
use arrow::error::ArrowError;
use arrow::util::display::ArrayFormatter;
use streamjoin_kernels::spark::calendar::civil_from_days;

/// The text of a value that is not null: arrow's, or for times beyond it that of this
/// module, in UTC.
///
/// # Errors
/// A value that neither prints.
pub(crate) fn value_text(
    formatter: &ArrayFormatter<'_>,
    array: &dyn Array,
    row: usize,
    text: &mut String,
) -> Result<(), ArrowError> {
    let start = text.len();
    let Err(error) = formatter.value(row).write(text) else { return Ok(()) };
    text.truncate(start);
    match time_text(array, row, TimeStyle::Iso) {
        Some(found) => text.push_str(&found),
        None => return Err(error),
    }
    Ok(())
}

/// How a time is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeStyle {
    /// ISO 8601, in UTC where the column has a zone: `2024-02-29T12:00:00Z`.
    Iso,
    /// Spark's `show()` in UTC: `2024-02-29 12:00:00`.
    Spark,
}

/// The text of the time in `row`, which is not null; `None` for types that are no times.
#[must_use]
pub fn time_text(array: &dyn Array, row: usize, style: TimeStyle) -> Option<String> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    Some(match array.data_type() {
        DataType::Date32 => date_text(array.as_primitive::<Date32Type>().value(row).into()),
        DataType::Date64 => {
            let millis = array.as_primitive::<Date64Type>().value(row);
            match style {
                TimeStyle::Iso => timestamp_text(millis, Millisecond, 'T'),
                TimeStyle::Spark => date_text(millis.div_euclid(86_400_000)),
            }
        }
        DataType::Timestamp(unit, zone) => {
            let value = match unit {
                Second => array.as_primitive::<TimestampSecondType>().value(row),
                Millisecond => array.as_primitive::<TimestampMillisecondType>().value(row),
                Microsecond => array.as_primitive::<TimestampMicrosecondType>().value(row),
                Nanosecond => array.as_primitive::<TimestampNanosecondType>().value(row),
            };
            match (style, zone) {
                (TimeStyle::Iso, Some(_)) => timestamp_text(value, *unit, 'T') + "Z",
                (TimeStyle::Iso, None) => timestamp_text(value, *unit, 'T'),
                (TimeStyle::Spark, _) => timestamp_text(value, *unit, ' '),
            }
        }
        DataType::Time32(Second) => {
            time_of_day_text(array.as_primitive::<Time32SecondType>().value(row).into(), Second)
        }
        DataType::Time32(_) => {
            let value = array.as_primitive::<Time32MillisecondType>().value(row);
            time_of_day_text(value.into(), Millisecond)
        }
        DataType::Time64(Nanosecond) => {
            time_of_day_text(array.as_primitive::<Time64NanosecondType>().value(row), Nanosecond)
        }
        DataType::Time64(_) => {
            time_of_day_text(array.as_primitive::<Time64MicrosecondType>().value(row), Microsecond)
        }
        DataType::Duration(unit) => {
            let value = match unit {
                Second => array.as_primitive::<DurationSecondType>().value(row),
                Millisecond => array.as_primitive::<DurationMillisecondType>().value(row),
                Microsecond => array.as_primitive::<DurationMicrosecondType>().value(row),
                Nanosecond => array.as_primitive::<DurationNanosecondType>().value(row),
            };
            duration_text(value, *unit)
        }
        _ => return None,
    })
}

const fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// `.5` for a part of a second; nothing for none.
fn fraction(part: i64, unit: TimeUnit) -> String {
    let digits = per_second(unit).ilog10() as usize;
    match part {
        0 => String::new(),
        part => format!(".{}", format!("{part:0digits$}").trim_end_matches('0')),
    }
}

/// A date as Spark prints it, from days since 1970: `2024-02-29`, `+10000-01-01`,
/// `-0001-12-31`.
fn date_text(days: i64) -> String {
    let (year, month, day) = civil_from_days(days);
    let sign = match year {
        10_000.. => "+",
        ..0 => "-",
        _ => "",
    };
    format!("{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs())
}

/// A point in time since 1970 in UTC, its date and time of day with `between` between
/// them and no trailing zeros: `2024-02-29 12:00:00.5`.
fn timestamp_text(value: i64, unit: TimeUnit, between: char) -> String {
    let per_day = per_second(unit) * 86_400;
    let date = date_text(value.div_euclid(per_day));
    format!("{date}{between}{}", time_of_day_text(value.rem_euclid(per_day), unit))
}

/// A time of day, `12:00:00.5`; beyond a day the hours go on, before it there is a sign.
fn time_of_day_text(value: i64, unit: TimeUnit) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let (second, part) = parts(value, unit);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{sign}{hour:02}:{minute:02}:{:02}{}", second % 60, fraction(part, unit))
}

/// A length of time as ISO 8601 has it, in seconds: `PT90.5S`.
fn duration_text(value: i64, unit: TimeUnit) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let (second, part) = parts(value, unit);
    format!("{sign}PT{second}{}S", fraction(part, unit))
}

/// Whole seconds and the rest, without the sign.
fn parts(value: i64, unit: TimeUnit) -> (u64, i64) {
    let value = value.unsigned_abs();
    let per_second = per_second(unit).unsigned_abs();
    (value / per_second, (value % per_second) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts are those of Java: `LocalDateTime` and `LocalDate` of these values.
    #[test]
    fn the_ends_of_time() {
        use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
        for (value, unit, text) in [
            (i64::MAX, Microsecond, "+294247-01-10 04:00:54.775807"),
            (i64::MIN, Microsecond, "-290308-12-21 19:59:05.224192"),
            (-i64::MAX, Microsecond, "-290308-12-21 19:59:05.224193"),
            (i64::MAX, Nanosecond, "2262-04-11 23:47:16.854775807"),
            (i64::MAX, Millisecond, "+292278994-08-17 07:12:55.807"),
            (253_402_300_800, Second, "+10000-01-01 00:00:00"),
            (-62_167_219_201, Second, "-0001-12-31 23:59:59"),
            (-1, Microsecond, "1969-12-31 23:59:59.999999"),
            (500, Millisecond, "1970-01-01 00:00:00.5"),
        ] {
            assert_eq!(timestamp_text(value, unit, ' '), text);
        }
        assert_eq!(date_text(i32::MAX.into()), "+5881580-07-11");
        assert_eq!(date_text(i32::MIN.into()), "-5877641-06-23");
        assert_eq!(date_text(-719_162), "0001-01-01");
        assert_eq!(time_of_day_text(90_061_000_001, Microsecond), "25:01:01.000001");
        assert_eq!(time_of_day_text(-1, Second), "-00:00:01");
        assert_eq!(duration_text(-1_500, Millisecond), "-PT1.5S");
        assert_eq!(duration_text(i64::MIN, Second), "-PT9223372036854775808S");
        let _ = timestamp_text(i64::MAX, Second, 'T');
    }
}
