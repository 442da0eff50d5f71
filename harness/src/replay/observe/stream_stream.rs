//! Looks at a join of two streams while the first pass runs: watermarks, state,
//! and what holds them.

use streamjoin_kernels::Side;
use streamjoin_kernels::stream_stream::{self, BatchKind, BatchReport};
use streamjoin_kernels::time::Timestamp;

use super::evidence::{Held, StatePoint, StreamStreamEvidence, TimesSeen};
use super::outlier::Outliers;
use crate::plan::StreamStreamPlan;
use crate::replay::source::MergedBatch;

/// More points of the state are thinned out.
const POINTS: usize = 1024;

const SIDES: [Side; 2] = [Side::Left, Side::Right];

/// What the first pass notices of two streams.
#[derive(Debug)]
pub(crate) struct StreamStreamObserver {
    evidence: StreamStreamEvidence,
    /// One in this many batches is a point.
    every: u64,
    has_evicted: [bool; 2],
    can_evict: [bool; 2],
    batches: u64,
    /// Data batches until the first stream ended.
    while_both: u64,
    watermark: Option<Timestamp>,
    moved_in: u64,
    time_grew_in: [u64; 2],
    /// Which side's rows wait for the other, and the time up to which they would
    /// have left if the other had not held the watermark.
    waits: Option<Waits>,
}

#[derive(Clone, Copy, Debug)]
struct Waits {
    by: Side,
    line: Timestamp,
}

impl StreamStreamObserver {
    pub(crate) fn new(join: &stream_stream::Join) -> Self {
        let mut evidence = StreamStreamEvidence::default();
        for (side, found) in SIDES.into_iter().zip(&mut evidence.sides) {
            found.never_leaves = !join.expiry(side).is_bounded();
        }
        Self {
            evidence,
            every: 1,
            has_evicted: [false; 2],
            can_evict: SIDES.map(|side| join.expiry(side).is_bounded()),
            batches: 0,
            while_both: 0,
            watermark: None,
            moved_in: 0,
            time_grew_in: [0; 2],
            waits: None,
        }
    }

    /// What `where` left out of a batch.
    pub(crate) fn read(&mut self, batch: &MergedBatch, left_out: [u64; 2]) {
        for (at, side) in SIDES.into_iter().enumerate() {
            self.evidence.sides[at].rows += batch.side(side).rows();
            self.evidence.sides[at].left_out += left_out[at];
        }
    }

    /// An executed batch; `outer_times` are those of stored rows that were emitted
    /// unmatched.
    pub(crate) fn executed(&mut self, report: &BatchReport, outer_times: &[Timestamp]) {
        self.evidence.joined += report.rows_out;
        self.evidence.unmatched += report.rows_unmatched;
        for (at, side) in SIDES.into_iter().enumerate() {
            let of = report.side(side);
            let found = &mut self.evidence.sides[at];
            found.came += of.rows_in;
            found.late += of.late;
            found.null_key += of.null_key;
            found.filtered += of.filtered;
            found.null_time += of.null_time;
            if of.late > 0
                && let (Some(times), Some(line)) = (of.event_time, report.late_watermark)
            {
                // A row is late at the line itself.
                let behind =
                    line.as_millis().saturating_sub(times.min.as_millis()).saturating_add(1);
                found.lateness_ms = found.lateness_ms.max(Some(behind));
            }
            self.has_evicted[at] |= of.removed > 0;
        }
        if report.kind == BatchKind::End
            && let Some(waits) = self.waits
        {
            let held = outer_times.iter().copied().filter(|time| *time <= waits.line);
            if let Some(since) = held.clone().min() {
                let (rows, since) = (held.count() as u64, since.as_micros());
                self.evidence.held = Some(Held { by: waits.by, rows, since });
            }
        }
    }

