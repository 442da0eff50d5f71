//! Streams that fall silent or end, and so leave the watermark.

use streamjoin_kernels::{Side, Sides};

use crate::plan::StreamStreamPlan;
use crate::replay::source::MergedBatch;
use crate::scenario::Finished;

/// Which streams take part in the global watermark.
#[derive(Debug)]
pub(crate) struct Participation(Sides<bool>);

impl Participation {
    pub(crate) fn new() -> Self {
        Self(Sides { left: true, right: true })
    }

    /// Looks at both streams at the end of a batch. A stream that fell silent
    /// leaves, and comes back with its next row; one that ended leaves for good
    /// if it is to. One stream alone never leaves the other without any.
    pub(crate) fn update(
        &mut self,
        plan: &StreamStreamPlan,
        batch: &MergedBatch,
        mut set_taking_part: impl FnMut(Side, bool),
    ) {
        let now = batch.left.arrived.max(batch.right.arrived);
        for (side, takes_part) in self.0.as_mut() {
            let (stream, rows) = (plan.side(side), batch.side(side));
            let silent = match (stream.idle_timeout, now, rows.arrived) {
                (Some(timeout), Some(now), Some(last)) => now.saturating_sub(last) >= timeout.0,
                // Nothing has come yet: silent since the other stream began.
                (Some(timeout), Some(now), None) => {
                    batch.began.is_some_and(|began| now.saturating_sub(began) >= timeout.0)
                }
                _ => false,
            };
            let gone = rows.ended && stream.finished == Finished::Leaves;
            let before = std::mem::replace(takes_part, !(silent || gone));
            if before != *takes_part {
                set_taking_part(side, *takes_part);
            }
        }
    }
}
