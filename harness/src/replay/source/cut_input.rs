//! Rows of one stream as they are read, with what decides where batches end.

use arrow::array::{ArrayRef, Int64Array, RecordBatch};

use super::cut::{ColumnCutter, CutInput};
use super::piece::Piece;
use crate::error::{Failure, Result};
use crate::failing_row::first_failing_row;
use crate::plan::StreamPlan;
use crate::scenario::Trigger;

/// A piece of the stream with what its cutter looks at.
pub(crate) struct CuttablePiece {
    pub(crate) piece: Piece,
    /// The file that it counts to.
    file: usize,
    pub(crate) times: Option<Int64Array>,
    arrivals: Option<Int64Array>,
    column: Option<ArrayRef>,
}

impl CuttablePiece {
    /// Evaluates what the cutter looks at in rows that count to `file`.
    pub(crate) fn new(stream: &StreamPlan, piece: Piece, file: usize) -> Result<Self> {
        let batch: &RecordBatch = &piece.batch;
        let times = stream.event_time.as_ref().map(|time| time.micros(batch));
        let arrivals = match stream.trigger {
            Trigger::Arrival(_) => stream.arrival.as_ref().map(|arrival| arrival.micros(batch)),
            _ => None,
        };
        let column = stream.trigger_column.as_ref().map(|item| item.evaluate(batch));
        Ok(Self {
            file,
            times: times.transpose().map_err(Failure::run)?,
            arrivals: arrivals.transpose().map_err(Failure::run)?,
            column: column.transpose().map_err(Failure::run)?,
            piece,
        })
    }

    /// As many of the rows as can be evaluated: those before the first broken
    /// one, and its failure. Failures name their rows.
    pub(crate) fn before_broken(
        stream: &StreamPlan,
        piece: &Piece,
    ) -> Result<(Self, Option<Failure>)> {
        let file = piece.places.of(0).file;
        let failure = match Self::new(stream, piece.clone(), file) {
            Ok(whole) => return Ok((whole, None)),
            Err(failure) => failure,
        };
        let part = |rows| Self::new(stream, piece.slice(rows), file);
        match first_failing_row(piece.rows(), |rows| part(rows).map(|_| ())) {
            Some((row, failure)) => {
                Ok((part(0..row)?, Some(piece.failed_row(stream, failure, row))))
            }
            None => Err(piece.failed(stream, failure)),
        }
    }

    /// Borders among these rows, one at their very end included.
    pub(crate) fn borders(&self, cutter: &mut ColumnCutter) -> Result<Vec<usize>> {
        let input = CutInput {
            rows: self.piece.rows(),
            file: self.file,
            times: self.arrivals.as_ref().or(self.times.as_ref()),
            column: self.column.as_ref(),
        };
        cutter.borders(input).map_err(Failure::run)
    }
}
