//! Event times as text.

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

/// Year, month and day of a day number since 1970-01-01 (proleptic Gregorian).
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    // Years that start in March put the leap day last; 400 of them are an era.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}
