//! The scenario that is proposed, as commented TOML.

use std::fmt::Write;

use streamjoin_datasets::type_text;
use toml_writer::{ToTomlKey, TomlKeyBuilder};

use super::Found;
use super::column::Form;
use super::interval::Apart;
use super::link::Link;
use super::profile::{Profile, Time};
use super::round_length::no_shorter;
use super::sentences::{
    contents, distances, evidence, found_share, in_unit, one_line, order, outliers, warnings,
};
use crate::plan::timestamp_sql;
use crate::text::toml_string::quoted;
use streamjoin_sql::quote_identifier;

/// Keys that were less likely, as comments.
const ALTERNATIVES: usize = 3;

/// The scenario over what was found; `path` makes a file's path as the scenario
/// is to say it.
pub(super) fn scenario(found: &Found, path: &dyn Fn(&Profile) -> String) -> String {
    let Found { profiles, roles, .. } = found;
    let mut text = String::new();
    let names = |positions: &mut dyn Iterator<Item = usize>| -> String {
        positions.map(|at| profiles[at].name.clone()).collect::<Vec<_>>().join(", ")
    };
    let streams = names(&mut roles.streams.iter().copied());
    let tables = names(&mut roles.tables.iter().map(|joined| joined.table));
    let title = match (roles.streams.as_slice(), roles.tables.is_empty()) {
        ([_], _) => format!("{streams} with {tables}"),
        (_, true) => streams.replacen(", ", " with ", 1),
        (_, false) => format!("{} and {tables}", streams.replacen(", ", " with ", 1)),
    };
    let _ = writeln!(text, "# Proposed by `streamjoin init`; SCENARIOS.md explains every key.");
    let _ = writeln!(text, "description = {}", quoted(&title));
    for &at in &roles.streams {
        stream(&mut text, &profiles[at], &path(&profiles[at]), roles.streams.len() == 2);
    }
    if let [left, right] = roles.streams.as_slice() {
        join(&mut text, found, *left, *right);
    }
    for at in 0..roles.tables.len() {
        table(&mut text, found, at, path);
    }
    replay(&mut text, found);
    output(&mut text, found);
    text.push_str(
        "\n# Every strategy that stands here is measured, and all must give the same rows.\n[strategies.auto]\n",
    );
    text.push_str(match roles.streams.len() {
        1 => "# [strategies.\"broadcast/row-at-a-time\"]   # a hash map as one would write it\n# layout = \"broadcast\"\n# index = \"row-at-a-time\"\n",
        _ => "# [strategies.full-scan]   # all of the state is looked at for each eviction, as Spark does\n# state = \"full-scan\"\n",
    });
    text
}

fn stream(text: &mut String, profile: &Profile, path: &str, paired: bool) {
    let _ = writeln!(text, "\n# {}", contents(profile));
    let _ = writeln!(
        text,
        "[stream.{}]",
        TomlKeyBuilder::new(&profile.name).as_default().to_toml_key()
    );
    let _ = writeln!(text, "recording = {}", quoted(path));
    csv(text, profile);
    columns(text, profile);
    let Some(time) = profile.time() else {
        let _ = writeln!(text, "# event_time = \"...\"   # no column can be read as times");
        return;
    };
    let _ = writeln!(
        text,
        "# `{}`: {}; {}",
        time.guess.spec.column,
        time.guess.why,
        order(&time.disorder)
    );
    for line in outliers(profile, time) {
        let _ = writeln!(text, "# {line}");
    }
    if let Some(rival) = time.guess.rival {
        let _ = writeln!(text, "# It can be read as {rival:?} too: see to it.");
    }
    match made_time(profile, time).filter(|_| paired) {
        Some((name, sql)) => {
            let made = format!("{sql} AS {name}");
            let _ = writeln!(
                text,
                "select = [\"*\", {}]   # a timestamp, for the [join]",
                quoted(&made)
            );
            let _ = writeln!(text, "event_time = {}", quoted(&name));
        }
        None => {
            let _ = writeln!(text, "event_time = {}", event_time(time));
        }
    }
    for other in profile.times.iter().skip(1) {
        let _ = writeln!(text, "# event_time = {}   # {}", event_time(other), other.guess.why);
    }
    if let Some(condition) = without_those_ahead(profile, time).filter(|_| paired) {
        let _ = writeln!(
            text,
            "where = {}   # or they would make all rows after them late",
            quoted(&condition)
        );
    }
    let (_, delay) = no_shorter(time.disorder.most.max(1_000_000));
    match paired {
        true => {
            let _ = writeln!(
                text,
                "watermark = {}   # no row that was looked at is late; `streamjoin watermark` shows what less would lose",
                quoted(&delay)
            );
        }
        false => {
            let _ = writeln!(
                text,
                "# watermark = {}   # reported only: a table drops no late rows",
                quoted(&delay)
            );
        }
    }
    let shorter = no_shorter(time.disorder.p999.max(1_000_000)).1;
    if paired && shorter != delay {
        let _ = writeln!(
            text,
            "# watermark = {}   # at most one row in 1,000 would be late",
            quoted(&shorter)
        );
    }
}

