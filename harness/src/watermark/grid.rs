//! Which delays to look at when none are given.

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

/// At most this many round lengths.
const MOST: usize = 20;

/// Delays in milliseconds, ascending: none, the scenario's own, `greatest` (with
/// which nothing more is late), and round lengths from `least`, if given, up to
/// the greatest of these; from a sixteenth of it at most.
pub fn grid(least: Option<i64>, greatest: i64, own: &[i64]) -> Vec<i64> {
    let most = own.iter().copied().fold(greatest, i64::max);
    let least = least.map_or(most / 16, |least| least.min(most / 16)).max(1);
    let round: Vec<i64> =
        ROUND.into_iter().filter(|delay| (least..=most).contains(delay)).collect();
    let step = round.len().div_ceil(MOST).max(1);
    let mut delays = vec![0, greatest];
    delays.extend(own);
    delays.extend(round.iter().rev().step_by(step));
    delays.sort_unstable();
    delays.dedup();
    delays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_lengths_between_the_least_and_the_greatest() {
        let delays = grid(Some(2 * MIN), 80 * MIN + 1, &[7 * MIN]);
        let minutes = [2, 5, 7, 10, 15, 20, 30, 45, 60].map(|minutes| minutes * MIN);
        assert_eq!(delays, [&[0], &minutes[..], &[80 * MIN + 1]].concat());
    }

    #[test]
    fn what_is_asked_for_is_there_whatever_the_span() {
        assert_eq!(grid(None, 0, &[0]), [0]);
        assert_eq!(grid(None, 0, &[]), [0]);
        let ordered = grid(None, 0, &[2 * H]);
        assert_eq!((ordered[0], ordered[1], ordered.last()), (0, 10 * MIN, Some(&(2 * H))));
        for greatest in [1, 59_999, 400 * D, i64::MAX] {
            let delays = grid(Some(1), greatest, &[90 * S]);
            assert!(delays.is_sorted() && delays.len() <= MOST + 3, "{delays:?}");
            assert!([0, greatest, 90 * S].iter().all(|delay| delays.contains(delay)));
        }
    }
}
