//! What a join keeps from batch to batch.

use std::ops::Add;

use super::partition::Partition;
use super::planned::Planned;
use crate::error::Result;
use crate::memory::Reserved;
use crate::side::Side;
use crate::state::StateSize;
use crate::time::Watermarks;

/// What memory is asked for.
pub(super) const STATE: &str = "the state of two streams";

/// The stored rows and the watermarks.
#[derive(Debug)]
pub(super) struct JoinState {
    pub(super) partitions: Vec<Partition>,
    pub(super) watermarks: Watermarks,
    /// What the stores hold, and, during a batch, what they may come to hold.
    pub(super) reserved: Reserved,
    /// Whether a batch has begun and not ended.
    pub(super) in_batch: bool,
}

impl JoinState {
    pub(super) fn new(join: &Planned) -> Result<Self> {
        let Planned { spec, plan, options } = join;
        let partition = |_| Partition::new(plan, options);
        let (left, right) = (spec.left.watermark_delay, spec.right.watermark_delay);
        let mut state = Self {
            partitions: (0..options.partitions()).map(partition).collect::<Result<_>>()?,
            watermarks: Watermarks::new(spec.policy, left, right),
            reserved: Reserved::new(options.memory.clone()),
            in_batch: false,
        };
        let empty = state.size(Side::Left) + state.size(Side::Right);
        state.reserved.grow(empty.bytes(), STATE)?;
        Ok(state)
    }

    /// What the state of a side holds.
    pub(super) fn size(&self, side: Side) -> StateSize {
        let sizes = self.partitions.iter().map(|partition| partition.stores[side].size());
        sizes.fold(StateSize::default(), Add::add)
    }
}
