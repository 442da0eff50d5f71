//! Points in time: as a scenario writes them, and as results write them.

use arrow::array::timezone::Tz;
use arrow::compute::kernels::cast_utils::string_to_datetime;
use streamjoin_kernels::spark::calendar::civil_from_days;

/// Microseconds per day.
pub(crate) const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Microseconds since 1970 of an instant such as `2013-01-01 05:00:00`; UTC
/// where it names no zone.
///
/// # Errors
/// A message that says which form is read.
pub fn timestamp(text: &str) -> Result<i64, String> {
    let refuse = || {
        format!(
            "`{text}` is not a timestamp: write it as \"2013-01-31 12:00:00\", in UTC unless it names a zone"
        )
    };
    let utc: Tz = "+00:00".parse().map_err(|_| refuse())?;
    Ok(string_to_datetime(&utc, text).map_err(|_| refuse())?.timestamp_micros())
}

/// Microseconds since 1970 as ISO-8601 in UTC with milliseconds, such as
/// `2013-01-01T10:15:00.000Z`; finer digits are floored.
///
/// Years beyond 9999 and before 0 carry a sign, as ISO-8601 asks.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_iso_8601_with_milliseconds() {
        assert_eq!(iso_millis(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso_millis(1_357_034_400_123_999), "2013-01-01T10:00:00.123Z");
        assert_eq!(iso_millis(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(iso_millis(951_782_400_000_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(iso_millis(-62_135_596_800_000_000), "0001-01-01T00:00:00.000Z");
        assert_eq!(iso_millis(253_402_300_799_999_999), "9999-12-31T23:59:59.999Z");
        assert_eq!(iso_millis(253_402_300_800_000_000), "+10000-01-01T00:00:00.000Z");
    }
}
