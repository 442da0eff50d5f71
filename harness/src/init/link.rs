//! Which columns of one file are the key of another: by name, by type, and by
//! how many values are found there.

use ahash::AHashSet;

use super::column::{Column, Form, Kind, combined, has_key, keys};
use super::names::similarity;
use super::profile::Profile;

/// Rows whose keys are looked for, spread over those that were read.
const LOOKED_FOR: usize = 50_000;
/// Columns of equal name that are tried together.
const MOST_PARTS: usize = 8;
/// Rows on which a key of several columns is tried first.
const TRIED: usize = 50_000;
/// Different values that a column needs to be a key by its values alone.
const TELLING: usize = 20;

/// A key: columns of the left that are compared with columns of the right.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// Positions of the columns, left and right.
    pub(super) parts: Vec<(usize, usize)>,
    pub(super) form: Form,
    /// Rows of the left with a key that were looked for.
    pub(super) looked: usize,
    /// Of those, the share that is found on the right.
    pub(super) found: f64,
    /// Rows of the right for each of its keys.
    pub(super) rows_a_key: f64,
    /// Whether only numbers that lie close together speak for it.
    pub(super) by_accident: bool,
    /// Whether it was looked for from right to left.
    pub(super) flipped: bool,
    /// In no unit; better is greater.
    pub(super) score: f64,
}

impl Link {
    /// Whether the right has one row per key.
    pub(super) fn is_unique(&self) -> bool {
        self.rows_a_key <= 1.0
    }

    /// The same key with its sides exchanged.
    pub(super) fn flip(&self) -> Self {
        let parts = self.parts.iter().map(|(left, right)| (*right, *left)).collect();
        Self { parts, flipped: !self.flipped, ..self.clone() }
    }
}

