//! Where a recording is cut into batches.

/// How a recording is cut; a batch ends at whichever comes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchCut {
    /// The column that gets the batch's number, from 0.
    pub column: String,
    /// After this many rows.
    pub rows: Option<u64>,
    /// When the time of arrival enters a new tick of this many microseconds,
    /// counted from 1970; a tick without a row makes no batch.
    pub every_us: Option<i64>,
}

/// More borders than this are not listed in the sidecar; the column has them.
const LISTED: usize = 1_000_000;

pub(super) struct Cutter {
    rows: u64,
    every_us: Option<i64>,
    batch: i64,
    in_batch: u64,
    tick: Option<i64>,
    row: u64,
    /// First row of each batch, unless there are too many.
    borders: Option<Vec<u64>>,
}

impl Cutter {
    pub(super) fn new(cut: &BatchCut) -> Cutter {
        Cutter {
            rows: cut.rows.unwrap_or(u64::MAX),
            every_us: cut.every_us,
            batch: -1,
            in_batch: 0,
            tick: None,
            row: 0,
            borders: Some(Vec::new()),
        }
    }

    /// The batch of the next row, which arrived at `arrived`.
    pub(super) fn batch_of(&mut self, arrived: i64) -> i64 {
        let tick = self.every_us.map(|every| arrived.div_euclid(every.max(1)));
        if self.batch < 0 || self.in_batch >= self.rows || tick != self.tick {
            self.batch += 1;
            self.in_batch = 0;
            match &mut self.borders {
                Some(borders) if borders.len() < LISTED => borders.push(self.row),
                borders => *borders = None,
            }
        }
        self.in_batch += 1;
        self.tick = tick;
        self.row += 1;
        self.batch
    }

    /// Batches of the first `rows` rows; of all, if the borders are too many.
    pub(super) fn batches_of(&self, rows: u64) -> u64 {
        match &self.borders {
            Some(borders) => borders.partition_point(|border| *border < rows) as u64,
            None => (self.batch + 1) as u64,
        }
    }

    /// Borders of the first `rows` rows.
    pub(super) fn into_borders(self, rows: u64) -> Option<Vec<u64>> {
        let mut borders = self.borders?;
        borders.truncate(borders.partition_point(|border| *border < rows));
        Some(borders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(rows: Option<u64>, every_us: Option<i64>, times: &[i64]) -> (Vec<i64>, Vec<u64>) {
        let mut cutter = Cutter::new(&BatchCut { column: String::new(), rows, every_us });
        let batches = times.iter().map(|time| cutter.batch_of(*time)).collect();
        (batches, cutter.into_borders(u64::MAX).unwrap())
    }

    #[test]
    fn by_rows_by_time_or_by_both() {
        let times = [5, 9, 10, 11, 12, 40];
        assert_eq!(cut(Some(4), None, &times), (vec![0, 0, 0, 0, 1, 1], vec![0, 4]));
        assert_eq!(cut(None, Some(10), &times), (vec![0, 0, 1, 1, 1, 2], vec![0, 2, 5]));
        assert_eq!(cut(Some(2), Some(10), &times), (vec![0, 0, 1, 1, 2, 3], vec![0, 2, 4, 5]));
        assert_eq!(cut(Some(1), None, &[]), (vec![], vec![]));
    }
}
