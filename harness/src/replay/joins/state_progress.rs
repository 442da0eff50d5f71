//! What a batch did, as progress records have it.

use streamjoin_kernels::stream_stream::{BatchReport, SideReport};
use streamjoin_kernels::time::Timestamp;

use crate::record::{EventTime, StateCustomMetrics, StateOperator};
use crate::text::instant::iso_millis;

/// Watermarks and event times; none where no stream declares a watermark.
pub(crate) fn event_time(report: &BatchReport) -> Option<EventTime> {
    let (watermark, late) = report.watermark.zip(report.late_watermark)?;
    let sides = [report.left.event_time, report.right.event_time];
    let seen = || sides.iter().flatten();
    let rows: u64 = seen().map(|times| times.rows).sum();
    let sum: i128 = seen().map(|times| times.sum_micros).sum();
    // Between two 64-bit values, so it is one.
    let mean = (rows > 0).then(|| sum.div_euclid(i128::from(rows)) as i64);
    let text = |time: Timestamp| iso_millis(time.as_micros());
    Some(EventTime {
        watermark: Some(text(watermark)),
        late_watermark: Some(text(late)),
        min: seen().map(|times| times.min).min().map(text),
        max: seen().map(|times| times.max).max().map(text),
        avg: mean.map(iso_millis),
    })
}

/// The state after the batch.
pub(crate) fn state(report: &BatchReport) -> StateOperator {
    let (left, right) = (&report.left, &report.right);
    let state = left.state + right.state;
    StateOperator {
        num_rows_total: state.rows,
        num_rows_updated: left.added + right.added,
        num_rows_removed: left.removed + right.removed,
        num_rows_dropped_by_watermark: left.late + right.late,
        memory_used_bytes: state.bytes() as u64,
        custom_metrics: StateCustomMetrics {
            rows_left: left.state.rows,
            rows_right: right.state.rows,
            payload_bytes: state.payload as u64,
            index_bytes: state.index as u64,
            bitmap_bytes: state.bitmap as u64,
            slack_bytes: (state.slack + state.pool) as u64,
            blocks_visited: blocks_visited(left) + blocks_visited(right),
            rows_walked: left.rows_walked + right.rows_walked,
            evict_ns: u64::try_from(report.times.evict.as_nanos()).unwrap_or(u64::MAX),
        },
    }
}

/// In a store without blocks each row is one.
fn blocks_visited(side: &SideReport) -> u64 {
    match side.blocks_visited {
        0 => side.rows_visited,
        blocks => blocks,
    }
}
