//! Rows of one stream as they are read, with what decides their order.

use arrow::array::{Array, ArrayRef, Int64Array};
use arrow::row::{RowConverter, Rows, SortField};

use crate::error::{Failure, Result};
use crate::plan::SidePlan;
use crate::replay::carried::Carried;
use crate::replay::piece::Piece;

/// A batch of rows with what the merge and the trigger look at.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) piece: Piece,
    /// Event times in microseconds.
    times: Option<Int64Array>,
    /// By which the merge compares: no nulls, need not ascend.
    pub(super) order: Vec<i64>,
    /// Arrival times: no nulls, ascending.
    pub(super) arrivals: Vec<i64>,
    /// Values of the trigger's column.
    values: Option<Rows>,
}

/// What a trigger looks at in one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowView<'a> {
    pub(super) time: Option<i64>,
    pub(super) arrival: Option<i64>,
    pub(super) file: usize,
    pub(super) value: Option<&'a [u8]>,
}

impl Chunk {
    /// Looks at the rows of a piece.
    pub(super) fn look(
        side: &SidePlan,
        piece: Piece,
        by_arrival: bool,
        values: Option<&RowConverter>,
        carried: &mut Carried,
    ) -> Result<Self> {
        let failed = |failure| piece.failed(&side.stream, failure);
        let batch = &piece.batch;
        let stream = &side.stream;
        let times = stream.event_time.as_ref().map(|time| time.micros(batch)).transpose();
        let times = times.map_err(|error| failed(Failure::run(error)))?;
        let arrivals = stream.arrival.as_ref().map(|arrival| arrival.micros(batch)).transpose();
        let arrivals = arrivals.map_err(|error| failed(Failure::run(error)))?;
        let arrivals = arrivals.map_or_else(Vec::new, |a| carried.ascending(&a));
        let order = match (&times, by_arrival) {
            (_, true) => arrivals.clone(),
            (Some(times), false) => carried.filled(times, &piece.places),
            (None, false) => Vec::new(),
        };
        let values = match (&stream.trigger_column, values) {
            (Some(item), Some(converter)) => {
                let column = item.evaluate(batch).map_err(|error| failed(Failure::run(error)))?;
                let rows = converter.convert_columns(&[column]);
                Some(rows.map_err(|error| failed(Failure::run(error)))?)
            }
            _ => None,
        };
        Ok(Self { times, order, arrivals, values, piece })
    }

    pub(super) fn rows(&self) -> usize {
        self.piece.batch.num_rows()
    }

    pub(super) fn view(&self, row: usize) -> RowView<'_> {
        let time = self.times.as_ref().filter(|times| times.is_valid(row));
        RowView {
            time: time.map(|times| times.value(row)),
            arrival: self.arrivals.get(row).copied(),
            file: self.piece.places.of(row).file,
            value: self.values.as_ref().map(|values| values.row(row).data()),
        }
    }

    /// Some of the rows as they were read.
    pub(super) fn slice(&self, from: usize, to: usize) -> Piece {
        self.piece.slice(from, to)
    }
}

/// Makes comparable bytes of the values of the trigger's column.
pub(super) fn converter(column: &ArrayRef) -> Result<RowConverter> {
    RowConverter::new(vec![SortField::new(column.data_type().clone())]).map_err(Failure::run)
}
