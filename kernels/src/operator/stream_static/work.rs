//! A part of the work on a batch, by the order in which its output comes.

use arrow::array::{ArrayRef, RecordBatch};

use super::in_order::InOrder;
use super::planned::Planned;
use super::report::Stats;
use super::unit::Unit;
use crate::error::Result;
use crate::snapshot::TableSnapshot;

#[derive(Debug)]
pub(super) enum Work {
    AsFound(Unit),
    InOrder(InOrder),
}

impl Work {
    /// Asks for the rows without a match.
    pub(super) fn note_unmatched(&mut self) {
        let (Self::AsFound(Unit { unmatched, .. }) | Self::InOrder(InOrder { unmatched, .. })) =
            self;
        *unmatched = Some(Vec::new());
    }

    /// The batch's row numbers of rows without a match, if they were asked for.
    pub(super) fn into_unmatched(self) -> Option<Vec<u32>> {
        let (Self::AsFound(Unit { unmatched, .. }) | Self::InOrder(InOrder { unmatched, .. })) =
            self;
        unmatched
    }

    /// Whether all of its output has been returned.
    pub(super) fn is_done(&self) -> bool {
        match self {
            Self::AsFound(unit) => unit.is_done(),
            Self::InOrder(rows) => rows.is_done(),
        }
    }

    pub(super) fn stats(&self) -> Stats {
        match self {
            Self::AsFound(unit) => unit.stats,
            Self::InOrder(rows) => rows.stats(),
        }
    }

    /// The next output batch, never an empty one; none when there is no more.
    pub(super) fn step(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
    ) -> Result<Option<RecordBatch>> {
        match self {
            Self::AsFound(unit) => unit.step(join, snapshot, batch),
            Self::InOrder(rows) => rows.step(join, snapshot, batch),
        }
    }
}
