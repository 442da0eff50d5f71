//! Rows as they were read, and where they are from.

use std::ops::Range;

use arrow::array::RecordBatch;
use streamjoin_datasets::SourceBatch;

use crate::error::{Failure, Result};
use crate::plan::{FeedBatches, StreamPlan};

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

    fn slice(&self, rows: Range<usize>) -> Self {
        match self {
            Self::From(_) => Self::From(self.of(rows.start)),
            Self::Each(places) => Self::Each(places[rows].to_vec()),
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
    pub(crate) fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// Some of the rows.
    pub(crate) fn slice(&self, rows: Range<usize>) -> Self {
        Self { batch: self.batch.slice(rows.start, rows.len()), places: self.places.slice(rows) }
    }

    /// A failure among these rows.
    pub(crate) fn failed(&self, stream: &StreamPlan, failure: Failure) -> Failure {
        let first = self.places.of(0);
        let file = stream.feed.file_name(first.file);
        match self.places {
            Places::From(_) => {
                let last = first.row + (self.rows() as u64).saturating_sub(1);
                failure.at(format!("{file}, rows {} to {last}", first.row))
            }
            Places::Each(_) => failure.at(format!("{file}, rows around {}", first.row)),
        }
    }

    /// A failure of one of these rows.
    pub(crate) fn failed_row(&self, stream: &StreamPlan, failure: Failure, row: usize) -> Failure {
        let place = self.places.of(row);
        failure.at(format!("{}, row {} (from 0)", stream.feed.file_name(place.file), place.row))
    }
}

/// The pieces of one reading of a stream.
pub(crate) struct Pieces {
    batches: std::iter::Fuse<FeedBatches>,
    /// Rows that may still be read.
    left: u64,
}

impl Pieces {
    /// At most `limit` rows in all.
    pub(crate) fn read(stream: &StreamPlan, limit: u64) -> Result<Self> {
        let prepare = &stream.prepare;
        let batches = stream.feed.read_parts(prepare.read.as_slice(), &prepare.parts)?.fuse();
        Ok(Self { batches, left: limit })
    }
}

impl Iterator for Pieces {
    type Item = Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = if self.left > 0 { self.batches.next()? } else { return None };
        Some(read.map_err(Failure::run).map(|SourceBatch { batch, file, first_row }| {
            let rows = batch.num_rows().min(usize::try_from(self.left).unwrap_or(usize::MAX));
            self.left -= rows as u64;
            let places = Places::From(RowPlace { file, row: first_row });
            Piece { batch: batch.slice(0, rows), places }
        }))
    }
}
