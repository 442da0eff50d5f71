//! What happens in a batch, in which order, by join type (Spark's order).

use super::report::BatchKind;
use crate::join_type::JoinType;
use crate::side::Side;

/// The steps of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Rows of a preserved side that can match nothing are output.
    Unmatchable(Side),
    /// New rows of a side meet the state of the other.
    Probe(Side),
    /// New rows of a side are stored.
    Store(Side),
    /// Rows of a side leave; unmatched ones of a preserved side are output.
    Evict(Side),
    /// All rows of a side leave.
    Drain(Side),
    /// Memory is freed.
    Reclaim,
}

impl Step {
    /// The steps of a batch of this kind, in Spark's order.
    pub(super) fn of(kind: BatchKind, join_type: JoinType) -> &'static [Self] {
        use Side::{Left, Right};
        match (kind, join_type) {
            (BatchKind::End, _) => &[Self::Drain(Left), Self::Drain(Right), Self::Reclaim],
            // Right rows go first, so that a left row which they match leaves
            // before it is looked at again.
            (_, JoinType::LeftSemi) => &[
                Self::Probe(Right),
                Self::Store(Right),
                Self::Probe(Left),
                Self::Store(Left),
                Self::Evict(Left),
                Self::Evict(Right),
                Self::Reclaim,
            ],
            _ => &[
                Self::Unmatchable(Left),
                Self::Unmatchable(Right),
                Self::Probe(Left),
                Self::Store(Left),
                Self::Probe(Right),
                Self::Store(Right),
                Self::Evict(Left),
                Self::Evict(Right),
                Self::Reclaim,
            ],
        }
    }
}
