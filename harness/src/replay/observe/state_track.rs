//! How much state a join of two streams holds over a pass.

use streamjoin_kernels::stream_stream::{BatchKind, BatchReport};

use crate::record::{StateBytes, StateRows};
use crate::statistics::lower_median;

/// What the state came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StateOutcome {
    /// Rows.
    pub rows: StateRows,
    /// Bytes at their peak, by use.
    pub bytes: StateBytes,
    /// Bytes for each live row at the plateau.
    pub bytes_per_live_row: Option<f64>,
}

/// Watches the state batch by batch.
#[derive(Debug, Default)]
pub(crate) struct StateTrack {
    /// Whether the sides can evict, and whether they have.
    can_evict: [bool; 2],
    has_evicted: [bool; 2],
    warm: bool,
    /// Live rows and bytes after each data batch of the plateau.
    after_warm_up: Vec<(u64, u64)>,
    outcome: StateOutcome,
}

impl StateTrack {
    pub(crate) fn new(can_evict: [bool; 2]) -> Self {
        Self { can_evict, ..Self::default() }
    }

    /// Takes up a batch; `ended`: one of the streams is at its end.
    pub(crate) fn batch(&mut self, report: &BatchReport, ended: bool) {
        if report.kind == BatchKind::End {
            // The end shows what the state was before it.
            return;
        }
        let state = report.left.state + report.right.state;
        let (rows, bytes) = (state.rows, state.bytes() as u64);
        let outcome = &mut self.outcome;
        outcome.rows.left = report.left.state.rows;
        outcome.rows.right = report.right.state.rows;
        outcome.rows.peak = outcome.rows.peak.max(rows);
        if bytes >= outcome.bytes.peak {
            outcome.bytes = StateBytes {
                payload: state.payload as u64,
                index: state.index as u64,
                bitmap: state.bitmap as u64,
                slack: (state.slack + state.pool) as u64,
                peak: bytes,
            };
        }
        if self.warm && report.kind == BatchKind::Data && !ended {
            self.after_warm_up.push((rows, bytes));
        }
        self.has_evicted[0] |= report.left.removed > 0;
        self.has_evicted[1] |= report.right.removed > 0;
        let pairs = self.can_evict.into_iter().zip(self.has_evicted);
        self.warm = pairs.into_iter().all(|(can, has)| has || !can);
    }

    pub(crate) fn finish(self) -> StateOutcome {
        let mut outcome = self.outcome;
        let mut rows: Vec<u64> = self.after_warm_up.iter().map(|(rows, _)| *rows).collect();
        outcome.rows.plateaus = plateaus(&rows);
        outcome.rows.plateau = lower_median(&mut rows);
        let live = self.after_warm_up.iter().filter(|(rows, _)| *rows > 0);
        let mut ratios: Vec<f64> = live.map(|(rows, bytes)| *bytes as f64 / *rows as f64).collect();
        ratios.sort_by(f64::total_cmp);
        outcome.bytes_per_live_row = ratios.get(ratios.len() / 2).copied();
        outcome
    }
}

/// Whether the greatest of the last half is at most a tenth above the greatest
/// of the second quarter; not known of fewer than four batches.
#[must_use]
pub fn plateaus(rows: &[u64]) -> Option<bool> {
    if rows.len() < 4 {
        return None;
    }
    let greatest = |part: &[u64]| part.iter().copied().max().unwrap_or(0);
    let (quarter, half) = (rows.len() / 4, rows.len() / 2);
    let second_quarter = greatest(&rows[quarter..half]);
    Some(u128::from(greatest(&rows[half..])) * 10 <= u128::from(second_quarter) * 11)
}

#[cfg(test)]
mod tests {
    use streamjoin_kernels::state::StateSize;
    use streamjoin_kernels::stream_stream::SideReport;

    use super::*;

    fn side(rows: u64, removed: u64) -> SideReport {
        let state = StateSize { rows, payload: rows as usize * 10, ..StateSize::default() };
        SideReport { removed, state, ..SideReport::default() }
    }

    fn batch(kind: BatchKind, left: SideReport, right: SideReport) -> BatchReport {
        BatchReport { kind, left, right, ..BatchReport::default() }
    }

    fn over(track: &mut StateTrack, rows: &[u64]) {
        for rows in rows {
            track.batch(&batch(BatchKind::Data, side(*rows, 1), side(0, 0)), false);
        }
    }

    #[test]
    fn warm_up_ends_when_each_side_that_can_has_evicted() {
        let mut track = StateTrack::new([true, true]);
        over(&mut track, &[50, 60]);
        track.batch(&batch(BatchKind::NoData, side(40, 0), side(5, 3)), false);
        assert!(track.warm && track.after_warm_up.is_empty());
        over(&mut track, &[10, 20, 30, 20]);
        track.batch(&batch(BatchKind::NoData, side(1, 1), side(0, 0)), false);
        track.batch(&batch(BatchKind::Data, side(500, 1), side(0, 0)), true);
        track.batch(&batch(BatchKind::End, side(0, 500), side(0, 0)), true);
        let outcome = track.finish();
        assert_eq!(outcome.rows.peak, 500);
        assert_eq!(outcome.rows.plateau, Some(20));
        assert_eq!((outcome.rows.left, outcome.rows.right), (500, 0), "before the end");
        assert_eq!((outcome.bytes.peak, outcome.bytes.payload), (5000, 5000));
        assert_eq!(outcome.bytes_per_live_row, Some(10.0));
        // One side alone can evict: the other one's silence does not matter.
        let mut track = StateTrack::new([true, false]);
        over(&mut track, &[1, 2, 3]);
        assert_eq!(track.finish().rows.plateau, Some(2));
        let mut track = StateTrack::new([true, true]);
        over(&mut track, &[1, 2, 3]);
        assert_eq!(track.finish().rows.plateau, None, "the right side never evicted");
    }

    #[test]
    fn growth_is_no_plateau() {
        assert_eq!(plateaus(&[1, 2, 3]), None);
        assert_eq!(plateaus(&[1, 100, 110, 90]), Some(true));
        assert_eq!(plateaus(&[1, 100, 111, 90]), Some(false));
        assert_eq!(plateaus(&[900, 100, 100, 100]), Some(true), "the start does not count");
        assert_eq!(plateaus(&(0..100).collect::<Vec<_>>()), Some(false));
        assert_eq!(plateaus(&[0; 8]), Some(true));
    }
}
