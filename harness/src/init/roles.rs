//! Which file is the stream, which are tables, and what joins them.

use super::interval::Apart;
use super::link::{Link, links};
use super::profile::Profile;
use super::time::is_of_an_entity;
use crate::error::{Failure, Result};
use crate::text::shell::shell_word;

/// What each file is; positions are those of the profiles.
#[derive(Debug)]
pub(super) struct Roles {
    /// One stream, or the left and the right one.
    pub(super) streams: Vec<usize>,
    /// The keys of two streams, the likeliest first.
    pub(super) between: Vec<Link>,
    /// In the order in which they are joined.
    pub(super) tables: Vec<Joined>,
}

/// A table and the keys that it may be joined by.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) table: usize,
    /// The stream or the earlier table that has the other side of the key.
    pub(super) from: usize,
    /// The likeliest first.
    pub(super) links: Vec<Link>,
}

/// Finds out what each file is. `streams` says how many of them, the first ones,
/// are streams.
///
/// # Errors
/// A usage failure if that cannot be, or if a table has no key that anything else has.
pub(super) fn assign(profiles: &[Profile], streams: Option<usize>) -> Result<Roles> {
    let pairs = Pairs::of(profiles);
    let streams: Vec<usize> = match streams {
        Some(2) => {
            if let Some(timeless) = profiles.iter().take(2).find(|p| p.time().is_none()) {
                return Err(Failure::usage(format!(
                    "--streams: {} has no column that can be read as an event time, so it is a table",
                    timeless.argument
                )));
            }
            vec![0, 1]
        }
        Some(_) => vec![0],
        None if profiles.len() == 2 && are_streams(&profiles[0], &profiles[1], &pairs) => {
            vec![0, 1]
        }
        None => vec![the_stream(profiles, &pairs)],
    };
    let between = match streams.as_slice() {
        [left, right] => {
            let found = pairs.either_way(*left, *right);
            if found.is_empty() {
                return Err(no_key(&profiles[*left], &profiles[*right]));
            }
            found
        }
        _ => Vec::new(),
    };
    let mut joined = streams.clone();
    let mut tables: Vec<Joined> = Vec::new();
    let mut waiting: Vec<usize> = (0..profiles.len()).filter(|at| !streams.contains(at)).collect();
    while !waiting.is_empty() {
        // A table that hangs on another one comes after it.
        let best = |table: usize| {
            let score = |from: usize| pairs.best(from, table);
            joined.iter().copied().max_by(|a, b| score(*a).total_cmp(&score(*b)))
        };
        let next = waiting.iter().enumerate().find_map(|(at, &table)| {
            let from = best(table)?;
            (pairs.best(from, table) > NO_LINK).then_some((at, from))
        });
        let Some((at, from)) = next else {
            return Err(no_key(&profiles[streams[0]], &profiles[waiting[0]]));
        };
        let table = waiting.remove(at);
        tables.push(Joined { table, from, links: pairs.between(from, table).to_vec() });
        joined.push(table);
    }
    Ok(Roles { streams, between, tables })
}

const NO_LINK: f64 = -10.0;

/// The keys of every file in every other.
struct Pairs(Vec<Vec<Vec<Link>>>);

impl Pairs {
    fn of(profiles: &[Profile]) -> Self {
        let from = |left: usize| {
            let to = |right: usize| {
                if left == right { Vec::new() } else { links(&profiles[left], &profiles[right]) }
            };
            (0..profiles.len()).map(to).collect()
        };
        Self((0..profiles.len()).map(from).collect())
    }

    fn between(&self, left: usize, right: usize) -> &[Link] {
        &self.0[left][right]
    }

    /// The keys of two streams, whichever of them was looked up.
    fn either_way(&self, left: usize, right: usize) -> Vec<Link> {
        match self.best(right, left) > self.best(left, right) {
            true => self.between(right, left).iter().map(Link::flip).collect(),
            false => self.between(left, right).to_vec(),
        }
    }

    /// The scores of the links by which all others are reached from one file, over
    /// others where that is better.
    fn reached_from(&self, first: usize) -> f64 {
        let mut reached = vec![first];
        let mut sum = 0.0;
        while reached.len() < self.0.len() {
            let next = (0..self.0.len())
                .filter(|at| !reached.contains(at))
                .flat_map(|to| reached.iter().map(move |from| (to, self.best(*from, to))))
                .max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((to, score)) = next else { break };
            reached.push(to);
            sum += score;
        }
        sum
    }

    fn best(&self, left: usize, right: usize) -> f64 {
        self.between(left, right).first().map_or(NO_LINK, |link| link.score)
    }
}

/// The file from which the others are looked up best.
fn the_stream(profiles: &[Profile], pairs: &Pairs) -> usize {
    let most = profiles.iter().map(size).fold(1.0, f64::max);
    let score = |at: usize| {
        let links = pairs.reached_from(at);
        let time = match profiles[at].time() {
            Some(time) if is_of_an_entity(&time.guess.spec.column) => 0.1,
            Some(_) => 0.6,
            None => 0.0,
        };
        let first = if at == 0 { 0.1 } else { 0.0 };
        links + time + first + 0.5 * size(&profiles[at]) / most
    };
    let best = (0..profiles.len()).max_by(|a, b| score(*a).total_cmp(&score(*b)).then(b.cmp(a)));
    best.unwrap_or(0)
}

fn size(profile: &Profile) -> f64 {
    (profile.rows.unwrap_or(profile.read) as f64).ln_1p()
}

/// Whether two files are evidently streams both: rows of each come as they
/// happened, over the same time, those of one key near each other, and neither
/// time is of a thing's own life.
fn are_streams(left: &Profile, right: &Profile, pairs: &Pairs) -> bool {
    let (Some(from), Some(to)) = (left.time(), right.time()) else { return false };
    let is_stream = |time: &super::profile::Time| {
        time.disorder.is_ordered() && !is_of_an_entity(&time.guess.spec.column)
    };
    let (start, end) = from.disorder.span;
    let near = |apart: Apart| {
        let (least, most) = apart.usual;
        most.saturating_sub(least) < end.saturating_sub(start) / 4
    };
    is_stream(from)
        && is_stream(to)
        && from.disorder.common_span(&to.disorder) > 0.5
        && pairs
            .either_way(0, 1)
            .first()
            .and_then(|link| Apart::measure(left, right, link))
            .is_some_and(near)
}

fn no_key(left: &Profile, right: &Profile) -> Failure {
    let columns = |profile: &Profile| {
        let names: Vec<&str> = profile.columns.iter().map(|column| column.name.as_str()).collect();
        names.join(", ")
    };
    Failure::usage(format!(
        "no column of {} looks like a key of {}, neither by name nor by values ({} has {}; {} has {}); write the condition yourself: streamjoin run --stream {} --table {} --on \"...\"",
        left.argument,
        right.argument,
        left.name,
        columns(left),
        right.name,
        columns(right),
        shell_word(&left.argument),
        shell_word(&right.argument)
    ))
}
