//! Dates and timestamps as text, read and written the way Spark does with the
//! session time zone UTC.

use super::number_text::trim;
use crate::spark::calendar::{checked_days, civil_from_days};

const SECONDS_PER_DAY: i64 = 86_400;

/// An instant: seconds since 1970-01-01T00:00:00Z and nanoseconds after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instant {
    pub(super) seconds: i64,
    pub(super) nanos: u32,
}

/// Walks over the bytes of a date or time.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn eat(&mut self, byte: u8) -> bool {
        let hit = self.0.first() == Some(&byte);
        if hit {
            self.0 = &self.0[1..];
        }
        hit
    }

    /// Between `least` and `most` digits, and not one more.
    fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        let count = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        if count < least || count > most {
            return None;
        }
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        Some(digits.iter().fold(0, |n, b| n * 10 + i64::from(b - b'0')))
    }

    fn two_digits(&mut self) -> Option<i64> {
        self.number(1, 2)
    }

    /// `[+-]yyyy[-m[-d]]`; also returns whether the day was there.
    fn date(&mut self, year_digits: usize) -> Option<(i64, bool)> {
        let negative = self.eat(b'-');
        if !negative {
            self.eat(b'+');
        }
        let year = self.number(4, year_digits)?;
        let (mut month, mut day, mut whole) = (1, 1, false);
        if self.eat(b'-') {
            month = self.two_digits()?;
            if self.eat(b'-') {
                day = self.two_digits()?;
                whole = true;
            }
        }
        let year = if negative { -year } else { year };
        let days = checked_days(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?)?;
        Some((days, whole))
    }

    /// `.digits`: the first nine count, the rest is cut off.
    fn fraction(&mut self) -> u32 {
        let count = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let padded = digits.iter().copied().chain(std::iter::repeat(b'0'));
        padded.take(9).fold(0, |n, b| n * 10 + u32::from(b - b'0'))
    }
}

/// Days since 1970-01-01 of `yyyy`, `yyyy-[m]m`, `yyyy-[m]m-[d]d`; after a day
/// a blank or `T` may be followed by anything.
pub(super) fn date(text: &str) -> Option<i64> {
    let mut reader = Reader(trim(text).as_bytes());
    let (days, whole) = reader.date(7)?;
    match reader.0.first() {
        None => Some(days),
        Some(b' ' | b'T') if whole => Some(days),
        Some(_) => None,
    }
}

/// A date as above, then optionally a blank or `T` and
/// `[h]h[:[m]m[:[s]s[.fraction][zone]]]`. Without a zone: UTC. Times without
/// a date, which Spark puts on the current day, are refused.
pub(super) fn timestamp(text: &str) -> Option<Instant> {
    let mut reader = Reader(trim(text).as_bytes());
    let (days, whole) = reader.date(6)?;
    let (mut hour, mut minute, mut second, mut nanos, mut offset) = (0, 0, 0, 0, 0);
    if !reader.0.is_empty() {
        if !whole || !(reader.eat(b' ') || reader.eat(b'T')) {
            return None;
        }
        hour = reader.two_digits()?;
        if reader.eat(b':') {
            minute = reader.two_digits()?;
            if reader.eat(b':') {
                second = reader.two_digits()?;
                if reader.eat(b'.') {
                    nanos = reader.fraction();
                }
                offset = zone(std::str::from_utf8(reader.0).ok()?)?;
                reader.0 = &[];
            }
        }
        if !reader.0.is_empty() || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
    }
    let seconds = days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second - offset;
    Some(Instant { seconds, nanos })
}

/// Seconds east of Greenwich of ``, `Z`, `UTC`, `GMT`, `UT`, `+h`, `+hh`,
/// `+hhmm`, `+h[h]:m[m]`, `+hh:mm:ss` and `UTC+...`. Region names are not
/// known here: the calendar of zones is not part of this crate.
fn zone(text: &str) -> Option<i64> {
    let text = trim(text);
    let rest = ["UTC", "GMT", "UT", "Z"]
        .iter()
        .find_map(|name| text.strip_prefix(name).map(|rest| (*name, rest)));
    let rest = match rest {
        None => text,
        Some((_, "")) => return Some(0),
        Some(("Z", _)) => return None,
        Some((_, rest)) => rest,
    };
    if rest.is_empty() {
        return Some(0);
    }
    let mut reader = Reader(rest.as_bytes());
    let negative = reader.eat(b'-');
    if !negative && !reader.eat(b'+') {
        return None;
    }
    let (hours, minutes, seconds) = match reader.0.len() {
        4 | 6 if reader.0.iter().all(u8::is_ascii_digit) => {
            let n = reader.number(4, 6)?;
            let n = if rest.len() == 5 { n * 100 } else { n };
            (n / 10_000, n / 100 % 100, n % 100)
        }
        _ => {
            let hours = reader.two_digits()?;
            let minutes = if reader.eat(b':') { reader.two_digits()? } else { 0 };
            let seconds = if reader.eat(b':') { reader.number(2, 2)? } else { 0 };
            (hours, minutes, seconds)
        }
    };
    let offset = hours * 3600 + minutes * 60 + seconds;
    if !reader.0.is_empty() || minutes > 59 || seconds > 59 || offset > 18 * 3600 {
        return None;
    }
    Some(if negative { -offset } else { offset })
}

/// `yyyy-mm-dd`; years past 9999 carry a plus sign.
pub(super) fn date_text(days: i64) -> String {
    let (year, month, day) = civil_from_days(days);
    let sign = match year {
        ..0 => "-",
        0..=9999 => "",
        _ => "+",
    };
    format!("{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs())
}

/// `yyyy-mm-dd hh:mm:ss[.fraction]` in UTC, without trailing zeros.
pub(super) fn timestamp_text(instant: Instant) -> String {
    let days = instant.seconds.div_euclid(SECONDS_PER_DAY);
    let second = instant.seconds.rem_euclid(SECONDS_PER_DAY);
    let mut text = format!(
        "{} {:02}:{:02}:{:02}",
        date_text(days),
        second / 3600,
        second / 60 % 60,
        second % 60
    );
    if instant.nanos > 0 {
        let fraction = format!("{:09}", instant.nanos);
        text.push('.');
        text.push_str(fraction.trim_end_matches('0'));
    }
    text
}
