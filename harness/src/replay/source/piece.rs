//! Rows as they were read, and where they are from.

use arrow::array::RecordBatch;

use crate::error::Failure;
use crate::plan::StreamPlan;

/// Where a row is from: the number of its file, and of the row in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowPlace {
    pub(crate) file: usize,
    pub(crate) row: u64,
}

/// Where each row of some is from.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    /// Rows of one file, one after the other.
    From(RowPlace),
    /// Rows in another order.
    Each(Vec<RowPlace>),
}

impl Places {
    pub(crate) fn of(&self, row: usize) -> RowPlace {
        match self {
            Self::From(first) => RowPlace { file: first.file, row: first.row + row as u64 },
            Self::Each(places) => places[row],
        }
    }

    /// Of the rows from one to another.
    pub(crate) fn slice(&self, from: usize, to: usize) -> Self {
        match self {
            Self::From(_) => Self::From(self.of(from)),
            Self::Each(places) => Self::Each(places[from..to].to_vec()),
        }
    }
}

/// Rows as they were read and where they are from.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) batch: RecordBatch,
    pub(crate) places: Places,
}

impl Piece {
    /// Some of the rows.
    pub(crate) fn slice(&self, from: usize, to: usize) -> Self {
        Self { batch: self.batch.slice(from, to - from), places: self.places.slice(from, to) }
    }

    /// A failure among these rows.
    pub(crate) fn failed(&self, stream: &StreamPlan, failure: Failure) -> Failure {
        let (first, last) =
            (self.places.of(0), self.places.of(self.batch.num_rows().saturating_sub(1)));
        let file = stream.feed.file_name(first.file);
        match self.places {
            Places::From(_) => failure.at(format!("{file} rows {} to {}", first.row, last.row)),
            Places::Each(_) => failure.at(format!("{file} rows around {}", first.row)),
        }
    }
}