fn join(text: &mut String, found: &Found, left: usize, right: usize) {
    let profiles = &found.profiles;
    let (from, to) = (&profiles[left], &profiles[right]);
    let Some(link) = found.roles.between.first() else { return };
    let _ = writeln!(text, "\n# {}", evidence(from, to, link));
    let condition = |link: &Link| {
        let mut parts = vec![condition(from, to, link)];
        if let (Some(apart), Some((a, b))) = (found.apart, times_in_sql(from, to)) {
            parts.push(bound(&apart, &a, &b));
        }
        parts.join(" AND ")
    };
    if let Some(apart) = found.apart {
        let _ = writeln!(text, "# {}", distances(from, to, &apart));
    } else {
        let _ = writeln!(text, "# Without a bound on the two event times the state only grows.");
    }
    let _ = writeln!(text, "[join]\nleft = {}\nright = {}", quoted(&from.name), quoted(&to.name));
    let _ = writeln!(
        text,
        "type = \"inner\"   # or \"left outer\", \"right outer\", \"full outer\", \"left semi\", \"left anti\""
    );
    let _ = writeln!(text, "on = {}", quoted(&condition(link)));
    for other in
        found.roles.between.iter().skip(1).filter(|link| link.found >= 0.01).take(ALTERNATIVES)
    {
        let _ = writeln!(text, "# on = {}   # {}", quoted(&condition(other)), found_share(other));
    }
}

fn table(text: &mut String, found: &Found, at: usize, path: &dyn Fn(&Profile) -> String) {
    let joined = &found.roles.tables[at];
    let (from, to) = (&found.profiles[joined.from], &found.profiles[joined.table]);
    let Some(link) = joined.links.first() else { return };
    let _ = writeln!(text, "\n# {}\n# {}", contents(to), evidence(from, to, link));
    for warning in warnings(from, to, link) {
        let _ = writeln!(text, "# {warning}");
    }
    let _ =
        writeln!(text, "[[dimension]]\nname = {}\ntable = {}", quoted(&to.name), quoted(&path(to)));
    csv(text, to);
    columns(text, to);
    let _ = writeln!(
        text,
        "type = \"left outer\"   # rows without a match stay; or \"inner\", \"left semi\", \"left anti\""
    );
    let key = |link: &Link| match using(found, at, link) {
        Some(names) => {
            format!("using = [{}]", names.iter().map(|n| quoted(n)).collect::<Vec<_>>().join(", "))
        }
        None => format!("on = {}", quoted(&condition(from, to, link))),
    };
    let _ = writeln!(text, "{}", key(link));
    for other in joined.links.iter().skip(1).filter(|link| link.found >= 0.01).take(ALTERNATIVES) {
        let unique = if other.is_unique() { "" } else { ", several rows per key" };
        let _ = writeln!(text, "# {}   # {}{unique}", key(other), found_share(other));
    }
}

