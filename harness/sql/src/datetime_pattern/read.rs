//! Reads text by a pattern, field by field.

use streamjoin_kernels::spark::calendar::{days_from_civil, days_in_month};

use super::{Field, Part};
use crate::interval::{DAY, SECOND};

pub(super) const MONTHS: &str = "January February March April May June July August September October \
    November December";

/// The fields that have been read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Read {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    hour: Option<i64>,
    half_day_hour: Option<i64>,
    afternoon: Option<bool>,
    minute: i64,
    second: i64,
    micros: i64,
    /// In seconds.
    offset: i64,
}

/// The rest of `text` after the parts.
pub(super) fn take_all<'t>(parts: &[Part], text: &'t str, read: &mut Read) -> Option<&'t str> {
    parts.iter().try_fold(text, |rest, part| match part {
        Part::Literal(literal) => {
            let start = rest.get(..literal.len())?;
            start.eq_ignore_ascii_case(literal).then(|| &rest[literal.len()..])
        }
        Part::Optional(inner) => {
            let mut tried = *read;
            Some(match take_all(inner, rest, &mut tried) {
                Some(after) => {
                    *read = tried;
                    after
                }
                None => rest,
            })
        }
        Part::Field(field, count) => take(*field, *count, rest, read),
    })
}

/// The least and the most digits of a field that can be read, both 0 for names; `None`
/// for fields that are only written.
pub(super) fn digits(field: Field, count: usize) -> Option<(usize, usize)> {
    match field {
        Field::Year if count == 1 => Some((1, 4)),
        Field::Year if count == 4 => Some((4, 4)),
        Field::YearOfCentury => Some((2, 2)),
        Field::Month
        | Field::Day
        | Field::Hour
        | Field::HalfDayHour
        | Field::Minute
        | Field::Second => Some((count, 2)),
        // Like Spark, accept fewer digits too.
        Field::Fraction => Some((1, count)),
        Field::MonthName { .. } | Field::AmPm | Field::Offset { .. } => Some((0, 0)),
        _ => None,
    }
}

fn take<'t>(field: Field, count: usize, text: &'t str, read: &mut Read) -> Option<&'t str> {
    let (least, most) = digits(field, count)?;
    let numbered = |least: usize, most: usize| {
        let digits = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let number: i64 = (digits >= least).then(|| text[..digits].parse().ok())??;
        Some((number, digits))
    };
    let one_of = |names: &mut dyn Iterator<Item = &str>| {
        names.enumerate().find_map(|(at, name)| {
            let found = text.get(..name.len())?.eq_ignore_ascii_case(name);
            found.then_some((at as i64, name.len()))
        })
    };
    let (value, length) = match field {
        Field::MonthName { full: true } => one_of(&mut MONTHS.split(' '))?,
        Field::MonthName { full: false } => one_of(&mut MONTHS.split(' ').map(|name| &name[..3]))?,
        Field::AmPm => one_of(&mut ["AM", "PM"].into_iter())?,
        Field::Offset { colon, zulu } => offset(text, colon, zulu)?,
        _ => numbered(least, most)?,
    };
    let within = |from: i64, to: i64| (from..=to).contains(&value).then_some(value);
    match field {
        Field::Year => read.year = Some(within(1, 9999)?),
        Field::YearOfCentury => read.year = Some(2000 + value),
        Field::Month => read.month = Some(within(1, 12)?),
        Field::MonthName { .. } => read.month = Some(value + 1),
        Field::Day => read.day = Some(within(1, 31)?),
        Field::Hour => read.hour = Some(within(0, 23)?),
        Field::HalfDayHour => read.half_day_hour = Some(within(1, 12)?),
        Field::AmPm => read.afternoon = Some(value == 1),
        Field::Minute => read.minute = within(0, 59)?,
        Field::Second => read.second = within(0, 59)?,
        // Nanoseconds are truncated to microseconds.
        Field::Fraction => read.micros = value * SECOND / 10_i64.pow(length as u32),
        Field::Offset { .. } => read.offset = value,
        _ => return None,
    }
    Some(&text[length..])
}

/// Seconds ahead of UTC and the length of `+01:00`, `+0100` or `Z`.
fn offset(text: &str, colon: bool, zulu: bool) -> Option<(i64, usize)> {
    if zulu && text.starts_with(['Z', 'z']) {
        return Some((0, 1));
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let minutes = if colon { 4 } else { 3 };
    if colon && text.get(3..4)? != ":" {
        return None;
    }
    let two = |at: usize| {
        let digits = text.get(at..at + 2)?;
        let is_number = digits.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| digits.parse::<i64>().ok())?
    };
    let (hours, minutes_) = (two(1)?, two(minutes)?);
    let seconds = hours * 3600 + minutes_ * 60;
    (minutes_ < 60 && seconds <= 18 * 3600).then_some((sign * seconds, minutes + 2))
}

impl Read {
    /// Microseconds since 1970; missing fields default to those of 1970-01-01, midnight.
    pub(super) fn micros(&self) -> Option<i64> {
        let (year, month) = (self.year.unwrap_or(1970), self.month.unwrap_or(1) as u32);
        let day = self.day.unwrap_or(1) as u32;
        if day > days_in_month(year, month) {
            return None;
        }
        let afternoon = if self.afternoon == Some(true) { 12 } else { 0 };
        let hour = match (self.hour, self.half_day_hour) {
            (Some(hour), _) if self.afternoon.is_some_and(|pm| pm != (hour >= 12)) => return None,
            (Some(hour), _) => hour,
            (None, hour) => hour.unwrap_or(0) % 12 + afternoon,
        };
        let seconds = hour * 3600 + self.minute * 60 + self.second - self.offset;
        Some(days_from_civil(year, month, day) * DAY + seconds * SECOND + self.micros)
    }
}
