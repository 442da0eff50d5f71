//! What a run with one setting of the delays does, batch by batch.

use std::time::Duration;

use streamjoin_kernels::stream_stream::{BatchKind, BatchReport, SideReport};
use streamjoin_kernels::time::Watermarks;
use streamjoin_kernels::{Side, Sides};

use super::delays::Delays;
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
    /// How long after its time an unmatched row was emitted, the end apart; none
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
    pub(crate) late: Sides<u64>,
    live: Sides<u64>,
    removed: Sides<u64>,
    batches: u64,
    together: StateTrack,
    alone: Sides<StateTrack>,
    outer_delay: Latencies,
}

impl DelayCounts {
    pub(crate) fn new(delays: Delays, marks: Watermarks, can_evict: Sides<bool>) -> Self {
        let track = || StateTrack::new(can_evict);
        Self {
            delays,
            marks,
            late: Sides::default(),
            live: Sides::default(),
            removed: Sides::default(),
            batches: 0,
            together: track(),
            alone: Sides::new(|_| track()),
            outer_delay: Latencies::default(),
        }
    }

    /// An unmatched row was emitted, this long after its time.
    pub(crate) fn came_out(&mut self, waited: Duration) {
        self.outer_delay.record(waited);
    }

    /// Ends an executed batch, in which this many more rows of each side were in
    /// state than before, and this many were removed.
    pub(crate) fn end_batch(
        &mut self,
        kind: BatchKind,
        more: Sides<i64>,
        removed: Sides<i64>,
        ended: bool,
    ) {
        self.batches += 1;
        for side in Side::BOTH {
            self.live[side] = self.live[side].saturating_add_signed(more[side]);
            self.removed[side] = self.removed[side].saturating_add_signed(removed[side]);
        }
        // What a track looks at of a report.
        let report = |of: &[Side]| {
            let side = |side: Side| {
                let mut report = SideReport::default();
                report.removed = removed[side].unsigned_abs();
                report.state.rows = if of.contains(&side) { self.live[side] } else { 0 };
                report
            };
            let mut report = BatchReport::default();
            (report.kind, report.left, report.right) = (kind, side(Side::Left), side(Side::Right));
            report
        };
        let (left, right) = (report(&[Side::Left]), report(&[Side::Right]));
        self.together.batch(&report(&Side::BOTH), ended);
        self.alone.left.batch(&left, ended);
        self.alone.right.batch(&right, ended);
    }

    pub(crate) fn finish(self) -> DelayOutcome {
        let alone = self.alone.map(|track| track.finish().rows);
        let side = |side: Side, rows: StateRows| SideRows {
            late: self.late[side],
            removed: self.removed[side],
            peak: rows.peak,
            plateau: rows.plateau,
        };
        DelayOutcome {
            delays: self.delays,
            left: side(Side::Left, alone.left),
            right: side(Side::Right, alone.right),
            rows: self.together.finish().rows,
            batches: self.batches,
            outer_delay: self.outer_delay.quantiles(),
        }
    }
}
