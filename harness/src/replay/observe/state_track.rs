//! How much state a join of two streams holds over a pass.

use streamjoin_kernels::Sides;
use streamjoin_kernels::stream_stream::{BatchKind, BatchReport};

use crate::record::{StateBytes, StateRows};
use crate::statistics::lower_median;

/// How large the state was.
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
    can_evict: Sides<bool>,
    has_evicted: Sides<bool>,
    warm: bool,
    /// Live rows and bytes after each data batch of the plateau.
    after_warm_up: Vec<(u64, u64)>,
    outcome: StateOutcome,
}

impl StateTrack {
    pub(crate) fn new(can_evict: Sides<bool>) -> Self {
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
        self.has_evicted.left |= report.left.removed > 0;
        self.has_evicted.right |= report.right.removed > 0;
        let mut sides = self.can_evict.zip(self.has_evicted).into_iter();
        self.warm = sides.all(|(_, (can, has))| has || !can);
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
#[path = "state_track_tests.rs"]
mod tests;
