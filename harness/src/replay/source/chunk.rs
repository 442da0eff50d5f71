//! Rows of one stream as they are read, with what decides their order.

use arrow::array::{Array, ArrayRef, Int64Array};
use arrow::row::{RowConverter, Rows, SortField};

use super::piece::Piece;
use super::time_order::TimeOrder;
use crate::error::{Failure, Result};
use crate::plan::SidePlan;

/// A batch of rows with what the merge and the trigger look at.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) piece: Piece,
    /// Event times in microseconds.
    times: Option<Int64Array>,
    /// By which the merge compares: no nulls, need not ascend.
    pub(crate) order: Vec<i64>,
    /// Arrival times: no nulls, ascending.
    pub(crate) arrivals: Vec<i64>,
    /// Values of the trigger's column.
    values: Option<Rows>,
}

/// What a trigger looks at in one row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowView<'a> {
    pub(crate) time: Option<i64>,
    pub(crate) arrival: Option<i64>,
    pub(crate) file: usize,
    pub(crate) value: Option<&'a [u8]>,
}

impl Chunk {
    /// Looks at the rows of a piece.
    pub(crate) fn look(
        side: &SidePlan,
        piece: Piece,
        by_arrival: bool,
        values: Option<&RowConverter>,
        order: &mut TimeOrder,
    ) -> Result<Self> {
        let failed = |failure| piece.failed(&side.stream, failure);
        let batch = &piece.batch;
        let stream = &side.stream;
        let times = stream.event_time.as_ref().map(|time| time.micros(batch)).transpose();
        let times = times.map_err(|error| failed(Failure::run(error)))?;
        let arrivals = stream.arrival.as_ref().map(|arrival| arrival.micros(batch)).transpose();
        let arrivals = arrivals.map_err(|error| failed(Failure::run(error)))?;
        let arrivals = arrivals.map_or_else(Vec::new, |a| order.ascending(&a));
        let order = match (&times, by_arrival) {
            (_, true) => arrivals.clone(),
            (Some(times), false) => order.filled(times, &piece.places),
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

    pub(crate) fn rows(&self) -> usize {
        self.piece.rows()
    }

    pub(crate) fn view(&self, row: usize) -> RowView<'_> {
        let time = self.times.as_ref().filter(|times| times.is_valid(row));
        RowView {
            time: time.map(|times| times.value(row)),
            arrival: self.arrivals.get(row).copied(),
            file: self.piece.places.of(row).file,
            value: self.values.as_ref().map(|values| values.row(row).data()),
        }
    }
}

/// Makes comparable bytes of the values of the trigger's column.
pub(crate) fn converter(column: &ArrayRef) -> Result<RowConverter> {
    RowConverter::new(vec![SortField::new(column.data_type().clone())]).map_err(Failure::run)
}
