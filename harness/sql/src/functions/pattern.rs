//! Text read as times by a pattern of Spark 3 and later: `to_timestamp` and
//! `to_date` with two arguments.
//!
//! As in Spark, fields have the digits that the pattern has letters, letters of
//! any case match, the whole text is read, and a date that is none does not fit.
//! (The patterns of `strftime` are laxer in each of these.)

use std::borrow::Cow;

use streamjoin_kernels::spark::calendar::{days_from_civil, days_in_month};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// What is read as a number or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Year,
    /// Two digits, of 2000 to 2099.
    YearOfCentury,
    Month,
    /// `Jan`, or `January`.
    MonthName {
        full: bool,
    },
    Day,
    Hour,
    /// 1 to 12.
    HalfDayHour,
    Minute,
    Second,
    /// Of a second.
    Fraction,
    AmPm,
    /// Hours and minutes ahead of UTC, with a colon or without; `Z`, where allowed.
    Offset {
        colon: bool,
        zulu: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// With the least and the greatest number of digits.
    Field(Field, usize, usize),
    Optional(Vec<Part>),
}

/// A pattern such as `dd.MM.yyyy HH:mm:ss[.SSS]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(Vec<Part>);

/// The fields that have been read.
#[derive(Clone, Copy, Debug, Default)]
struct Read {
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

impl Pattern {
    /// # Errors
    /// A letter that is not supported, brackets or quotes without an end.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        // The parts before each open bracket.
        let mut outer: Vec<Vec<Part>> = Vec::new();
        let mut parts = Vec::new();
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                'A'..='Z' | 'a'..='z' => {
                    let mut count = 1;
                    while rest.next_if_eq(&c).is_some() {
                        count += 1;
                    }
                    parts.push(field(c, count)?);
                }
                '\'' if rest.next_if_eq(&'\'').is_some() => literal(&mut parts, '\''),
                '\'' => loop {
                    match rest.next() {
                        None => return Err("a quote ' in it does not end".to_owned()),
                        Some('\'') if rest.next_if_eq(&'\'').is_none() => break,
                        Some(c) => literal(&mut parts, c),
                    }
                },
                '[' => outer.push(std::mem::take(&mut parts)),
                ']' => {
                    let before = outer.pop().ok_or("a ] in it has no [ before it")?;
                    let inner = std::mem::replace(&mut parts, before);
                    parts.push(Part::Optional(inner));
                }
                '{' | '}' | '#' => return Err(format!("`{c}` is reserved; quote it: '{c}'")),
                c => literal(&mut parts, c),
            }
        }
        match outer.is_empty() {
            true => Ok(Self(parts)),
            false => Err("a [ in it does not end with ]".to_owned()),
        }
    }

    /// Microseconds since 1970 in UTC, if the whole text fits.
    pub(super) fn read(&self, text: &str) -> Option<i64> {
        let mut read = Read::default();
        let rest = take_all(&self.0, text, &mut read)?;
        if rest.is_empty() { read.micros() } else { None }
    }
}

fn literal(parts: &mut Vec<Part>, c: char) {
    match parts.last_mut() {
        Some(Part::Literal(text)) => text.push(c),
        _ => parts.push(Part::Literal(c.to_string())),
    }
}

fn field(letter: char, count: usize) -> Result<Part, String> {
    let digits = |field, most: usize| match count {
        1 => Some(Part::Field(field, 1, most)),
        2 => Some(Part::Field(field, 2, 2)),
        _ => None,
    };
    let name = |field| Some(Part::Field(field, 0, 0));
    let part = match (letter, count) {
        ('y' | 'u', 2) => Some(Part::Field(Field::YearOfCentury, 2, 2)),
        ('y' | 'u', 4) => Some(Part::Field(Field::Year, 4, 4)),
        ('y' | 'u', 1) => Some(Part::Field(Field::Year, 1, 4)),
        ('M' | 'L', 3 | 4) => name(Field::MonthName { full: count == 4 }),
        ('M' | 'L', _) => digits(Field::Month, 2),
        ('d', _) => digits(Field::Day, 2),
        ('H', _) => digits(Field::Hour, 2),
        ('h', _) => digits(Field::HalfDayHour, 2),
        ('m', _) => digits(Field::Minute, 2),
        ('s', _) => digits(Field::Second, 2),
        // Spark reads fewer digits too.
        ('S', 1..=9) => Some(Part::Field(Field::Fraction, 1, count)),
        ('a', 1) => name(Field::AmPm),
        ('X' | 'x', 2 | 3) => name(Field::Offset { colon: count == 3, zulu: letter == 'X' }),
        ('Z', 1..=3) => name(Field::Offset { colon: false, zulu: false }),
        _ => None,
    };
    part.ok_or_else(|| {
        let letters: String = std::iter::repeat_n(letter, count.min(20)).collect();
        format!(
            "`{letters}` is not supported; take y yy yyyy M MM MMM MMMM d dd H HH h hh m mm s ss, S to SSSSSSSSS, a, XX XXX xx xxx Z, quotes for other letters such as 'T', and [ ] round what may be left out"
        )
    })
}

