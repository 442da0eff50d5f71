//! How far apart in time the rows of two streams are that have the same key.

use ahash::AHashMap;

use super::column::{combined, has_key};
use super::disorder::NO_TIME;
use super::link::Link;
use super::profile::Profile;
use super::round_length::no_shorter;

/// Rows of a key that are compared with.
const MOST_ROWS: usize = 64;
/// Matches that are needed to say something.
const FEW: usize = 5;

/// How long after the left row its right rows happen, in microseconds; before
/// it is below 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Apart {
    /// Right rows with a left row of their key.
    pub(super) matches: usize,
    /// All but the nearest and the farthest one in two hundred lie between these.
    pub(super) usual: (i64, i64),
    /// The extremes.
    pub(super) all: (i64, i64),
}

impl Apart {
    /// Of each right row to the left row of its key that is nearest in time.
    pub(super) fn measure(left: &Profile, right: &Profile, link: &Link) -> Option<Self> {
        let (from, to) = (left.time()?, right.time()?);
        let pairs = link
            .parts
            .iter()
            .filter_map(|(l, r)| left.columns[*l].against(&right.columns[*r], link.form));
        let (mine, theirs): (Vec<&[u64]>, Vec<&[u64]>) = pairs.unzip();
        let mut times: AHashMap<u64, Vec<i64>> = AHashMap::new();
        for (key, time) in combined(&mine).into_iter().zip(&from.micros) {
            if has_key(key) && *time != NO_TIME {
                let known = times.entry(key).or_default();
                if known.len() < MOST_ROWS {
                    known.push(*time);
                }
            }
        }
        let mut apart: Vec<i64> = Vec::new();
        for (key, time) in combined(&theirs).into_iter().zip(&to.micros) {
            if *time == NO_TIME {
                continue;
            }
            let lengths = times.get(&key).into_iter().flatten().map(|at| time.saturating_sub(*at));
            apart.extend(lengths.min_by_key(|length| length.unsigned_abs()));
        }
        if apart.len() < FEW {
            return None;
        }
        apart.sort_unstable();
        let (first, last) = (apart[0], apart[apart.len() - 1]);
        let cut = apart.len() / 200;
        let usual = (apart[cut], apart[apart.len() - 1 - cut]);
        Some(Self { matches: apart.len(), usual, all: (first, last) })
    }

    /// Round lengths before and after the left row within which the right rows lie.
    pub(super) fn bounds(&self) -> (Option<String>, Option<String>) {
        // All of them, unless a few would make it much longer.
        let wide = |micros: i64| no_shorter(micros.max(1)).0;
        let pick = |all: i64, usual: i64| if wide(all) > 3 * wide(usual) { usual } else { all };
        let before = pick(self.all.0.saturating_neg(), self.usual.0.saturating_neg());
        let after = pick(self.all.1, self.usual.1);
        let length = |micros: i64| (micros > 0).then(|| no_shorter(micros).1);
        (length(before), length(after))
    }
}