/// The keys that `left` and `right` may be joined by, the likeliest first.
pub(super) fn links(left: &Profile, right: &Profile) -> Vec<Link> {
    let mut found: Vec<Link> = Vec::new();
    for (l, from) in left.columns.iter().enumerate() {
        for (r, to) in right.columns.iter().enumerate() {
            let name = similarity(&from.name, &left.name, &to.name, &right.name);
            let telling = name >= 0.5 || tells_by_values(from, to);
            let generic = name > 0.0 && name < 0.5;
            if from.is_time || to.is_time || !(telling || generic) {
                continue;
            }
            let plain = single(from, to, (l, r), name, Form::Plain);
            let folded = match &plain {
                Some(plain) if name >= 0.5 && plain.found < 0.5 => {
                    single(from, to, (l, r), name, Form::Folded)
                }
                _ => None,
            };
            let better = |link: &Link| plain.as_ref().is_none_or(|p| link.found > p.found + 0.2);
            found.extend(folded.filter(better).or(plain));
        }
    }
    found.retain(|link| link.score > 0.0);
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    if found.first().is_none_or(|best| !best.is_unique()) {
        found.extend(composite(left, right));
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    found
}

/// Whether equal values say something where names do not.
fn tells_by_values(from: &Column, to: &Column) -> bool {
    let sparse = |column: &Column| column.kind != Some(Kind::Number) || !column.is_dense();
    to.is_unique()
        && to.distinct() >= TELLING
        && from.distinct() > 1
        && sparse(from)
        && sparse(to)
        && (from.kind == to.kind)
}

fn single(from: &Column, to: &Column, part: (usize, usize), name: f64, form: Form) -> Option<Link> {
    let (left, right) = from.against(to, form)?;
    let there: AHashSet<u64> = keys(right).collect();
    let (looked, found, hit) = look_for(left, &there);
    if looked == 0 || there.is_empty() {
        return None;
    }
    let rows_a_key = keys(right).count() as f64 / there.len() as f64;
    let by_accident = name < 0.5 && from.is_dense() && to.is_dense();
    let covered = hit as f64 / there.len() as f64;
    let mut score = 2.0 * name + found + 0.3 * covered.min(1.0).sqrt();
    score += if rows_a_key <= 1.0 { 0.7 } else { -1.2 };
    if from.is_key_like() || to.is_key_like() {
        score += 0.2;
    }
    if form == Form::Folded {
        score -= 0.1;
    }
    if by_accident {
        score -= 2.0;
    }
    if found < 0.01 {
        score -= 1.6;
    } else if name < 0.5 && found < 0.5 {
        return None;
    }
    let parts = vec![part];
    Some(Link { parts, form, looked, found, rows_a_key, by_accident, flipped: false, score })
}

/// Rows with a key that were looked for, the share that was found, and how many
/// different keys that were.
fn look_for(left: &[u64], there: &AHashSet<u64>) -> (usize, f64, usize) {
    let step = left.len().div_ceil(LOOKED_FOR).max(1);
    let (mut looked, mut found) = (0, 0);
    let mut hit = AHashSet::new();
    for digest in left.iter().step_by(step).copied().filter(|digest| has_key(*digest)) {
        looked += 1;
        if there.contains(&digest) {
            found += 1;
            hit.insert(digest);
        }
    }
    let share = if looked == 0 { 0.0 } else { f64::from(found) / looked as f64 };
    (looked, share, hit.len())
}

/// The fewest columns of equal name that together are unique on the right.
fn composite(left: &Profile, right: &Profile) -> Option<Link> {
    let mut parts: Vec<(usize, usize, f64)> = Vec::new();
    for (l, from) in left.columns.iter().enumerate() {
        for (r, to) in right.columns.iter().enumerate() {
            let name = similarity(&from.name, &left.name, &to.name, &right.name);
            let free = parts.iter().all(|(_, taken, _)| *taken != r);
            if name >= 0.9 && free && parts.len() < MOST_PARTS {
                let Some((mine, theirs)) = from.against(to, Form::Plain) else { continue };
                let there: AHashSet<u64> = keys(theirs).collect();
                if look_for(mine, &there).1 >= 0.2 {
                    parts.push((l, r, name));
                }
            }
        }
    }
    let sizes = 2..=parts.len().min(4);
    let mut best: Option<Link> = None;
    for size in sizes {
        for chosen in subsets(parts.len(), size) {
            let chosen: Vec<(usize, usize, f64)> = chosen.iter().map(|at| parts[*at]).collect();
            let link = several(left, right, &chosen);
            best = match (best, link) {
                (Some(best), Some(link)) if best.score >= link.score => Some(best),
                (best, link) => link.or(best),
            };
        }
        if best.is_some() {
            break;
        }
    }
    best
}

/// The key over several columns, if it is unique on the right.
fn several(left: &Profile, right: &Profile, parts: &[(usize, usize, f64)]) -> Option<Link> {
    let pair =
        |(l, r, _): &(usize, usize, f64)| left.columns[*l].against(&right.columns[*r], Form::Plain);
    let (mine, theirs): (Vec<&[u64]>, Vec<&[u64]>) = parts.iter().filter_map(pair).unzip();
    let first: Vec<&[u64]> =
        theirs.iter().map(|column| &column[..column.len().min(TRIED)]).collect();
    for columns in [&first, &theirs] {
        let all = combined(columns);
        let different: AHashSet<u64> = keys(&all).collect();
        if different.is_empty() || different.len() < keys(&all).count() {
            return None;
        }
    }
    let there: AHashSet<u64> = keys(&combined(&theirs)).collect();
    let (looked, found, hit) = look_for(&combined(&mine), &there);
    if looked == 0 || found < 0.01 {
        return None;
    }
    let name = parts.iter().map(|(_, _, name)| name).sum::<f64>() / parts.len() as f64;
    let covered = hit as f64 / there.len() as f64;
    let score = 2.0 * name + found + 0.3 * covered.sqrt() + 0.7 - 0.05 * parts.len() as f64;
    Some(Link {
        parts: parts.iter().map(|(l, r, _)| (*l, *r)).collect(),
        form: Form::Plain,
        looked,
        found,
        rows_a_key: 1.0,
        by_accident: false,
        flipped: false,
        score,
    })
}

/// All choices of `size` numbers below `of`, ascending.
fn subsets(of: usize, size: usize) -> Vec<Vec<usize>> {
    (0_u32..1 << of)
        .filter(|bits| bits.count_ones() as usize == size)
        .map(|bits| (0..of).filter(|at| bits & (1 << at) != 0).collect())
        .collect()
}
