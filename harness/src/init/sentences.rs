//! What was found, in sentences: for the scenario's comments and for people.

use super::column::Form;
use super::disorder::Disorder;
use super::interval::Apart;
use super::link::Link;
use super::outlier::Outliers;
use super::profile::{Profile, Time};
use crate::scenario::TimeUnitName;
use crate::text::duration::two_units;
use crate::text::instant::iso_millis;
use crate::text::number::grouped;
use crate::text::percent;

/// `clicks.parquet: parquet, 100,000 rows`.
pub(super) fn contents(profile: &Profile) -> String {
    let files = match profile.source.files().len() {
        1 => String::new(),
        files => format!(", {} files", grouped(files as u64)),
    };
    let rows = match profile.rows {
        Some(rows) if profile.is_cut() => {
            format!("{} rows, of which {} were read", grouped(rows), grouped(profile.read))
        }
        Some(rows) => format!("{} rows", grouped(rows)),
        None => format!("more than the {} rows that were read", grouped(profile.read)),
    };
    format!("{}: {}{files}, {rows}", one_line(&profile.argument), profile.source.format())
}

/// How a time column's rows are ordered.
pub(super) fn order(disorder: &Disorder) -> String {
    match disorder.behind {
        0 => "rows are in order".to_owned(),
        behind => format!(
            "{} of the rows are out of order, by at most {}",
            percent::share(behind as f64 / disorder.rows as f64),
            two_units(disorder.most)
        ),
    }
}

/// The rows whose time is far from all others, one line per side.
pub(super) fn outliers(profile: &Profile, time: &Time) -> Vec<String> {
    let line = |found: &Outliers, side: &str| {
        let (count, are) = match found.rows {
            1 => ("1 row".to_owned(), "is"),
            rows => (format!("{} rows", grouped(rows as u64)), "are"),
        };
        let first = if found.rows == 1 { "" } else { "the first is " };
        let number = match time.guess.spec.unit {
            Some(unit) => format!("{} = ", in_unit(found.micros, unit)),
            None => String::new(),
        };
        format!(
            "{count} {are} far {side} all others and left out: {first}row {} of {}, `{}` {number}{}",
            grouped(found.first as u64 + 1),
            one_line(&profile.argument),
            one_line(&time.guess.spec.column),
            iso_millis(found.micros)
        )
    };
    let behind = time.behind.iter().map(|found| line(found, "behind"));
    behind.chain(time.ahead.iter().map(|found| line(found, "ahead of"))).collect()
}

/// A time as a number of units.
pub(super) fn in_unit(micros: i64, unit: TimeUnitName) -> i128 {
    let micros = i128::from(micros);
    match unit {
        TimeUnitName::Second => micros.div_euclid(1_000_000),
        TimeUnitName::Millisecond => micros.div_euclid(1_000),
        TimeUnitName::Microsecond => micros,
        TimeUnitName::Nanosecond => micros * 1_000,
    }
}

/// The evidence for a key.
pub(super) fn evidence(from: &Profile, to: &Profile, link: &Link) -> String {
    let (from, to) = if link.flipped { (to, from) } else { (from, to) };
    let part = |(left, right): &(usize, usize)| if link.flipped { *left } else { *right };
    let keys: Vec<String> =
        link.parts.iter().map(|parts| one_line(&to.columns[part(parts)].name)).collect();
    let keys = keys.join("`, `");
    let unique = match (link.is_unique(), link.parts.len()) {
        (true, 1) => format!("`{keys}` is unique in {}", to.name),
        (true, _) => format!("`{keys}` together are unique in {}", to.name),
        (false, _) => format!("{} has {:.1} rows per `{keys}`", to.name, link.rows_a_key),
    };
    format!(
        "{} of the {} {} rows that were looked up are found in {}; {unique}.",
        percent::share(link.found),
        grouped(link.looked as u64),
        from.name,
        to.name
    )
}

pub(super) fn found_share(link: &Link) -> String {
    format!("{} found", percent::share(link.found))
}

/// The doubts about a key.
pub(super) fn warnings(from: &Profile, to: &Profile, link: &Link) -> Vec<String> {
    let mut warnings = Vec::new();
    if link.found < 0.01 {
        warnings.push(format!(
            "Almost no row of {} is found in {}: only the names suggest this key.",
            from.name, to.name
        ));
    }
    if link.by_accident {
        warnings.push("The names suggest nothing, and numbers in a narrow range match by accident: check this key.".to_owned());
    }
    if !link.is_unique() {
        warnings.push(format!("A row of {} is emitted once per match.", from.name));
    }
    if link.form == Form::Folded {
        warnings.push(
            "The values differ in case or in surrounding blanks, which the condition removes."
                .to_owned(),
        );
    }
    warnings
}

/// How far apart the rows of two streams are.
pub(super) fn distances(from: &Profile, to: &Profile, apart: &Apart) -> String {
    let at = |micros: i64| match micros {
        before if before < 0 => format!("{} before", two_units(before.saturating_neg())),
        after => format!("{} after", two_units(after)),
    };
    format!(
        "Of {} rows of {} with a match, 99 % are from {} to {} the row of {} (all: {} to {}).",
        grouped(apart.matches as u64),
        to.name,
        at(apart.usual.0),
        at(apart.usual.1),
        from.name,
        at(apart.all.0),
        at(apart.all.1)
    )
}

/// A name in a comment, whatever is in it.
pub(super) fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
