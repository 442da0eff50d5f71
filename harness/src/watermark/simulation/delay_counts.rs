//! What one setting of the delays comes to, batch by batch.

use std::time::Duration;

use streamjoin_kernels::state::StateSize;
use streamjoin_kernels::stream_stream::{BatchKind, BatchReport, SideReport};
use streamjoin_kernels::time::Watermarks;

use super::Delays;
use crate::record::{Quantiles, StateRows};
use crate::replay::{Latencies, StateTrack};

/// What a run with certain delays reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DelayOutcome {
    /// The delays.
    pub(crate) delays: Delays,
    /// The left side.
    pub(crate) left: SideRows,
    /// The right side.
    pub(crate) right: SideRows,
    /// Rows in state, of both sides together.
    pub(crate) rows: StateRows,
    /// Executed batches, without the one that a flush runs at the end.
    pub(crate) batches: u64,
    /// How long after its time an unmatched row came out, the end apart; none
    /// if none did.
    pub(crate) outer_delay: Option<Quantiles>,
}

/// One side of a [`DelayOutcome`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SideRows {
    /// Rows dropped as late.
    pub(crate) late: u64,
    /// Rows taken out of state before the end: evicted, or matched in a semi or
    /// anti join.
    pub(crate) removed: u64,
    /// Greatest number of rows in state.
    pub(crate) peak: u64,
    /// Median of the rows in state after warm-up, which ends when each side
    /// that can has evicted; none if it never did.
    pub(crate) plateau: Option<u64>,
}

/// Counts of one setting.
#[derive(Debug)]
pub(crate) struct DelayCounts {
    delays: Delays,
    pub(crate) marks: Watermarks,
    pub(crate) late: [u64; 2],
    live: [u64; 2],
    removed: [u64; 2],
    batches: u64,
    together: StateTrack,
    alone: [StateTrack; 2],
    outer_delay: Latencies,
}

impl DelayCounts {
    pub(crate) fn new(delays: Delays, marks: Watermarks, can_evict: [bool; 2]) -> Self {
        let track = || StateTrack::new(can_evict);
        Self {
            delays,
            marks,
            late: [0; 2],
            live: [0; 2],
            removed: [0; 2],
            batches: 0,
            together: track(),
            alone: [track(), track()],
            outer_delay: Latencies::default(),
        }
    }

    /// An unmatched row came out, so long after its time.
    pub(crate) fn came_out(&mut self, waited: Duration) {
        self.outer_delay.record(waited);
    }

    /// Ends an executed batch, in which so many more rows of each side were in
    /// state than before, and so many were taken out.
    pub(crate) fn end_batch(
        &mut self,
        kind: BatchKind,
        more: [i64; 2],
        removed: [i64; 2],
        ended: bool,
    ) {
        self.batches += 1;
        for side in 0..2 {
            self.live[side] = self.live[side].saturating_add_signed(more[side]);
            self.removed[side] = self.removed[side].saturating_add_signed(removed[side]);
        }
        // What a track looks at of a report.
        let report = |of: [bool; 2]| {
            let side = |side: usize| SideReport {
                removed: removed[side].unsigned_abs(),
                state: StateSize {
                    rows: if of[side] { self.live[side] } else { 0 },
                    ..StateSize::default()
                },
                ..SideReport::default()
            };
            BatchReport { kind, left: side(0), right: side(1), ..BatchReport::default() }
        };
        let (left, right) = (report([true, false]), report([false, true]));
        self.together.batch(&report([true, true]), ended);
        self.alone[0].batch(&left, ended);
        self.alone[1].batch(&right, ended);
    }

    pub(crate) fn finish(self) -> DelayOutcome {
        let [left, right] = self.alone.map(|track| track.finish().rows);
        let side = |side: usize, rows: StateRows| SideRows {
            late: self.late[side],
            removed: self.removed[side],
            peak: rows.peak,
            plateau: rows.plateau,
        };
        DelayOutcome {
            delays: self.delays,
            left: side(0, left),
            right: side(1, right),
            rows: self.together.finish().rows,
            batches: self.batches,
            outer_delay: self.outer_delay.quantiles(),
        }
    }
}
