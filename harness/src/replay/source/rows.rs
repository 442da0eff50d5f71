//! Rows of one stream as they are read, with what decides where batches end.

use arrow::array::{ArrayRef, Int64Array, RecordBatch};

use super::cut::{CutInput, Cutter};
use super::piece::{Piece, Places};
use crate::error::{Failure, Result};
use crate::failing_row::first_failing_row;
use crate::plan::StreamPlan;
use crate::scenario::Trigger;

/// A failure among some of the rows of a piece.
pub(crate) fn failed(
    stream: &StreamPlan,
    places: &Places,
    failure: Failure,
    rows: std::ops::Range<usize>,
) -> Failure {
    let first = places.of(rows.start);
    let file = stream.feed.file_name(first.file);
    match places {
        Places::From(_) => {
            let last = first.row + (rows.len() as u64).saturating_sub(1);
            failure.at(format!("{file}, rows {} to {last}", first.row))
        }
        Places::Each(_) => failure.at(format!("{file}, rows around {}", first.row)),
    }
}

/// A failure of one row.
pub(crate) fn failed_row(
    stream: &StreamPlan,
    places: &Places,
    failure: Failure,
    row: usize,
) -> Failure {
    let place = places.of(row);
    failure.at(format!("{}, row {} (from 0)", stream.feed.file_name(place.file), place.row))
}

/// A piece of the stream with what its cutter looks at.
pub(crate) struct SourceRows {
    pub(crate) piece: Piece,
    /// The file that it counts to.
    file: usize,
    pub(crate) times: Option<Int64Array>,
    arrivals: Option<Int64Array>,
    column: Option<ArrayRef>,
}

impl SourceRows {
    /// Looks at rows that count to `file`.
    pub(crate) fn look(stream: &StreamPlan, piece: Piece, file: usize) -> Result<Self> {
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

    /// As far as the rows can be looked at: those before the first broken one,
    /// and its failure. Failures have their place.
    pub(crate) fn look_far(
        stream: &StreamPlan,
        piece: &Piece,
        file: usize,
    ) -> Result<(Self, Option<Failure>)> {
        let rows = piece.batch.num_rows();
        let failure = match Self::look(stream, piece.clone(), file) {
            Ok(whole) => return Ok((whole, None)),
            Err(failure) => failure,
        };
        let look = |from, to| Self::look(stream, piece.slice(from, to), file);
        match first_failing_row(rows, |range| look(range.start, range.end).map(|_| ())) {
            Some((row, failure)) => {
                Ok((look(0, row)?, Some(failed_row(stream, &piece.places, failure, row))))
            }
            None => Err(failed(stream, &piece.places, failure, 0..rows)),
        }
    }

    /// Borders among these rows, one at their very end included.
    pub(crate) fn borders(&self, cutter: &mut Cutter) -> Result<Vec<usize>> {
        let input = CutInput {
            rows: self.piece.batch.num_rows(),
            file: self.file,
            times: self.arrivals.as_ref().or(self.times.as_ref()),
            column: self.column.as_ref(),
        };
        cutter.borders(input).map_err(Failure::run)
    }
}