    /// A data batch, after it has run.
    pub(crate) fn data_batch(&mut self, batch: &MergedBatch, report: &BatchReport, ended: bool) {
        for (at, side) in SIDES.into_iter().enumerate() {
            let found = &mut self.evidence.sides[at];
            found.ended = batch.side(side).ended && batch.side(side).rows() == 0;
            let Some(times) = report.side(side).event_time else { continue };
            let (min, max) = (times.min.as_micros(), times.max.as_micros());
            let seen = TimesSeen { min, max, rows: times.rows };
            if found.times.is_none_or(|before| max > before.max) {
                self.time_grew_in[at] = self.batches;
            }
            found.times = Some(found.times.map_or(seen, |before| before.and(seen)));
        }
        if !ended {
            self.point(report);
            self.while_both += 1;
        }
        self.batches += 1;
    }

    /// The watermarks after a data batch and what it made run.
    pub(crate) fn watermarks(&mut self, join: &stream_stream::Join) {
        let watermarks = join.watermarks();
        if watermarks.global() > self.watermark {
            self.watermark = watermarks.global();
            self.moved_in = self.batches.saturating_sub(1);
        }
        for (at, side) in SIDES.into_iter().enumerate() {
            self.evidence.sides[at].watermark = watermarks.side(side).map(Timestamp::as_millis);
        }
    }

    /// The streams are at their end: what would have left by now, had the
    /// slower one not held it?
    pub(crate) fn before_end(&mut self, join: &stream_stream::Join, plan: &StreamStreamPlan) {
        let marks = SIDES.map(|side| join.watermarks().side(side));
        let (Some(global), [Some(left), Some(right)]) = (join.watermarks().global(), marks) else {
            return;
        };
        let (by, other) = if left < right { (Side::Left, right) } else { (Side::Right, left) };
        if global >= other {
            return;
        }
        let preserved = |side: Side| {
            let join_type = plan.spec.join_type;
            // Rows of a side are emitted unmatched where the other may be missing.
            join_type.extends_with_nulls(side.opposite())
                || join_type == streamjoin_kernels::JoinType::LeftAnti && side == Side::Left
        };
        let lines = SIDES.into_iter().filter(|side| preserved(*side));
        let lines = lines.filter_map(|side| join.expiry(side).line(other));
        // Of two preserved sides the lesser line holds for both.
        self.waits = lines.min().map(|line| Waits { by, line });
    }

    fn point(&mut self, report: &BatchReport) {
        let evidence = &mut self.evidence;
        if !self.while_both.is_multiple_of(self.every) {
            return;
        }
        if evidence.state.len() == POINTS {
            self.every *= 2;
            let every = self.every;
            evidence.state.retain(|point| point.batch.is_multiple_of(every));
            if !self.while_both.is_multiple_of(every) {
                return;
            }
        }
        let time = evidence.sides.iter().filter_map(|side| side.times).map(|times| times.max).max();
        let state = report.left.state + report.right.state;
        let pairs = self.can_evict.into_iter().zip(self.has_evicted);
        evidence.state.push(StatePoint {
            batch: self.while_both,
            time,
            rows: [report.left.state.rows, report.right.state.rows],
            bytes: state.bytes() as u64,
            warm: pairs.into_iter().all(|(can, has)| has || !can),
        });
    }

    pub(crate) fn finish(
        self,
        plan: &StreamStreamPlan,
        outliers: &Outliers,
    ) -> StreamStreamEvidence {
        let mut evidence = self.evidence;
        let last = self.batches.saturating_sub(1);
        evidence.batches = self.batches;
        evidence.watermark = self.watermark.map(Timestamp::as_millis);
        evidence.batches_since_move = last - self.moved_in.min(last);
        evidence.warned_of_outlier = outliers.warned();
        for (at, side) in SIDES.into_iter().enumerate() {
            evidence.sides[at].batches_since_time = last - self.time_grew_in[at].min(last);
            evidence.sides[at].ahead = outliers.ahead(plan, side);
        }
        evidence
    }
}
