//! Times of rows that need a time: what carries over from row to row.

use arrow::array::Int64Array;

use super::piece::Places;

/// What carries over from rows to the rows after them.
#[derive(Debug, Default)]
pub(crate) struct TimeOrder {
    /// File of the last row.
    file: Option<usize>,
    /// The last event time of that file.
    time: Option<i64>,
    /// Greatest arrival time.
    arrival: Option<i64>,
    /// Rows that arrived before an earlier row.
    pub(crate) arrivals_back: u64,
}

impl TimeOrder {
    /// Event times; a null takes the time of the row before it in its file.
    pub(crate) fn filled(&mut self, times: &Int64Array, places: &Places) -> Vec<i64> {
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
    pub(crate) fn ascending(&mut self, arrivals: &Int64Array) -> Vec<i64> {
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
