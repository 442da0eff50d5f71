//! Which delays to look at when none are given.

use crate::replay::Lateness;

/// Round lengths of time, in milliseconds, each about twice the one before.
const ROUND: [i64; 43] = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500, // ms
    S,
    2 * S,
    5 * S,
    10 * S,
    20 * S,
    30 * S,
    MIN,
    2 * MIN,
    5 * MIN,
    10 * MIN,
    15 * MIN,
    20 * MIN,
    30 * MIN,
    45 * MIN,
    H,
    90 * MIN,
    2 * H,
    3 * H,
    4 * H,
    6 * H,
    8 * H,
    12 * H,
    18 * H,
    D,
    2 * D,
    3 * D,
    5 * D,
    7 * D,
    14 * D,
    30 * D,
    60 * D,
    90 * D,
    180 * D,
    365 * D,
];
const S: i64 = 1_000;
const MIN: i64 = 60 * S;
const H: i64 = 60 * MIN;
const D: i64 = 24 * H;

/// So many round lengths at most.
const MOST: usize = 20;

/// The share of the late rows below whose lateness a delay is not worth a line.
const LEAST_SHARE: f64 = 0.1;

/// Delays in milliseconds, ascending: none, the scenario's own, the least one
/// with which nothing more is late, and round lengths from the one that saves
/// the first tenth of the late rows up to the greatest of these.
#[must_use]
pub fn grid(lateness: &Lateness, own: &[i64]) -> Vec<i64> {
    let greatest = own.iter().copied().fold(lateness.greatest, i64::max);
    let least = lateness.delay_for(LEAST_SHARE).unwrap_or(i64::MAX).min(greatest / 16);
    let round: Vec<i64> =
        ROUND.into_iter().filter(|delay| (least..=greatest).contains(delay)).collect();
    let step = round.len().div_ceil(MOST).max(1);
    let mut delays = vec![0, lateness.greatest];
    delays.extend(own);
    // The greatest ones stand closest to where the curve bends last.
    delays.extend(round.iter().rev().step_by(step));
    delays.sort_unstable();
    delays.dedup();
    delays
}
