//! The few times that lie far from all others: a clock that was set wrong, a
//! number of another unit. They say nothing of how a recording is ordered.

use super::disorder::NO_TIME;

const DAY: i64 = 86_400_000_000;

/// Rows far ahead of all others, or far behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outliers {
    pub(super) rows: usize,
    /// The first of them, from 0.
    pub(super) first: usize,
    /// Its time, in microseconds since 1970.
    pub(super) micros: i64,
    /// That of them which is nearest to the others.
    pub(super) nearest: i64,
}

/// Rows that may be out of all others' range: one in a thousand, and one of a
/// hundred or more.
pub(super) fn few(rows: usize) -> usize {
    if rows < 100 { 0 } else { (rows / 1000).max(1) }
}

/// Takes the times that are far behind all others, and far ahead, out of `times`.
pub(super) fn take_outliers(times: &mut [i64]) -> (Option<Outliers>, Option<Outliers>) {
    let mut sorted: Vec<i64> = times.iter().copied().filter(|time| *time != NO_TIME).collect();
    sorted.sort_unstable();
    let (rows, few) = (sorted.len(), few(sorted.len()));
    if few == 0 {
        return (None, None);
    }
    let far = |gap: i64, span: i64| gap > DAY && gap / 2 > span;
    let between = |a: usize, b: usize| sorted[b].saturating_sub(sorted[a]);
    let (low, high) = (few, rows - 1 - few);
    let behind = (1..=few).rev().find(|k| far(between(k - 1, *k), between(*k, high)));
    let ahead =
        (1..=few).rev().find(|k| far(between(rows - 1 - k, rows - k), between(low, rows - 1 - k)));
    let behind = behind.map(|k| sorted[k - 1]);
    let ahead = ahead.map(|k| sorted[rows - k]);
    (
        behind.and_then(|most| take(times, most, |time| time <= most)),
        ahead.and_then(|least| take(times, least, |time| time >= least)),
    )
}

fn take(times: &mut [i64], nearest: i64, is_out: impl Fn(i64) -> bool) -> Option<Outliers> {
    let mut found: Option<Outliers> = None;
    for (row, time) in times.iter_mut().enumerate() {
        if *time != NO_TIME && is_out(*time) {
            let first = Outliers { rows: 0, first: row, micros: *time, nearest };
            found.get_or_insert(first).rows += 1;
            *time = NO_TIME;
        }
    }
    found
}

#[cfg(test)]
#[path = "outlier_tests.rs"]
mod tests;
