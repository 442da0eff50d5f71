//! Writes times in UTC by a pattern.

use std::fmt::Write as _;

use streamjoin_kernels::spark::calendar::{civil_from_days, days_from_civil};

use super::read::MONTHS;
use super::{Field, Part};
use crate::interval::{DAY, SECOND};

const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A moment, taken apart.
struct Moment {
    days: i64,
    year: i64,
    month: u32,
    day: u32,
    /// Since midnight.
    micros: i64,
    /// Whether the years count from 1 in both eras.
    eras: bool,
}

pub(super) fn write(parts: &[Part], micros: i64) -> String {
    let days = micros.div_euclid(DAY);
    let (year, month, day) = civil_from_days(days);
    let micros = micros.rem_euclid(DAY);
    let moment = Moment { days, year, month, day, micros, eras: has_era(parts) };
    let mut text = String::new();
    write_all(parts, &moment, &mut text);
    text
}

fn has_era(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Literal(_) => false,
        Part::Field(field, _) => matches!(field, Field::Era { .. }),
        Part::Optional(inner) => has_era(inner),
    })
}

fn write_all(parts: &[Part], moment: &Moment, to: &mut String) {
    for part in parts {
        match part {
            Part::Literal(literal) => to.push_str(literal),
            Part::Optional(inner) => write_all(inner, moment, to),
            Part::Field(field, count) => moment.write(*field, *count, to),
        }
    }
}

impl Moment {
    fn write(&self, field: Field, count: usize, to: &mut String) {
        let hour = self.micros / (3600 * SECOND);
        let number = match field {
            Field::Year => return self.write_year(count, to),
            Field::YearOfCentury => self.shown_year().abs() % 100,
            Field::Month => self.month.into(),
            Field::Day => self.day.into(),
            Field::DayOfYear => self.days - days_from_civil(self.year, 1, 1) + 1,
            Field::Quarter => self.quarter().into(),
            Field::DayOfAlignedWeek => i64::from(self.day - 1) % 7 + 1,
            Field::Hour => hour,
            Field::ClockHour => (hour + 23) % 24 + 1,
            Field::HourOfHalfDay => hour % 12,
            Field::HalfDayHour => (hour + 11) % 12 + 1,
            Field::Minute => self.micros / (60 * SECOND) % 60,
            Field::Second => self.micros / SECOND % 60,
            Field::Fraction => {
                let nanos = format!("{:09}", self.micros % SECOND * 1000);
                return to.push_str(&nanos[..count]);
            }
            _ => return to.push_str(self.name(field)),
        };
        let _ = write!(to, "{number:0count$}");
    }

    /// The text of a field that is not a number.
    fn name(&self, field: Field) -> &'static str {
        let short = |full: bool, name: &'static str| if full { name } else { &name[..3] };
        match field {
            Field::Era { full: true } if self.year > 0 => "Anno Domini",
            Field::Era { full: true } => "Before Christ",
            Field::Era { full: false } if self.year > 0 => "AD",
            Field::Era { full: false } => "BC",
            Field::MonthName { full } => {
                short(full, MONTHS.split(' ').nth(self.month as usize - 1).unwrap_or_default())
            }
            Field::QuarterName { full } => {
                let names = match full {
                    true => ["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"],
                    false => ["Q1", "Q2", "Q3", "Q4"],
                };
                names[self.quarter() as usize - 1]
            }
            // 1970-01-01 was a Thursday.
            Field::Weekday { full } => {
                short(full, WEEKDAYS[(self.days + 3).rem_euclid(7) as usize])
            }
            Field::AmPm if self.micros < DAY / 2 => "AM",
            Field::AmPm => "PM",
            Field::Offset { zulu: true, .. } => "Z",
            Field::Offset { colon: true, .. } => "+00:00",
            Field::Offset { .. } => "+0000",
            Field::OfUtc(text) => text,
            _ => "",
        }
    }

    fn quarter(&self) -> u32 {
        self.month.div_ceil(3)
    }

    fn shown_year(&self) -> i64 {
        if self.eras && self.year <= 0 { 1 - self.year } else { self.year }
    }

    /// Years that have more digits than four or more letters carry a plus sign.
    fn write_year(&self, count: usize, to: &mut String) {
        let year = self.shown_year();
        let digits = year.unsigned_abs().to_string();
        if year < 0 {
            to.push('-');
        } else if count >= 4 && digits.len() > count {
            to.push('+');
        }
        let _ = write!(to, "{digits:0>count$}");
    }
}
