//! Where the time of a stream stands, so that rows far ahead of it are told
//! apart: they would hold up what is ordered by time.

use crate::time::EventTimes;

/// Rows of a batch that are looked at.
const SAMPLE: usize = 64;
/// A smaller batch says nothing about itself.
const FEW: usize = 10;
/// So many more rows ahead than not are no outliers: the stream has jumped.
const JUMP: usize = 64;

/// Decides which rows are far ahead.
#[derive(Debug, Default)]
pub(super) struct Front {
    /// Rows that were far ahead, less those that were not.
    ahead: usize,
}

/// What the rows in state say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) rows: usize,
    /// Rows before it have expired, or never were.
    pub(super) from: i64,
    /// The greatest event time.
    pub(super) to: i64,
}

impl Span {
    pub(super) fn width(self) -> i64 {
        self.to.saturating_sub(self.from).max(0)
    }
}

impl Front {
    /// The last time that is not far ahead, for a batch of which `rows` have
    /// times: one span of the state beyond both its end and nine tenths of the
    /// batch.
    pub(super) fn limit(&mut self, span: Span, times: &EventTimes, rows: &[u32]) -> i64 {
        let time = |i: usize| times.get(rows[i] as usize);
        let step = rows.len().div_ceil(SAMPLE).max(1);
        let mut sample: Vec<i64> = (0..rows.len()).step_by(step).filter_map(time).collect();
        sample.sort_unstable();
        let limit = match (sample.len() >= FEW, span.rows >= JUMP) {
            (true, _) => {
                let (low, high) = (sample[sample.len() / 10], sample[sample.len() * 9 / 10]);
                let slack = span.width().max(high.saturating_sub(low).saturating_mul(4));
                high.max(if span.rows > 0 { span.to } else { high }).saturating_add(slack)
            }
            (false, true) => span.to.saturating_add(span.width().saturating_mul(8)),
            (false, false) => i64::MAX,
        };
        let ahead = |&&row: &&u32| times.get(row as usize).is_some_and(|time| time > limit);
        let ahead = rows.iter().filter(ahead).count();
        self.ahead = (self.ahead + ahead).saturating_sub(rows.len() - ahead);
        if self.ahead > JUMP {
            self.ahead = 0;
            return i64::MAX;
        }
        limit
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, TimestampMicrosecondArray};

    use super::*;

    fn limit(front: &mut Front, span: Span, times: Vec<i64>) -> i64 {
        let rows: Vec<u32> = (0..times.len() as u32).collect();
        let times = TimestampMicrosecondArray::from(times);
        front.limit(span, &EventTimes::new(&(Arc::new(times) as ArrayRef)).unwrap(), &rows)
    }

    #[test]
    fn a_poison_time_is_ahead_and_a_jump_of_the_stream_is_not() {
        let mut front = Front::default();
        let span = Span { rows: 1000, from: 0, to: 1000 };
        let mut times: Vec<i64> = (1000..1100).collect();
        times[50] = 1 << 50;
        let found = limit(&mut front, span, times);
        assert!((1100..10_000).contains(&found), "{found}");
        assert_eq!(limit(&mut front, span, vec![1001]), 9000);
        let jump: Vec<i64> = (1 << 40..(1 << 40) + 100).collect();
        assert!(limit(&mut front, span, jump) > 1 << 40);
        // Row by row too, if it goes on.
        let found: Vec<i64> =
            (0..100).map(|i| limit(&mut front, span, vec![1 << (40 + i % 2)])).collect();
        assert_eq!(found[0], 9000);
        assert!(found.contains(&i64::MAX));
        let empty = Span { rows: 0, from: i64::MAX, to: i64::MIN };
        assert_eq!(limit(&mut front, empty, vec![5]), i64::MAX);
    }
}
