//! How far the event times of a recording are out of order.

/// A row without an event time.
pub(super) const NO_TIME: i64 = i64::MIN;

/// What the event times of a recording, in its order, are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Disorder {
    /// Rows with a time.
    pub(super) rows: usize,
    /// Of those, the rows behind the greatest time before them.
    pub(super) behind: usize,
    /// How far behind, at most, in microseconds.
    pub(super) most: i64,
    /// How far behind at most are all but one row in a thousand.
    pub(super) p999: i64,
    /// The least and the greatest time.
    pub(super) span: (i64, i64),
}

impl Disorder {
    /// Of times in microseconds; none without a time.
    pub(super) fn of(times: &[i64]) -> Option<Self> {
        let mut lags: Vec<i64> = Vec::new();
        let (mut rows, mut least, mut greatest) = (0, i64::MAX, i64::MIN);
        for &time in times.iter().filter(|time| **time != NO_TIME) {
            rows += 1;
            if time < greatest {
                lags.push(greatest.saturating_sub(time));
            }
            least = least.min(time);
            greatest = greatest.max(time);
        }
        if rows == 0 {
            return None;
        }
        lags.sort_unstable();
        let in_time = rows - lags.len();
        let rank = (rows * 999).div_ceil(1000);
        let p999 = rank.checked_sub(in_time + 1).map_or(0, |at| lags[at]);
        let most = lags.last().copied().unwrap_or(0);
        Some(Self { rows, behind: lags.len(), most, p999, span: (least, greatest) })
    }

    /// Whether rows come nearly as they happened, as a stream's do.
    pub(super) fn is_ordered(&self) -> bool {
        let (least, greatest) = self.span;
        let span = greatest.saturating_sub(least);
        self.rows > 1 && span > 0 && self.p999 <= span / 5
    }

    /// The share of the shorter span that both have in common.
    pub(super) fn common_span(&self, other: &Self) -> f64 {
        let from = self.span.0.max(other.span.0);
        let to = self.span.1.min(other.span.1);
        let length = |(from, to): (i64, i64)| to.saturating_sub(from) as f64;
        let shorter = length(self.span).min(length(other.span));
        if shorter <= 0.0 { 0.0 } else { length((from, to)).max(0.0) / shorter }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lag_is_behind_the_greatest_time_before() {
        let found = Disorder::of(&[10, 30, NO_TIME, 25, 40, 12, 41]).unwrap();
        assert_eq!((found.rows, found.behind, found.most), (6, 2, 28));
        assert_eq!(found.span, (10, 41));
        assert_eq!(Disorder::of(&[NO_TIME]), None);
    }

    #[test]
    fn one_row_in_a_thousand_does_not_count() {
        let mut times: Vec<i64> = (0..10_000).collect();
        times[9_000] = 0;
        let found = Disorder::of(&times).unwrap();
        assert_eq!((found.most, found.p999), (8_999, 0));
        assert!(found.is_ordered());
        times.reverse();
        assert!(!Disorder::of(&times).unwrap().is_ordered());
    }

    #[test]
    fn spans_have_something_in_common_or_not() {
        let of = |from, to| Disorder::of(&[from, to]).unwrap();
        assert_eq!(of(0, 100).common_span(&of(50, 70)), 1.0);
        assert_eq!(of(0, 100).common_span(&of(50, 150)), 0.5);
        assert_eq!(of(0, 100).common_span(&of(200, 300)), 0.0);
    }
}
