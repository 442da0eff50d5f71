//! Rows as they are read, with what decides where batches end.

use arrow::array::{ArrayRef, Int64Array, RecordBatch};

use super::trigger::{CutInput, Cutter};
use crate::culprit::culprit;
use crate::error::{Failure, Result};
use crate::plan::StreamPlan;
use crate::scenario::Trigger;

/// Where rows are from, for messages.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) stream: &'a StreamPlan,
    pub(super) file: usize,
    pub(super) first_row: u64,
}

impl Place<'_> {
    pub(super) fn at(self, failure: Failure, from: usize, to: usize) -> Failure {
        let first = self.first_row + from as u64;
        let last = self.first_row + (to as u64).saturating_sub(1);
        failure.at(format!("{}, rows {first} to {last}", self.file_name()))
    }

    /// A failure of one row.
    pub(super) fn at_row(self, failure: Failure, row: usize) -> Failure {
        let row = self.first_row + row as u64;
        failure.at(format!("{}, row {row} (from 0)", self.file_name()))
    }

    fn file_name(self) -> String {
        self.stream.feed.file_name(self.file)
    }
}

/// A source batch with what its cutter looks at.
pub(super) struct SourceRows {
    pub(super) batch: RecordBatch,
    file: usize,
    pub(super) times: Option<Int64Array>,
    arrivals: Option<Int64Array>,
    column: Option<ArrayRef>,
    /// Whether a batch ends with these rows.
    pub(super) ends_at_border: bool,
}

impl SourceRows {
    pub(super) fn look(stream: &StreamPlan, batch: RecordBatch, file: usize) -> Result<Self> {
        let times = stream.event_time.as_ref().map(|time| time.micros(&batch));
        let arrivals = stream.arrival.as_ref().map(|arrival| arrival.micros(&batch));
        let column = stream.trigger_column.as_ref().map(|item| item.evaluate(&batch));
        Ok(Self {
            file,
            times: times.transpose().map_err(Failure::run)?,
            arrivals: arrivals.transpose().map_err(Failure::run)?,
            column: column.transpose().map_err(Failure::run)?,
            ends_at_border: false,
            batch,
        })
    }

    /// As far as the rows can be looked at: those before the first broken one,
    /// and its failure. Failures have their place.
    pub(super) fn look_far(
        place: Place<'_>,
        batch: &RecordBatch,
    ) -> Result<(Self, Option<Failure>)> {
        let look = |batch| Self::look(place.stream, batch, place.file);
        let rows = batch.num_rows();
        let failure = match look(batch.clone()) {
            Ok(whole) => return Ok((whole, None)),
            Err(failure) => failure,
        };
        let broken = culprit(rows, |range| look(batch.slice(range.start, range.len())).map(|_| ()));
        match broken {
            Some((row, failure)) => {
                Ok((look(batch.slice(0, row))?, Some(place.at_row(failure, row))))
            }
            None => Err(place.at(failure, 0, rows)),
        }
    }

    /// Borders inside these rows; one at their very end is remembered apart.
    pub(super) fn borders(&mut self, cutter: &mut Cutter) -> Result<Vec<usize>> {
        let rows = self.batch.num_rows();
        let input = CutInput {
            rows,
            file: self.file,
            times: self.arrivals.as_ref().or(self.times.as_ref()),
            column: self.column.as_ref(),
        };
        let mut borders = cutter.borders(input).map_err(Failure::run)?;
        self.ends_at_border = borders.last() == Some(&rows);
        if self.ends_at_border {
            borders.pop();
        }
        Ok(borders)
    }
}

/// The cutter of a trigger.
pub(super) fn cutter(trigger: &Trigger) -> Cutter {
    match trigger {
        Trigger::Rows(rows) => Cutter::Rows { rows: rows.get(), taken: 0 },
        // A tick of arrival time is one of whatever times the cutter is given.
        Trigger::EventTime(tick) | Trigger::Arrival(tick) => {
            Cutter::EventTime { tick: tick.0, max: None }
        }
        Trigger::Column(_) => Cutter::Column { last: None },
        Trigger::File => Cutter::File { last: None },
        Trigger::Once => Cutter::Once,
    }
}
