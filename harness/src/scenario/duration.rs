//! Durations and instants as a scenario writes them.

use std::time::Duration;

use arrow::array::timezone::Tz;
use arrow::compute::kernels::cast_utils::string_to_datetime;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

/// Microseconds a unit, with the names that are read.
const UNITS: [(&[&str], i64); 7] = [
    (&["us", "microsecond", "microseconds"], 1),
    (&["ms", "millisecond", "milliseconds"], 1_000),
    (&["s", "sec", "second", "seconds"], 1_000_000),
    (&["m", "min", "minute", "minutes"], 60_000_000),
    (&["h", "hour", "hours"], 3_600_000_000),
    (&["d", "day", "days"], 86_400_000_000),
    (&["w", "week", "weeks"], 604_800_000_000),
];

/// A length of time in microseconds, written `"10 s"` or `"1 hour 30 minutes"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Micros(pub i64);

impl Micros {
    /// The same length of time; a negative one is none.
    #[must_use]
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
            let (_, micros) = UNITS
                .iter()
                .find(|(names, _)| names.contains(&unit.as_str()))
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

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a duration in quotes, such as \"10 s\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Micros, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Text)
    }
}

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
