//! The output of a unit in the order of the batch's rows.

use arrow::array::ArrayRef;

use super::{Stage, Unit};
use crate::error::Result;
use crate::operator::stream_static::planned::Planned;
use crate::pairs::Pairs;
use crate::snapshot::TableSnapshot;

impl Unit {
    /// Looks up all rows, which are neighbours in the batch from `first_row` on, and
    /// puts what is to be output in their order. If it is more than `limit` rows,
    /// returns false, and the unit is of no use any more.
    pub(in crate::operator::stream_static) fn find_in_order(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
        limit: usize,
        first_row: usize,
    ) -> Result<bool> {
        let mut all = Pairs::new();
        while !matches!(self.stage, Stage::Done) {
            self.look_up(join, snapshot, batch)?;
            if all.is_empty() {
                std::mem::swap(&mut all, &mut self.pairs);
            } else {
                all.extend_from_columns(self.pairs.probe_rows(), self.pairs.build_rows());
            }
            if all.len() > limit && !matches!(self.stage, Stage::Done) {
                return Ok(false);
            }
        }
        let place = |row: u32| self.input.row_of_batch(row as usize) as usize - first_row;
        self.pairs = sorted(all, self.rows, place)?;
        Ok(true)
    }
}

/// Sorts pairs by the place of their probe row, which is below `places`; those of a
/// row keep their order.
fn sorted(pairs: Pairs, places: usize, place: impl Fn(u32) -> usize) -> Result<Pairs> {
    if pairs.probe_rows().is_sorted_by_key(|&row| place(row)) {
        return Ok(pairs);
    }
    let mut ends = vec![0; places];
    for &row in pairs.probe_rows() {
        ends[place(row)] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    let (mut probe_rows, mut build_rows) = (vec![0; pairs.len()], vec![0; pairs.len()]);
    for (probe_row, build_row) in pairs.iter() {
        let end = &mut ends[place(probe_row)];
        (probe_rows[*end], build_rows[*end]) = (probe_row, build_row);
        *end += 1;
    }
    Pairs::from_columns(probe_rows, build_rows)
}
