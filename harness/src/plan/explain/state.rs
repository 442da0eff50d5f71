//! When rows leave the state of a join of two streams, and how many it will hold.

use streamjoin_kernels::Side;
use streamjoin_kernels::time::{DeclaredWatermarks, Expiry, TimeKey, WatermarkPolicy};

use crate::plan::bind::{BoundStream, BoundStreams};
use crate::plan::physical::{SidePlan, StreamStreamPlan, row_bytes};
use crate::text::duration::exact;
use crate::text::number::grouped;

/// When a side's rows leave its state, as a formula, or why they never do.
pub(super) fn expiry(streams: &BoundStreams, side: Side) -> String {
    let join = &streams.join;
    let column = time_name(&streams.sides[side]);
    match join.time.expiry(side, streams.declared()) {
        Expiry::AtWatermark => match join.time.key {
            Some(TimeKey::Window { .. }) => {
                "a row leaves when the end of its window <= W".to_owned()
            }
            _ => format!("a row leaves when {column} <= W"),
        },
        Expiry::After { delay, inclusive } => {
            let delay = delay.as_micros();
            let sign = if delay < 0 { '+' } else { '-' };
            let distance = match delay {
                0 => String::new(),
                delay => format!(" {sign} {}", exact(i128::from(delay).abs())),
            };
            // Lines are whole milliseconds, an inclusive bound's one below.
            let exact = if inclusive { " - 1 ms" } else { "" };
            format!("a row leaves when {column} <= W{distance}{exact}")
        }
        Expiry::Never(why) => format!("unbounded, rows never leave: {}", streams.reason(why)),
        other => format!("a row leaves when {column} is {other}"),
    }
}

fn time_name(stream: &BoundStream) -> String {
    let column = stream.time_column.map(|at| stream.relation.scope.columns[at].qualified_name());
    column.unwrap_or_else(|| format!("event time of {}", stream.relation.name))
}

/// Rows that a side's state is expected to hold: its rate times how long a row
/// stays.
pub(super) fn expected(plan: &StreamStreamPlan, side: Side) -> String {
    let stream = plan.side(side);
    let declared = DeclaredWatermarks {
        left: plan.left.stream.watermark.is_some(),
        right: plan.right.stream.watermark.is_some(),
    };
    let row = row_bytes(stream.input.schema());
    let rows = stream.stream.feed.rows();
    let retention = match plan.spec.time.expiry(side, declared) {
        Expiry::Never(_) => {
            return match rows {
                Some(rows) => format!("expected state: all rows, {} at the end", grouped(rows)),
                None => "expected state: all rows".to_owned(),
            };
        }
        // Until the watermark has passed the window's end: half a window on average.
        Expiry::AtWatermark => match plan.spec.time.key {
            Some(TimeKey::Window { width }) => i128::from(width.as_micros()) / 2,
            _ => 0,
        },
        Expiry::After { delay, .. } => i128::from(delay.as_micros()).max(0),
        _ => 0,
    };
    // The watermark stays behind by the delay of the side that decides it.
    let delays = [&plan.left, &plan.right].map(|side: &SidePlan| side.stream.watermark);
    let behind = delays.into_iter().flatten().map(|delay| i128::from(delay.0));
    let behind = match plan.spec.policy {
        WatermarkPolicy::Min => behind.max(),
        WatermarkPolicy::Max => behind.min(),
    };
    let retention = retention + behind.unwrap_or(0);
    let stays = exact(retention);
    match rate(stream) {
        Some(rate) => {
            let rows = rate * retention as f64 / 1e6;
            format!(
                "expected state: about {} rows of about {row} bytes = {rate:.3} rows/s x {stays} (upper bound + delay), and one batch",
                grouped(rows.round() as u64)
            )
        }
        None => format!(
            "expected state: the rows of {stays} (upper bound + delay), and one batch; the rate is not known before the stream is read"
        ),
    }
}

/// Rows in a second of event time, where the recording tells without being
/// read whole: from its first batch.
fn rate(side: &SidePlan) -> Option<f64> {
    let stream = &side.stream;
    let time = stream.event_time.as_ref()?;
    let first = stream
        .feed
        .read_parts(stream.prepare.read.as_slice(), &stream.prepare.parts)
        .ok()?
        .next()?
        .ok()?;
    let times = time.micros(&first.batch).ok()?;
    let (min, max) = (arrow::compute::min(&times)?, arrow::compute::max(&times)?);
    let seconds = (i128::from(max) - i128::from(min)) as f64 / 1e6;
    let kept = stream.prepare.apply(first.batch).ok()?;
    (seconds > 0.0).then(|| kept.num_rows() as f64 / seconds)
}
