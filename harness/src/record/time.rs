//! Event times as text.

use streamjoin_kernels::key::calendar::civil_from_days;

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Microseconds since 1970 as ISO-8601 in UTC with milliseconds, such as
/// `2013-01-01T10:15:00.000Z`; finer digits are floored.
///
/// Years beyond 9999 and before 0 carry a sign, as ISO-8601 asks.
#[must_use]
pub fn iso_millis(micros: i64) -> String {
    let days = micros.div_euclid(MICROS_PER_DAY);
    let of_day = micros.rem_euclid(MICROS_PER_DAY);
    let (year, month, day) = civil_from_days(days);
    let millis = of_day / 1000;
    let (hour, minute) = (millis / 3_600_000, millis / 60_000 % 60);
    let (second, milli) = (millis / 1000 % 60, millis % 1000);
    let sign = match year {
        10_000.. => "+",
        ..0 => "-",
        _ => "",
    };
    let year = year.abs();
    format!("{sign}{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}
