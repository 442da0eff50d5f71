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
    pub(super) rows: Rows,
    /// How many of them have been output.
    pub(super) emitted: usize,
}

#[derive(Debug, Default)]
pub(super) enum Rows {
    #[default]
    Nothing,
    /// New rows of this side, as probe rows, with stored ones of the other.
    Pairs(Side, Pairs),
    /// New rows of this side, without a partner.
    New(Side, Vec<u32>),
    /// Rows of this side that the intake set apart.
    Unmatchable(Side, Vec<u32>),
    /// Stored rows of this side, without a partner.
    Stored(Side, Vec<u32>),
}

impl Pending {
    pub(super) fn new(rows: Rows) -> Self {
        Self { rows, emitted: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.new_rows().len().max(self.stored_rows().len())
    }

    /// Those that are rows of the batch.
    pub(super) fn new_rows(&self) -> &[u32] {
        match &self.rows {
            Rows::Nothing | Rows::Stored(..) => &[],
            Rows::Pairs(_, pairs) => pairs.probe_rows(),
            Rows::New(_, rows) | Rows::Unmatchable(_, rows) => rows,
        }
    }

    /// Those that are stored rows.
    pub(super) fn stored_rows(&self) -> &[u32] {
        match &self.rows {
            Rows::Nothing | Rows::New(..) | Rows::Unmatchable(..) => &[],
            Rows::Pairs(_, pairs) => pairs.build_rows(),
            Rows::Stored(_, rows) => rows,
        }
    }

    /// The rows of the batch and the stored rows.
    pub(super) fn into_columns(self) -> (Vec<u32>, Vec<u32>) {
        match self.rows {
            Rows::Nothing => (Vec::new(), Vec::new()),
            Rows::Pairs(_, pairs) => pairs.into_columns(),
            Rows::New(_, rows) | Rows::Unmatchable(_, rows) => (rows, Vec::new()),
            Rows::Stored(_, rows) => (Vec::new(), rows),
        }
    }

    /// No pairs, in the memory of these rows.
    pub(super) fn into_empty_pairs(self) -> Pairs {
        let (mut new, mut stored) = self.into_columns();
        new.clear();
        stored.clear();
        Pairs::from_columns(new, stored).unwrap_or_default()
    }
}
