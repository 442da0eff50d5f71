//! Lengths of time: as a scenario or a flag writes them, and for people.

use std::fmt;
use std::time::Duration;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use super::number::significant;

/// Units, the longest first: microseconds per unit, the name that is written, and
/// the other names that are read.
const UNITS: [(i64, &str, &[&str]); 7] = [
    (604_800_000_000, "w", &["week", "weeks"]),
    (86_400_000_000, "d", &["day", "days"]),
    (3_600_000_000, "h", &["hour", "hours"]),
    (60_000_000, "min", &["m", "minute", "minutes"]),
    (1_000_000, "s", &["sec", "second", "seconds"]),
    (1_000, "ms", &["millisecond", "milliseconds"]),
    (1, "us", &["microsecond", "microseconds"]),
];

/// A length of time in microseconds, written `"10 s"` or `"1 hour 30 minutes"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Micros(pub i64);

impl Micros {
    /// The same length of time; zero for a negative one.
    pub fn as_duration(self) -> Duration {
        Duration::from_micros(u64::try_from(self.0).unwrap_or(0))
    }
}

impl std::str::FromStr for Micros {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || {
            format!(
                "`{text}` is not a duration: write a whole number and a unit (us, ms, s, minutes, hours, days, weeks), such as \"10 s\" or \"1 hour 30 minutes\""
            )
        };
        let mut rest = text.trim();
        let mut total: i64 = 0;
        if rest.is_empty() {
            return Err(refuse());
        }
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(rest.len());
            let number: i64 = rest[..end].replace('_', "").parse().map_err(|_| refuse())?;
            rest = rest[end..].trim_start();
            let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            let unit = rest[..end].to_ascii_lowercase();
            let (micros, ..) = UNITS
                .iter()
                .find(|(_, name, others)| *name == unit || others.contains(&unit.as_str()))
                .ok_or_else(refuse)?;
            total = number
                .checked_mul(*micros)
                .and_then(|part| total.checked_add(part))
                .ok_or_else(|| format!("the duration `{text}` is longer than 290,000 years"))?;
            rest = rest[end..].trim_start();
        }
        Ok(Self(total))
    }
}

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Micros;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration in quotes, such as \"10 s\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Micros, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Text)
    }
}

/// How many of each unit make up a length, weeks apart.
fn parts(micros: u128) -> impl Iterator<Item = (u128, &'static str)> {
    let mut left = micros;
    UNITS.into_iter().skip(1).map(move |(unit, name, _)| {
        let unit = u128::from(unit.unsigned_abs());
        let count = left / unit;
        left %= unit;
        (count, name)
    })
}

fn joined(parts: impl Iterator<Item = (u128, &'static str)>) -> String {
    let parts: Vec<String> = parts
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

/// The whole length, as a scenario reads it: `1 h 30 min`.
pub fn exact(micros: impl Into<i128>) -> String {
    let micros = micros.into();
    let sign = if micros < 0 { "-" } else { "" };
    format!("{sign}{}", joined(parts(micros.unsigned_abs())))
}

/// [`exact`] for milliseconds.
pub fn exact_millis(millis: i64) -> String {
    exact(i128::from(millis) * 1000)
}

/// A length for people, cut off after two units: `1 h 4 min`.
pub(crate) fn two_units(micros: i64) -> String {
    let leading = parts(micros.unsigned_abs().into()).skip_while(|(count, _)| *count == 0);
    joined(leading.take(2))
}

/// A length for people, in one unit with three digits: `1.50 h`.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 86_400.0 => format!("{} d", significant(s / 86_400.0)),
        s if s >= 3600.0 => format!("{} h", significant(s / 3600.0)),
        s if s >= 60.0 => format!("{} min", significant(s / 60.0)),
        s => format!("{} s", significant(s)),
    }
}

/// At least this many milliseconds as one writes them in a scenario: rounded up
/// to a whole number of a unit.
pub(crate) fn at_least(millis: i64) -> String {
    let up = |unit: i64| millis.div_euclid(unit) + i64::from(millis.rem_euclid(unit) > 0);
    match millis {
        ms if ms < 1000 => format!("{ms} ms"),
        ms if ms < 120_000 => format!("{} s", up(1000)),
        ms if ms < 7_200_000 => format!("{} minutes", up(60_000)),
        ms if ms < 172_800_000 => format!("{} hours", up(3_600_000)),
        _ => format!("{} days", up(86_400_000)),
    }
}

#[cfg(test)]
#[path = "duration_tests.rs"]
mod tests;
