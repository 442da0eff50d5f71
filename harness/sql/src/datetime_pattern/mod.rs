//! Date and time patterns of Spark 3 and later, as in `to_timestamp` and
//! `to_date` with two arguments.
//!
//! As in Spark, a field has as many digits as the pattern has letters, letters
//! match in any case, the whole text must match, and dates that do not exist do
//! not match. (`strftime` is laxer in all of these.)

mod read;
mod strftime;

use read::{Read, take_all};

pub use strftime::pattern_of_strftime;

/// A part that is read as a number or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Year,
    /// Two digits, meaning 2000 to 2099.
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
    /// Fraction of a second.
    Fraction,
    AmPm,
    /// Hours and minutes ahead of UTC, with or without a colon; `Z` where allowed.
    Offset {
        colon: bool,
        zulu: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// With its minimum and maximum number of digits.
    Field(Field, usize, usize),
    Optional(Vec<Part>),
}

/// A pattern such as `dd.MM.yyyy HH:mm:ss[.SSS]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DateTimePattern(Vec<Part>);

impl DateTimePattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// Unsupported letters, and brackets or quotes that are not closed.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        // The parts that precede each open bracket.
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
                        None => return Err("a quote (') is not closed".to_owned()),
                        Some('\'') if rest.next_if_eq(&'\'').is_none() => break,
                        Some(c) => literal(&mut parts, c),
                    }
                },
                '[' => outer.push(std::mem::take(&mut parts)),
                ']' => {
                    let before = outer.pop().ok_or("a ] has no matching [")?;
                    let inner = std::mem::replace(&mut parts, before);
                    parts.push(Part::Optional(inner));
                }
                '{' | '}' | '#' => return Err(format!("`{c}` is reserved; quote it: '{c}'")),
                c => literal(&mut parts, c),
            }
        }
        match outer.is_empty() {
            true => Ok(Self(parts)),
            false => Err("a [ is not closed".to_owned()),
        }
    }

    /// Microseconds since 1970 in UTC, if the whole text matches.
    pub(crate) fn read(&self, text: &str) -> Option<i64> {
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
        // Like Spark, accept fewer digits too.
        ('S', 1..=9) => Some(Part::Field(Field::Fraction, 1, count)),
        ('a', 1) => name(Field::AmPm),
        ('X' | 'x', 2 | 3) => name(Field::Offset { colon: count == 3, zulu: letter == 'X' }),
        ('Z', 1..=3) => name(Field::Offset { colon: false, zulu: false }),
        _ => None,
    };
    part.ok_or_else(|| {
        let letters: String = std::iter::repeat_n(letter, count.min(20)).collect();
        format!(
            "`{letters}` is not supported; supported are y yy yyyy M MM MMM MMMM d dd H HH h hh m mm s ss, S to SSSSSSSSS, a, XX XXX xx xxx Z, quotes around other letters such as 'T', and [ ] around optional parts"
        )
    })
}

/// Whether the pattern matches all of the values.
pub fn pattern_reads<'v>(pattern: &str, mut values: impl Iterator<Item = &'v str>) -> bool {
    DateTimePattern::parse(pattern)
        .is_ok_and(|pattern| values.all(|value| pattern.read(value).is_some()))
}
