//! Nulls, range and distinct values of a column, in one pass and little memory.

use std::collections::BTreeSet;

use arrow::array::{Array, ArrayRef};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;
use arrow::row::{OwnedRow, RowConverter, SortField};
use streamjoin_datasets::has_union;

use crate::record::value_digests;
use crate::sink::cell_text;

/// Distinct digests that are kept: below it the count is exact, above it the
/// standard error is 1 / sqrt(4096), 1.6 %.
const KEPT: usize = 4096;

/// What is known of a column.
pub(super) struct ColumnStatistics {
    nulls: u64,
    /// The smallest digests (k minimum values).
    digests: BTreeSet<u64>,
    full: bool,
    scratch: Vec<u64>,
    /// None for types that have no order.
    order: Option<RowConverter>,
    range: Option<(OwnedRow, OwnedRow)>,
}

impl ColumnStatistics {
    pub(super) fn new(data_type: &DataType) -> Self {
        let field = SortField::new(data_type.clone());
        Self {
            nulls: 0,
            digests: BTreeSet::new(),
            full: false,
            scratch: Vec::new(),
            order: match has_union(data_type) {
                true => None,
                false => RowConverter::new(vec![field]).ok(),
            },
            range: None,
        }
    }

    /// Adds the values of one batch.
    pub(super) fn add(&mut self, column: &ArrayRef) -> Result<(), arrow::error::ArrowError> {
        let nulls = column.logical_nulls();
        let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        self.nulls += nulls.as_ref().map_or(0, NullBuffer::null_count) as u64;
        value_digests(column.as_ref(), &mut self.scratch);
        for (row, digest) in self.scratch.iter().enumerate() {
            let below = !self.full || self.digests.last().is_some_and(|largest| digest < largest);
            if below && !is_null(row) && self.digests.insert(*digest) && self.digests.len() > KEPT {
                self.digests.pop_last();
                self.full = true;
            }
        }
        let Some(order) = &self.order else { return Ok(()) };
        let rows = order.convert_columns(std::slice::from_ref(column))?;
        let valid = || (0..rows.num_rows()).filter(|row| !is_null(*row)).map(|row| rows.row(row));
        if let (Some(least), Some(most)) = (valid().min(), valid().max()) {
            let (least, most) = (least.owned(), most.owned());
            self.range = Some(match self.range.take() {
                None => (least, most),
                Some((low, high)) => (low.min(least), high.max(most)),
            });
        }
        Ok(())
    }

    pub(super) fn nulls(&self) -> u64 {
        self.nulls
    }

    /// Distinct values without null; see [`Self::distinct_is_exact`].
    pub(super) fn distinct(&self) -> u64 {
        match self.digests.last() {
            Some(largest) if self.full => {
                // k - 1 of the values lie below the share `largest / 2^64`.
                let share = *largest as f64 / 2.0_f64.powi(64);
                ((KEPT - 1) as f64 / share) as u64
            }
            _ => self.digests.len() as u64,
        }
    }

    pub(super) fn distinct_is_exact(&self) -> bool {
        !self.full
    }

    /// Least and greatest value as text; none without a value or an order.
    pub(super) fn range(&self) -> (Option<String>, Option<String>) {
        let text = |row: &OwnedRow| {
            let columns = self.order.as_ref()?.convert_rows([row.row()]).ok()?;
            cell_text(columns.first()?.as_ref(), 0).ok()
        };
        match &self.range {
            None => (None, None),
            Some((least, most)) => (text(least), text(most)),
        }
    }
}

#[cfg(test)]
#[path = "statistics_tests.rs"]
mod tests;
