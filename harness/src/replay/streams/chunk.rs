//! Rows of one stream as they are read, with what decides their order.

use arrow::array::{Array, ArrayRef, Int64Array, RecordBatch};
use arrow::row::{RowConverter, Rows, SortField};

use crate::error::{Failure, Result};
use crate::plan::SidePlan;

/// Where a row is from: the number of its file, and of the row in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowPlace {
    pub(super) file: usize,
    pub(super) row: u64,
}

/// Where each row of some is from.
#[derive(Clone, Debug)]
pub(super) enum Places {
    /// Rows of one file, one after the other.
    From(RowPlace),
    /// Rows in another order.
    Each(Vec<RowPlace>),
}

impl Places {
    pub(super) fn of(&self, row: usize) -> RowPlace {
        match self {
            Self::From(first) => RowPlace { file: first.file, row: first.row + row as u64 },
            Self::Each(places) => places[row],
        }
    }

    fn slice(&self, from: usize, to: usize) -> Self {
        match self {
            Self::From(_) => Self::From(self.of(from)),
            Self::Each(places) => Self::Each(places[from..to].to_vec()),
        }
    }
}

/// Rows as they were read and where they are from.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) batch: RecordBatch,
    pub(super) places: Places,
}

impl Piece {
    /// A failure among these rows.
    pub(super) fn failed(&self, side: &SidePlan, failure: Failure) -> Failure {
        let (first, last) =
            (self.places.of(0), self.places.of(self.batch.num_rows().saturating_sub(1)));
        let file = side.stream.feed.file_name(first.file);
        match self.places {
            Places::From(_) => failure.at(format!("{file} rows {} to {}", first.row, last.row)),
            Places::Each(_) => failure.at(format!("{file} rows around {}", first.row)),
        }
    }
}

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

/// What carries over from chunk to chunk.
#[derive(Debug, Default)]
pub(super) struct Carried {
    /// File of the last row.
    file: Option<usize>,
    /// The last event time of that file.
    time: Option<i64>,
    /// Greatest arrival time.
    arrival: Option<i64>,
    /// Rows that arrived before an earlier row.
    pub(super) arrivals_back: u64,
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
        let failed = |failure| piece.failed(side, failure);
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
        Piece {
            batch: self.piece.batch.slice(from, to - from),
            places: self.piece.places.slice(from, to),
        }
    }
}

impl Carried {
    /// Event times; a null takes the time of the row before it in its file.
    pub(super) fn filled(&mut self, times: &Int64Array, places: &Places) -> Vec<i64> {
        let filled = times.iter().enumerate().map(|(row, time)| {
            let file = places.of(row).file;
            if self.file != Some(file) {
                (self.file, self.time) = (Some(file), None);
            }
            self.time = time.or(self.time);
            // Nothing came before it: it comes first.
            self.time.unwrap_or(i64::MIN)
        });
        filled.collect()
    }

    /// The running maximum; a null arrived with the row before it.
    fn ascending(&mut self, arrivals: &Int64Array) -> Vec<i64> {
        let ascending = arrivals.iter().map(|arrival| {
            if arrival < self.arrival && arrival.is_some() {
                self.arrivals_back += 1;
            }
            self.arrival = self.arrival.max(arrival);
            self.arrival.unwrap_or(i64::MIN)
        });
        ascending.collect()
    }
}

/// Makes comparable bytes of the values of the trigger's column.
pub(super) fn converter(column: &ArrayRef) -> Result<RowConverter> {
    RowConverter::new(vec![SortField::new(column.data_type().clone())]).map_err(Failure::run)
}
