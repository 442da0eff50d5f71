//! What all partitions of a batch read.

use super::intake::Intake;
use super::planned::Planned;
use super::report::BatchKind;
use crate::side::{Side, Sides};
use crate::time::BatchWatermarks;

/// The input of a batch, and how it is joined.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) join: &'a Planned,
    pub(super) kind: BatchKind,
    pub(super) partitions: usize,
    pub(super) watermarks: BatchWatermarks,
    pub(super) intakes: Sides<Intake>,
}

impl Shared<'_> {
    /// The eviction line of a side, in microseconds.
    pub(super) fn line(&self, side: Side) -> Option<i64> {
        self.join.line(side, self.watermarks)
    }
}
