//! Where the time of a stream stands, and so which rows are far ahead of it: they
//! would hold up what is ordered by time.

#[cfg(test)]
mod tests;

use crate::time::EventTimes;

/// Rows of a batch that are sampled. Not measured.
const SAMPLE: usize = 64;
/// A batch with fewer times in its sample says nothing about where its bulk lies.
/// Not measured.
const FEW: usize = 10;
/// With this many more rows ahead than not, they are not outliers: the stream has
/// jumped. From this many rows on the state says where the stream stands. Not
/// measured.
const JUMP: usize = 64;

/// Decides which rows are far ahead.
#[derive(Debug, Default)]
pub(super) struct Front {
    /// Rows that were far ahead, less those that were not.
    ahead: usize,
    /// Whether rows were let in while nothing showed what is far.
    pub(super) unsettled: bool,
}

/// The event times of the rows in state.
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
        let time = |i: usize| times.micros_at(rows[i] as usize);
        let step = rows.len().div_ceil(SAMPLE).max(1);
        let mut sample: Vec<i64> = (0..rows.len()).step_by(step).filter_map(time).collect();
        sample.sort_unstable();
        let limit = match (sample.len() >= FEW, span.rows >= JUMP) {
            (true, _) => {
                let (high, slack) = bulk(&sample);
                let slack = slack.max(span.width());
                high.max(if span.rows > 0 { span.to } else { high }).saturating_add(slack)
            }
            (false, true) => span.to.saturating_add(span.width().saturating_mul(8)),
            (false, false) => {
                self.unsettled = true;
                i64::MAX
            }
        };
        let ahead = |&&row: &&u32| times.micros_at(row as usize).is_some_and(|time| time > limit);
        let ahead = rows.iter().filter(ahead).count();
        self.ahead = (self.ahead + ahead).saturating_sub(rows.len() - ahead);
        if self.ahead > JUMP {
            self.ahead = 0;
            // As far again, for the others of the batch.
            let middle = sample.get(sample.len() / 2).copied().unwrap_or(limit);
            return limit.max(middle.saturating_add(middle.saturating_sub(span.to).max(0)));
        }
        limit
    }

    /// The last time that is not far, for rows that were let in while nothing
    /// showed what is far, once something does. `times` returns the time of one in
    /// this many rows.
    pub(super) fn settle(
        &mut self,
        span: Span,
        times: impl FnOnce(usize) -> Vec<i64>,
    ) -> Option<i64> {
        if !self.unsettled || span.rows < JUMP {
            return None;
        }
        self.unsettled = false;
        let mut sample = times(span.rows.div_ceil(8 * SAMPLE));
        sample.sort_unstable();
        let (high, slack) = bulk(&sample);
        Some(high.saturating_add(slack)).filter(|&limit| limit < span.to)
    }
}

/// The end of nine tenths of some ordered times, and how far beyond it is near.
fn bulk(sample: &[i64]) -> (i64, i64) {
    let at = |tenths: usize| sample.get(sample.len() * tenths / 10).copied().unwrap_or(i64::MAX);
    (at(9), at(9).saturating_sub(at(1)).saturating_mul(4))
}