fn replay(text: &mut String, found: &Found) {
    let timed = found.roles.streams.iter().all(|at| found.profiles[*at].time().is_some());
    let _ =
        writeln!(text, "\n[replay]\ntrigger = {{ rows = 65_536 }}   # where a micro-batch ends");
    if timed {
        let _ = writeln!(text, "# trigger = {{ event_time = \"10 s\" }}");
    }
}

/// Columns of equal name are renamed, so that every format can hold the rows.
fn output(text: &mut String, found: &Found) {
    let (profiles, roles) = (&found.profiles, &found.roles);
    let mut taken: Vec<String> = Vec::new();
    let mut select: Vec<String> = Vec::new();
    let mut clash = false;
    let members =
        roles.streams.iter().copied().chain(roles.tables.iter().map(|joined| joined.table));
    for (position, at) in members.enumerate() {
        let profile = &profiles[at];
        let made = profile
            .time()
            .and_then(|time| made_time(profile, time))
            .filter(|_| roles.streams.len() == 2 && position < 2)
            .map(|(name, _)| name);
        let merged: Vec<String> = position
            .checked_sub(roles.streams.len())
            .and_then(|table| using(found, table, roles.tables[table].links.first()?))
            .unwrap_or_default();
        if position == 0 {
            select.push(format!("{}.*", quote_identifier(&profile.name)));
            taken.extend(profile.columns.iter().map(|column| column.name.to_lowercase()));
            taken.extend(made);
            continue;
        }
        for column in profile.columns.iter().map(|column| &column.name).chain(&made) {
            let name = column.to_lowercase();
            if merged.iter().any(|key| key.to_lowercase() == name) {
                continue;
            }
            let mut item = qualified(profile, column);
            let mut given = name;
            if taken.contains(&given) {
                clash = true;
                let mut alias = format!("{}_{column}", profile.name);
                while taken.contains(&alias.to_lowercase()) {
                    alias.push('_');
                }
                given = alias.to_lowercase();
                let _ = write!(item, " AS {}", quote_identifier(&alias));
            }
            taken.push(given);
            select.push(item);
        }
    }
    let list: Vec<String> = select.iter().map(|item| format!("    {},\n", quoted(item))).collect();
    if clash {
        let _ = write!(
            text,
            "\n[output]\n# Columns of equal name get names of their own.\nselect = [\n{}]\n",
            list.concat()
        );
    } else {
        let list: Vec<String> = select.iter().map(|item| quoted(item)).collect();
        let _ = write!(text, "\n# [output]\n# select = [{}]\n# where = \"...\"\n", list.join(", "));
    }
}

fn csv(text: &mut String, profile: &Profile) {
    let header = (!profile.header).then(|| "header = false".to_owned());
    let delimiter = profile.delimiter.map(|c| format!("delimiter = {}", quoted(&c.to_string())));
    let keys: Vec<String> = header.into_iter().chain(delimiter).collect();
    if !keys.is_empty() {
        let _ = writeln!(text, "csv = {{ {} }}", keys.join(", "));
    }
}

fn columns(text: &mut String, profile: &Profile) {
    let columns = profile.columns.iter();
    let mut line = String::from("# Columns:");
    for (at, column) in columns.enumerate() {
        let comma = if at + 1 < profile.columns.len() { "," } else { "" };
        let item = format!(" {} {}{comma}", one_line(&column.name), type_text(&column.data_type));
        if line.chars().count() + item.chars().count() > 96 {
            let _ = writeln!(text, "{line}");
            line = "#  ".to_owned();
        }
        line += &item;
    }
    let _ = writeln!(text, "{line}");
}

/// The bound on the event times of two streams.
fn bound(apart: &Apart, left: &str, right: &str) -> String {
    let (before, after) = apart.bounds();
    let from = before.map_or(left.to_owned(), |length| format!("{left} - INTERVAL '{length}'"));
    let to = after.map_or(left.to_owned(), |length| format!("{left} + INTERVAL '{length}'"));
    format!("{right} BETWEEN {from} AND {to}")
}

/// The event times as columns that a condition can name; none where they are
/// text of a form that SQL does not read.
fn times_in_sql(left: &Profile, right: &Profile) -> Option<(String, String)> {
    let column = |profile: &Profile| {
        let time = profile.time()?;
        let name = match made_time(profile, time) {
            Some((name, _)) => name,
            None if is_time(time) => time.guess.spec.column.clone(),
            None => return None,
        };
        Some(qualified(profile, &name))
    };
    Some((column(left)?, column(right)?))
}

