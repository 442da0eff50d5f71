//! Rows as they are read, with what decides where batches end.

use arrow::array::{ArrayRef, Int64Array, RecordBatch};

use super::trigger::{CutInput, Cutter};
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
        failure.at(format!("{} rows {first} to {last}", self.stream.feed.file_name(self.file)))
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
pub(super) fn cutter(trigger: &Trigger) -> Result<Cutter> {
    Ok(match trigger {
        Trigger::Rows(rows) => Cutter::Rows { rows: rows.get(), taken: 0 },
        // A tick of arrival time is one of whatever times the cutter is given.
        Trigger::EventTime(tick) | Trigger::Arrival(tick) => {
            Cutter::EventTime { tick: tick.0, max: None }
        }
        Trigger::Column(_) => Cutter::Column { last: None },
        Trigger::File => Cutter::File { last: None },
        Trigger::Once => Cutter::Once,
        Trigger::Every(_) => {
            return Err(Failure::usage("this trigger is not supported yet by this version"));
        }
    })
}