/// What is left of `text` after the parts.
fn take_all<'t>(parts: &[Part], text: &'t str, read: &mut Read) -> Option<&'t str> {
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
        Part::Field(field, least, most) => take(*field, *least, *most, rest, read),
    })
}

fn take<'t>(
    field: Field,
    least: usize,
    most: usize,
    text: &'t str,
    read: &mut Read,
) -> Option<&'t str> {
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
        Field::MonthName { full: true } => one_of(&mut MONTHS.into_iter())?,
        Field::MonthName { full: false } => one_of(&mut MONTHS.into_iter().map(|name| &name[..3]))?,
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
        // Nanoseconds are cut to microseconds.
        Field::Fraction => read.micros = value * SECOND / 10_i64.pow(length as u32),
        Field::Offset { .. } => read.offset = value,
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
    /// What was not read is that of 1970-01-01, midnight.
    fn micros(&self) -> Option<i64> {
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

/// The pattern that reads at least what chrono reads by this pattern of
/// `strftime`; none where it has a part that Spark has no counterpart of.
///
/// With `padded`, numbers have leading zeros, as people write such patterns;
/// without, they may have.
pub fn pattern_of_strftime(format: &str, padded: bool) -> Option<String> {
    let two = |letter: char| match padded {
        true => String::from_iter([letter, letter]),
        false => letter.to_string(),
    };
    let mut pattern = String::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        let (length, piece): (usize, Cow<'_, str>) = match rest {
            _ if rest.starts_with("%.f") => (3, "[.SSSSSSSSS]".into()),
            _ if rest.starts_with("%.3f") => (4, ".SSS".into()),
            _ if rest.starts_with("%.6f") => (4, ".SSSSSS".into()),
            _ if rest.starts_with("%.9f") => (4, ".SSSSSSSSS".into()),
            _ if rest.starts_with("%3f") => (3, "SSS".into()),
            _ if rest.starts_with("%6f") => (3, "SSSSSS".into()),
            _ if rest.starts_with("%9f") => (3, "SSSSSSSSS".into()),
            _ if c == '%' => {
                let piece = match rest.chars().nth(1)? {
                    'Y' => "yyyy".to_owned(),
                    'm' => two('M'),
                    'd' => two('d'),
                    'H' => two('H'),
                    'I' => two('h'),
                    'M' => two('m'),
                    'S' => two('s'),
                    'b' | 'h' => "MMM".to_owned(),
                    'B' => "MMMM".to_owned(),
                    'p' | 'P' => "a".to_owned(),
                    'F' => format!("yyyy-{}-{}", two('M'), two('d')),
                    'T' => format!("{}:{}:{}", two('H'), two('m'), two('s')),
                    'R' => format!("{}:{}", two('H'), two('m')),
                    '%' => "%".to_owned(),
                    _ => return None,
                };
                (2, piece.into())
            }
            _ if c.is_ascii_alphabetic() => {
                let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                (end, format!("'{}'", &rest[..end]).into())
            }
            _ if c == '\'' => (1, "''".into()),
            _ if "[]{}#".contains(c) => (1, format!("'{c}'").into()),
            _ => (c.len_utf8(), c.to_string().into()),
        };
        // Numbers of one digit or two would run into each other.
        let is_letter = |c: char| c.is_ascii_alphabetic();
        if !padded && piece.starts_with(is_letter) && pattern.ends_with(is_letter) {
            return pattern_of_strftime(format, true);
        }
        pattern += &piece;
        rest = &rest[length..];
    }
    Pattern::parse(&pattern).is_ok().then_some(pattern)
}

/// Whether the pattern reads all of the values.
pub fn pattern_reads<'v>(pattern: &str, mut values: impl Iterator<Item = &'v str>) -> bool {
    Pattern::parse(pattern).is_ok_and(|pattern| values.all(|value| pattern.read(value).is_some()))
}
