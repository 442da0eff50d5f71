//! Date and time patterns of Spark 3 and later: `to_timestamp` and `to_date` with two
//! arguments read by them, `date_format` writes by them.
//!
//! As in Spark, a field that is read has as many digits as the pattern has letters, letters
//! match in any case, the whole text must match, and dates that do not exist do
//! not match. (`strftime` is laxer in all of these.)

mod read;
mod strftime;
mod write;

use read::{Read, take_all};

pub use strftime::pattern_of_strftime;

/// A part that is a number or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// `AD`, or `Anno Domini`; then years count from 1 in both eras.
    Era {
        full: bool,
    },
    Year,
    /// Two digits, meaning 2000 to 2099 where they are read.
    YearOfCentury,
    Month,
    /// `Jan`, or `January`.
    MonthName {
        full: bool,
    },
    Day,
    DayOfYear,
    Quarter,
    /// `Q1`, or `1st quarter`.
    QuarterName {
        full: bool,
    },
    /// `Mon`, or `Monday`.
    Weekday {
        full: bool,
    },
    /// 1 to 7 in the first seven days of the month, and so on.
    DayOfAlignedWeek,
    Hour,
    /// 1 to 24.
    ClockHour,
    /// 0 to 11.
    HourOfHalfDay,
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
    /// What is written for the time zone UTC, in some other form.
    OfUtc(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// With the number of its letters.
    Field(Field, usize),
    Optional(Vec<Part>),
}

/// A pattern such as `dd.MM.yyyy HH:mm:ss[.SSS]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DateTimePattern(Vec<Part>);

impl DateTimePattern {
    /// Parses a pattern to read by.
    ///
    /// # Errors
    /// Unsupported letters, and brackets or quotes that are not closed.
    pub(crate) fn to_read(text: &str) -> Result<Self, String> {
        let (pattern, open) =
            Self::parse(text, |field, count| read::digits(field, count).is_some(), READ)?;
        match open {
            0 => Ok(pattern),
            _ => Err("a [ is not closed".to_owned()),
        }
    }

    /// Parses a pattern to write by; a bracket may stay open at the end, as in Spark.
    ///
    /// # Errors
    /// Unsupported letters, and quotes that are not closed.
    pub(crate) fn to_write(text: &str) -> Result<Self, String> {
        Self::parse(text, |_, _| true, WRITTEN).map(|(pattern, _)| pattern)
    }

    /// The pattern, and how many brackets are open at its end.
    fn parse(
        text: &str,
        supports: impl Fn(Field, usize) -> bool,
        supported: &str,
    ) -> Result<(Self, usize), String> {
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
                    let field = field(c, count).filter(|field| supports(*field, count));
                    let field = field.ok_or_else(|| {
                        let letters: String = std::iter::repeat_n(c, count.min(20)).collect();
                        format!("`{letters}` is not supported; supported are {supported}")
                    })?;
                    parts.push(Part::Field(field, count));
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
        let open = outer.len();
        while let Some(before) = outer.pop() {
            let inner = std::mem::replace(&mut parts, before);
            parts.push(Part::Optional(inner));
        }
        Ok((Self(parts), open))
    }

    /// Microseconds since 1970 in UTC, if the whole text matches.
    pub(crate) fn read(&self, text: &str) -> Option<i64> {
        let mut read = Read::default();
        let rest = take_all(&self.0, text, &mut read)?;
        if rest.is_empty() { read.micros() } else { None }
    }

    /// The text of a number of microseconds since 1970, in UTC.
    pub(crate) fn write(&self, micros: i64) -> String {
        write::write(&self.0, micros)
    }
}

const READ: &str = "y yy yyyy M MM MMM MMMM d dd H HH h hh m mm s ss, S to SSSSSSSSS, a, XX XXX xx xxx Z, quotes around other letters such as 'T', and [ ] around optional parts";

const WRITTEN: &str = "G GGGG, y to yyyyyy, M to MMMM, L to LLLL, d dd, D to DDD, Q to QQQQ, q to qqqq, E to EEEE, F, a, H HH h hh k kk K KK m mm s ss, S to SSSSSSSSS, VV, z to zzzz, O OOOO, X to XXXXX, x to xxxxx, Z to ZZZZZ, and quotes around other letters such as 'T'";

fn literal(parts: &mut Vec<Part>, c: char) {
    match parts.last_mut() {
        Some(Part::Literal(text)) => text.push(c),
        _ => parts.push(Part::Literal(c.to_string())),
    }
}

/// The field of a letter that is repeated `count` times.
fn field(letter: char, count: usize) -> Option<Field> {
    Some(match (letter, count) {
        ('G', 1..=4) => Field::Era { full: count == 4 },
        ('y', 2) => Field::YearOfCentury,
        ('y', 1..=6) => Field::Year,
        ('M' | 'L', 1 | 2) => Field::Month,
        ('M' | 'L', 3 | 4) => Field::MonthName { full: count == 4 },
        ('d', 1 | 2) => Field::Day,
        ('D', 1..=3) => Field::DayOfYear,
        ('Q' | 'q', 1 | 2) => Field::Quarter,
        ('Q' | 'q', 3 | 4) => Field::QuarterName { full: count == 4 },
        ('E', 1..=4) => Field::Weekday { full: count == 4 },
        ('F', 1) => Field::DayOfAlignedWeek,
        ('H', 1 | 2) => Field::Hour,
        ('k', 1 | 2) => Field::ClockHour,
        ('K', 1 | 2) => Field::HourOfHalfDay,
        ('h', 1 | 2) => Field::HalfDayHour,
        ('m', 1 | 2) => Field::Minute,
        ('s', 1 | 2) => Field::Second,
        ('S', 1..=9) => Field::Fraction,
        ('a', 1) => Field::AmPm,
        ('X' | 'x', 2 | 3) => Field::Offset { colon: count == 3, zulu: letter == 'X' },
        ('Z', 1..=3) => Field::Offset { colon: false, zulu: false },
        ('X', 1 | 4 | 5) | ('Z', 5) => Field::OfUtc("Z"),
        ('x', 1) => Field::OfUtc("+00"),
        ('x', 4) => Field::OfUtc("+0000"),
        ('x', 5) => Field::OfUtc("+00:00"),
        ('O', 1 | 4) | ('Z', 4) => Field::OfUtc("GMT"),
        ('V', 2) | ('z', 1..=3) => Field::OfUtc("UTC"),
        ('z', 4) => Field::OfUtc("Coordinated Universal Time"),
        _ => return None,
    })
}

/// Whether the pattern matches all of the values.
pub fn pattern_reads<'v>(pattern: &str, mut values: impl Iterator<Item = &'v str>) -> bool {
    DateTimePattern::to_read(pattern)
        .is_ok_and(|pattern| values.all(|value| pattern.read(value).is_some()))
}