fn is_time(time: &Time) -> bool {
    time.guess.spec.unit.is_none() && time.guess.spec.format.is_none()
}

/// The condition that rows meet whose time is not far ahead of all others.
fn without_those_ahead(profile: &Profile, time: &Time) -> Option<String> {
    let nearest = time.ahead?.nearest;
    let spec = &time.guess.spec;
    let column = quote_identifier(&spec.column);
    let below = match (spec.unit, made_time(profile, time)) {
        (Some(unit), _) => format!("{column} < {}", in_unit(nearest, unit)),
        (None, Some((_, sql))) => format!("{sql} < timestamp_micros({nearest})"),
        (None, None) => format!("{column} < timestamp_micros({nearest})"),
    };
    // Rows without a time stay.
    Some(format!("{below} OR {column} IS NULL"))
}

/// The name and the SQL of a timestamp column that is made of numbers or text.
fn made_time(profile: &Profile, time: &Time) -> Option<(String, String)> {
    let spec = &time.guess.spec;
    let sql = match &spec.format {
        // What CAST reads.
        Some(format) if format.starts_with("%Y-%m-%d") && !format.ends_with("UTC") => {
            format!("CAST({} AS TIMESTAMP)", quote_identifier(&spec.column))
        }
        _ => timestamp_sql(spec, time.padded)?,
    };
    let mut name = "event_time".to_owned();
    while profile.columns.iter().any(|column| column.name.eq_ignore_ascii_case(&name)) {
        name.push('_');
    }
    Some((name, sql))
}

fn qualified(profile: &Profile, column: &str) -> String {
    format!("{}.{}", quote_identifier(&profile.name), quote_identifier(column))
}

/// A key as SQL.
pub(super) fn condition(from: &Profile, to: &Profile, link: &Link) -> String {
    let part = |(l, r): &(usize, usize)| {
        let left = qualified(from, &from.columns[*l].name);
        let right = qualified(to, &to.columns[*r].name);
        match link.form {
            Form::Plain => format!("{left} = {right}"),
            Form::Folded => format!("lower(trim({left})) = lower(trim({right}))"),
        }
    };
    link.parts.iter().map(part).collect::<Vec<_>>().join(" AND ")
}

/// The names of a key that is the same on both sides and nowhere else in sight,
/// if no later table is joined by the table's own column, which `USING` hides.
fn using(found: &Found, table: usize, link: &Link) -> Option<Vec<String>> {
    let (profiles, roles) = (&found.profiles, &found.roles);
    let joined = &roles.tables[table];
    let before = roles.streams.iter().copied().chain(roles.tables[..table].iter().map(|t| t.table));
    let before: Vec<usize> = before.collect();
    let name = |(l, r): &(usize, usize)| {
        let left = &profiles[joined.from].columns[*l].name;
        let right = &profiles[joined.table].columns[*r].name;
        let has = |at: &&usize| {
            profiles[**at].columns.iter().any(|column| column.name.eq_ignore_ascii_case(left))
        };
        let once = before.iter().filter(has).count() == 1;
        let later = roles.tables[table + 1..].iter().filter(|later| later.from == joined.table);
        let is_needed = later
            .flat_map(|later| later.links.first())
            .any(|link| link.parts.iter().any(|(left, _)| left == r));
        (left == right && once && !is_needed && link.form == Form::Plain).then(|| left.clone())
    };
    link.parts.iter().map(name).collect()
}

/// An event time as a scenario says it.
pub(super) fn event_time(time: &Time) -> String {
    let spec = &time.guess.spec;
    let column = quoted(&spec.column);
    match (spec.unit, &spec.format) {
        (Some(unit), _) => format!("{{ column = {column}, unit = {} }}", quoted(unit.short())),
        (None, Some(format)) => format!("{{ column = {column}, format = {} }}", quoted(format)),
        (None, None) => column,
    }
}
