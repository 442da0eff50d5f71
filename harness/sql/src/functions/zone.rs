//! Time zones by name, as Spark and Java know them.

use chrono::offset::{LocalResult, Offset as _};
use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, TimeDelta, TimeZone as _};
use chrono_tz::Tz;

use crate::interval::SECOND;
use crate::names::shortened;

/// A region or a fixed offset.
#[derive(Clone, Copy, Debug)]
pub(super) enum Zone {
    Region(Tz),
    /// Seconds ahead of UTC.
    Fixed(i64),
}

/// Abbreviations that Java knows (`ZoneId.SHORT_IDS`).
const SHORT: [(&str, &str); 28] = [
    ("ACT", "Australia/Darwin"),
    ("AET", "Australia/Sydney"),
    ("AGT", "America/Argentina/Buenos_Aires"),
    ("ART", "Africa/Cairo"),
    ("AST", "America/Anchorage"),
    ("BET", "America/Sao_Paulo"),
    ("BST", "Asia/Dhaka"),
    ("CAT", "Africa/Harare"),
    ("CNT", "America/St_Johns"),
    ("CST", "America/Chicago"),
    ("CTT", "Asia/Shanghai"),
    ("EAT", "Africa/Addis_Ababa"),
    ("ECT", "Europe/Paris"),
    ("EST", "-05:00"),
    ("HST", "-10:00"),
    ("IET", "America/Indiana/Indianapolis"),
    ("IST", "Asia/Kolkata"),
    ("JST", "Asia/Tokyo"),
    ("MIT", "Pacific/Apia"),
    ("MST", "-07:00"),
    ("NET", "Asia/Yerevan"),
    ("NST", "Pacific/Auckland"),
    ("PLT", "Asia/Karachi"),
    ("PNT", "America/Phoenix"),
    ("PRT", "America/Puerto_Rico"),
    ("PST", "America/Los_Angeles"),
    ("SST", "Pacific/Guadalcanal"),
    ("VST", "Asia/Ho_Chi_Minh"),
];

impl Zone {
    /// A region (`Europe/Berlin`), an offset (`+02:00`, `UTC-3`), or an abbreviation that
    /// Java knows.
    ///
    /// # Errors
    /// If the zone is unknown.
    pub(super) fn parse(name: &str) -> Result<Self, String> {
        let short = SHORT.iter().find(|(short, _)| *short == name);
        let long = short.map_or(name, |(_, long)| long);
        let zone = fixed(long).map(Self::Fixed).or_else(|| long.parse().ok().map(Self::Region));
        zone.ok_or_else(|| {
            format!(
                "there is no time zone '{}'; write a region such as 'Europe/Berlin' in its exact spelling, or an offset such as '+02:00'",
                shortened(name, 60)
            )
        })
    }

    /// The moment of a local time, both as microseconds since 1970. A time that clocks
    /// skip is moved by what they skip; of a time that they repeat, the first one counts.
    pub(super) fn to_utc(self, local: i64) -> Option<i64> {
        let seconds = match self {
            Self::Fixed(seconds) => seconds,
            Self::Region(zone) => {
                let time = DateTime::from_timestamp(local.div_euclid(SECOND), 0)?.naive_utc();
                offset_seconds(zone, within_tables(time)?)?
            }
        };
        local.checked_sub(seconds * SECOND)
    }
}

fn offset_seconds(zone: Tz, local: NaiveDateTime) -> Option<i64> {
    let offset = match zone.offset_from_local_datetime(&local) {
        LocalResult::Single(offset) | LocalResult::Ambiguous(offset, _) => offset,
        // The offset before the gap: a day earlier no other change is near.
        LocalResult::None => {
            zone.offset_from_utc_datetime(&local.checked_sub_signed(TimeDelta::days(1))?)
        }
    };
    Some(offset.fix().local_minus_utc().into())
}

/// The time in a year with the same calendar, if the tables of transitions end before:
/// the rules of the last year stay in force.
fn within_tables(time: NaiveDateTime) -> Option<NaiveDateTime> {
    const FIRST: i32 = 2071;
    const LAST: i32 = 2098;
    if time.year() <= LAST {
        return Some(time);
    }
    let new_year = |year| NaiveDate::from_yo_opt(year, 1);
    let alike = |year: &i32| {
        new_year(*year)
            .zip(new_year(time.year()))
            .is_some_and(|(a, b)| a.weekday() == b.weekday() && a.leap_year() == b.leap_year())
    };
    time.with_year((FIRST..=LAST).find(alike)?)
}

/// Seconds of `Z`, `UTC`, `GMT`, `UT`, of `+h`, `+hh`, `+hhmm`, `+hhmmss`, `+h[h]:m[m]`,
/// `+hh:mm:ss`, or of both, one after the other.
fn fixed(name: &str) -> Option<i64> {
    if name == "Z" {
        return Some(0);
    }
    let rest = ["UTC", "GMT", "UT"].iter().find_map(|prefix| name.strip_prefix(prefix));
    let offset = rest.unwrap_or(name);
    if rest == Some("") {
        return Some(0);
    }
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let digits = offset.strip_prefix(['+', '-'])?;
    let parts: Vec<&str> = digits.split(':').collect();
    let in_turn = |length: usize| digits.get(length..length + 2).unwrap_or("0");
    let [hours, minutes, seconds] = match parts.as_slice() {
        [all] if all.len() <= 2 => [*all, "0", "0"],
        [all] if matches!(all.len(), 4 | 6) => [digits.get(..2)?, in_turn(2), in_turn(4)],
        [hours, minutes] => [*hours, *minutes, "0"],
        [hours, minutes, seconds] if seconds.len() == 2 => [*hours, *minutes, *seconds],
        _ => return None,
    };
    let number = |text: &str| -> Option<i64> {
        let plain = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| text.parse().ok())?
    };
    let (hours, minutes, seconds) = (number(hours)?, number(minutes)?, number(seconds)?);
    let total = hours * 3600 + minutes * 60 + seconds;
    (minutes < 60 && seconds < 60 && total <= 18 * 3600).then_some(sign * total)
}
