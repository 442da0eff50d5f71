//! Rows so far ahead in event time that they make all later rows late.

use streamjoin_kernels::{BatchReport, Side};

use super::chunk::RowPlace;
use super::merge::MergedBatch;
use crate::plan::StreamStreamPlan;
use crate::record::iso_millis;

/// A row that far ahead of all before it, and of its stream's watermark delay
/// ten times over, is taken for an outlier.
const FAR: i64 = 86_400_000_000;

/// Remembers the outlier that moved each stream's watermark last, and tells
/// about it once, when it has made rows late.
#[derive(Debug, Default)]
pub(super) struct Outliers {
    left: Seen,
    right: Seen,
    told: bool,
}

#[derive(Debug, Default)]
struct Seen {
    max: Option<i64>,
    outlier: Option<(i64, RowPlace)>,
}

impl Outliers {
    /// Looks at a batch and what became of it; answers what there is to tell.
    pub(super) fn look(
        &mut self,
        plan: &StreamStreamPlan,
        batch: &MergedBatch,
        report: &BatchReport,
    ) -> Option<String> {
        let late = report.left.late + report.right.late;
        let warning = if late > 0 && !self.told { self.warning(plan, report, late) } else { None };
        self.told |= warning.is_some();
        for side in [Side::Left, Side::Right] {
            let Some(delay) = plan.side(side).stream.watermark else { continue };
            let Some(times) = report.side(side).event_time else { continue };
            let seen = match side {
                Side::Left => &mut self.left,
                Side::Right => &mut self.right,
            };
            let far = FAR.max(delay.0.saturating_mul(10));
            // The first rows have nothing to be ahead of but each other.
            let before = seen.max.unwrap_or(times.min);
            if times.max.saturating_sub(before) > far
                && let Some(place) = batch.side(side).place_of(plan.side(side), times.max)
            {
                seen.outlier = Some((times.max, place));
            }
            seen.max = seen.max.max(Some(times.max));
        }
        warning
    }

    fn warning(&self, plan: &StreamStreamPlan, report: &BatchReport, late: u64) -> Option<String> {
        // The outlier that the late watermark stems from, if one does.
        let reaches = |side: Side, seen: &Seen| {
            let delay = plan.side(side).stream.watermark?.0 / 1000;
            let (time, place) = seen.outlier?;
            let mark = time.div_euclid(1000).saturating_sub(delay);
            (Some(mark) == report.late_watermark).then_some((side, time, place))
        };
        let found = reaches(Side::Left, &self.left).or_else(|| reaches(Side::Right, &self.right));
        let (side, time, place) = found?;
        let stream = &plan.side(side).stream;
        Some(format!(
            "{late} rows are late, and more may be: row {} of {} has the event time {}, far ahead of all rows before it, and moved the watermark; correct the row, or leave it out with `where`",
            place.row,
            stream.feed.file_name(place.file),
            iso_millis(time)
        ))
    }
}
