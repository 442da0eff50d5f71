//! Rows that a partition has found and that are still to be output.

use arrow::array::RecordBatch;

use crate::pairs::Pairs;
use crate::side::Side;

/// Output rows.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) rows: RecordBatch,
    /// Set if no row matched any of these, which are of that side.
    pub(super) unmatched_of: Option<Side>,
}

/// Rows of the coming output.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Probe rows are new rows, build rows are stored rows; only one list is
    /// filled for rows that are output without a partner.
    pub(super) pairs: Pairs,
    pub(super) kind: Kind,
    /// How many of them have been output.
    pub(super) emitted: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Kind {
    #[default]
    Nothing,
    /// New rows of this side with stored ones of the other.
    Pairs(Side),
    /// New rows of this side.
    New(Side),
    /// Rows of this side that the intake set apart.
    Unmatchable(Side),
    /// Stored rows of this side.
    Stored(Side),
}

impl Pending {
    /// Pairs to be found, in the buffers of those output before.
    pub(super) fn pairs(side: Side, before: Self) -> Self {
        let mut pairs = before.pairs;
        pairs.clear();
        Self { pairs, kind: Kind::Pairs(side), emitted: 0 }
    }

    pub(super) fn new_rows(side: Side, rows: Vec<u32>) -> Self {
        Self::of_probe(Kind::New(side), rows)
    }

    pub(super) fn unmatchable(side: Side, rows: Vec<u32>) -> Self {
        Self::of_probe(Kind::Unmatchable(side), rows)
    }

    pub(super) fn stored(side: Side, rows: Vec<u32>) -> Self {
        let pairs = Pairs { probe_rows: Vec::new(), build_rows: rows };
        Self { pairs, kind: Kind::Stored(side), emitted: 0 }
    }

    fn of_probe(kind: Kind, rows: Vec<u32>) -> Self {
        let pairs = Pairs { probe_rows: rows, build_rows: Vec::new() };
        Self { pairs, kind, emitted: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.probe_rows.len().max(self.pairs.build_rows.len())
    }
}
