//! A planned join: its specification, the plan made from it, and its options.

use super::options::Options;
use super::plan::Plan;
use super::spec::Spec;
use crate::error::Result;
use crate::side::Side;
use crate::time::{BatchWatermarks, Timestamp};

/// What every part of a join reads and no part changes.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) spec: Spec,
    pub(super) plan: Plan,
    pub(super) options: Options,
}

impl Planned {
    /// # Errors
    /// Those of [`Join::new`](super::Join::new).
    pub(super) fn new(spec: Spec, options: Options) -> Result<Self> {
        let plan = Plan::new(&spec)?;
        options.check()?;
        Ok(Self { spec, plan, options })
    }

    /// The eviction line of a side in a batch with these watermarks, in
    /// microseconds.
    pub(super) fn line(&self, side: Side, watermarks: BatchWatermarks) -> Option<i64> {
        self.plan.sides[side].expiry.line(watermarks.in_force).map(Timestamp::as_micros)
    }
}
