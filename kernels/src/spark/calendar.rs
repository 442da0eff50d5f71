//! The proleptic Gregorian calendar, as Spark and `java.time` use it.

/// Days from 1970-01-01 to a date; the month must be 1 to 12.
///
/// Years may be negative (year 0 is 1 BC). Callers bound the year: seven
/// digits are far from overflowing.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    // Years begin in March here, so that the leap day is a year's last.
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month (1 to 12) and day (1 to 31) of a number of days from 1970-01-01.
pub fn civil_from_days(days: i64) -> (i64, u32, u32) {
    // Saturates some 25 quadrillion years out, where no caller has dates.
    let z = days.saturating_add(719_468);
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as u32, day as u32)
}

/// Days of a month, 0 for a month that does not exist.
pub fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    }
}

/// Days from 1970-01-01 to a date, `None` if there is no such date.
pub fn checked_days(year: i64, month: u32, day: u32) -> Option<i64> {
    let exists = day >= 1 && day <= days_in_month(year, month) && year.abs() <= 9_999_999;
    exists.then(|| days_from_civil(year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        for (date, days) in [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((2000, 2, 29), 11_016),
            ((1, 1, 1), -719_162),
            ((0, 12, 31), -719_163),
            ((9999, 12, 31), 2_932_896),
        ] {
            assert_eq!(days_from_civil(date.0, date.1, date.2), days);
            assert_eq!(civil_from_days(days), date);
        }
        assert_eq!(checked_days(2023, 2, 29), None);
        assert_eq!(checked_days(1900, 2, 29), None);
        assert_eq!(checked_days(2023, 13, 1), None);
        assert_eq!(checked_days(2023, 1, 0), None);
    }

    #[test]
    fn every_day_of_a_cycle_comes_back() {
        for days in -150_000..150_000 {
            let (y, m, d) = civil_from_days(days);
            assert_eq!(checked_days(y, m, d), Some(days));
        }
        let _ = civil_from_days(i64::MAX);
        let _ = civil_from_days(i64::MIN);
    }
}
