//! Rows so far ahead in event time that they make all later rows late.

use streamjoin_kernels::stream_stream::BatchReport;
use streamjoin_kernels::time::Timestamp;
use streamjoin_kernels::{Side, Sides};

use super::evidence::Ahead;
use crate::plan::StreamStreamPlan;
use crate::replay::source::{MergedBatch, RowPlace};
use crate::text::instant::iso_millis;

/// A row that far ahead of the others, and its stream's watermark delay ten
/// times over, is taken for an outlier.
const FAR: i64 = 86_400_000_000;

/// Remembers which row of each stream leapt ahead last, and warns of it once,
/// when it has made rows late.
#[derive(Debug, Default)]
pub(crate) struct Outliers {
    seen: Sides<Seen>,
    warned: bool,
}

#[derive(Debug, Default)]
struct Seen {
    max: Option<i64>,
    /// The row that leapt to the maximum; the first batch's greatest may be one.
    leap: Option<(i64, RowPlace)>,
    /// The greatest event time of the batches after it.
    after: Option<i64>,
}

impl Outliers {
    /// Looks at a batch and its report; returns a warning if one is due.
    pub(crate) fn look(
        &mut self,
        plan: &StreamStreamPlan,
        batch: &MergedBatch,
        report: &BatchReport,
    ) -> Option<String> {
        let late = report.left.late + report.right.late;
        let warning =
            if late > 0 && !self.warned { self.warning(plan, report, late) } else { None };
        self.warned |= warning.is_some();
        for side in Side::BOTH {
            let (Some(far), Some(times)) = (far(plan, side), report.side(side).event_time) else {
                continue;
            };
            let (seen, max) = (&mut self.seen[side], times.max.as_micros());
            let leaps = seen.max.is_none_or(|before| max.saturating_sub(before) > far);
            if leaps && let Some(place) = batch.side(side).place_of(plan.side(side), max) {
                seen.leap = Some((max, place));
                seen.after = None;
            } else {
                seen.after = seen.after.max(Some(max));
            }
            seen.max = seen.max.max(Some(max));
        }
        warning
    }

    /// Whether it has warned.
    pub(crate) fn warned(&self) -> bool {
        self.warned
    }

    /// A row that has stayed far ahead of all that came after it.
    pub(crate) fn ahead(&self, plan: &StreamStreamPlan, side: Side) -> Option<Ahead> {
        let seen = &self.seen[side];
        let ((time, place), others) = seen.leap.zip(seen.after)?;
        let is_ahead = time.saturating_sub(others) > far(plan, side)?;
        is_ahead.then_some(Ahead { time, others, file: place.file, row: place.row })
    }

    fn warning(&self, plan: &StreamStreamPlan, report: &BatchReport, late: u64) -> Option<String> {
        // The row that the late watermark stems from, if all rows here are far behind it.
        let found = self.seen.iter().find_map(|(side, seen)| {
            let (time, place) = seen.leap?;
            let delay = plan.side(side).stream.watermark?.0 / 1000;
            let mark = time.div_euclid(1000).saturating_sub(delay);
            let now = [report.left.event_time, report.right.event_time];
            let now = now.iter().flatten().map(|times| times.max).max()?.as_micros();
            let outlier = Some(mark) == report.late_watermark.map(Timestamp::as_millis)
                && time.saturating_sub(now) > far(plan, side)?;
            outlier.then_some((side, time, place))
        });
        let (side, time, place) = found?;
        Some(format!(
            "{late} rows are late, and more may be: row {} of {} has the event time {}, far ahead of the others, and moved the watermark; correct the row, or leave it out with `where`",
            place.row,
            plan.side(side).stream.feed.file_name(place.file),
            iso_millis(time)
        ))
    }
}

/// How far is far; none of a stream without a watermark.
fn far(plan: &StreamStreamPlan, side: Side) -> Option<i64> {
    let delay = plan.side(side).stream.watermark?;
    Some(FAR.max(delay.0.saturating_mul(10)))
}
