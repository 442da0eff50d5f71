//! What every store asks of its callers, and the mark of one that failed.
//!
//! Input is checked as a whole before a store sees it. The mark is set before a
//! change and cleared when it is complete: a store that an error or a panic left
//! half-changed returns errors from then on.

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::DataType;

use super::{
    Departed, Eviction, NewRows, StateProbe, StateSize, StateStore, StorePlan, Upkeep, kept_type,
};
use crate::error::{JoinError, Result};
use crate::key::{KeyShape, KeyView};
use crate::pairs::Pairs;
use crate::table::FindCursor;

/// A store behind these checks.
#[derive(Debug)]
pub(super) struct Checked<S> {
    store: S,
    shape: KeyShape,
    /// The types in which columns are kept.
    payload: Vec<DataType>,
    /// Set during a change, and for good if it does not succeed.
    failed: bool,
}

impl<S: StateStore> Checked<S> {
    pub(super) fn new(plan: &StorePlan, store: S) -> Self {
        let payload = plan.payload.iter().map(kept_type).collect();
        Self { store, shape: plan.shape, payload, failed: false }
    }

    fn sound(&self) -> Result<&S> {
        if self.failed { Err(JoinError::Unfinished) } else { Ok(&self.store) }
    }

    fn change<T>(&mut self, change: impl FnOnce(&mut S) -> Result<T>) -> Result<T> {
        self.sound()?;
        self.failed = true;
        let done = change(&mut self.store)?;
        self.failed = false;
        Ok(done)
    }

    fn check_new(&self, new: NewRows<'_>) -> Result<()> {
        let count = new.keys.len();
        self.check_shape(new.keys.keys())?;
        check_length("the event times", new.times.len(), count)?;
        check_length("the matches", new.matched.len(), count)?;
        if new.payload.len() != self.payload.len() {
            return Err(JoinError::Schema(format!(
                "{} columns to keep, {} were planned",
                new.payload.len(),
                self.payload.len()
            )));
        }
        for (at, (column, planned)) in new.payload.iter().zip(&self.payload).enumerate() {
            check_column(at, column, planned, count)?;
        }
        check_rows("the rows to store", new.rows, count)
    }

    fn check_shape(&self, keys: KeyView<'_>) -> Result<()> {
        if keys.shape() != self.shape {
            return Err(JoinError::Schema(format!(
                "keys of shape {:?}, {:?} was planned",
                keys.shape(),
                self.shape
            )));
        }
        Ok(())
    }

    fn check_probe(&self, probe: StateProbe<'_>, cursor: &FindCursor) -> Result<()> {
        let count = probe.keys.len();
        self.check_shape(probe.keys.keys())?;
        if let Some(interval) = probe.interval {
            check_length("the event times", interval.times.len(), count)?;
        }
        check_rows("the rows that look for partners", probe.rows.unwrap_or_default(), count)?;
        check_length("the cursor's candidates", cursor.candidates.len(), cursor.rows.len())?;
        check_rows("the cursor's rows", &cursor.rows, count)
    }
}

fn check_length(what: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(JoinError::Schema(format!("{what} number {found}, {expected} rows need one each")))
}

fn check_column(at: usize, column: &ArrayRef, planned: &DataType, rows: usize) -> Result<()> {
    let found = kept_type(column.data_type());
    if found != *planned {
        return Err(JoinError::Schema(format!(
            "column {at} of those to keep is {found}, {planned} was planned"
        )));
    }
    check_length(&format!("the values of column {at} of those to keep"), column.len(), rows)
}

/// Row numbers of a batch of `count` rows: one pass, without a branch per row.
fn check_rows(what: &str, rows: &[u32], count: usize) -> Result<()> {
    let greatest = rows.iter().fold(0, |greatest, &row| greatest.max(row));
    if rows.is_empty() || (greatest as usize) < count {
        return Ok(());
    }
    Err(JoinError::InvalidPlan(format!("{what} name row {greatest} of a batch of {count}")))
}

impl<S: StateStore> StateStore for Checked<S> {
    fn name(&self) -> &'static str {
        self.store.name()
    }

    fn rows(&self) -> u64 {
        self.store.rows()
    }

    fn rows_after(&self, line: i64) -> Result<u64> {
        self.sound()?.rows_after(line)
    }

    fn size(&self) -> StateSize {
        self.store.size()
    }

    fn check_room(&self, rows: usize) -> Result<()> {
        self.sound()?.check_room(rows)
    }

    fn growth(&self, rows: NewRows<'_>) -> Result<usize> {
        let store = self.sound()?;
        self.check_new(rows)?;
        store.growth(rows)
    }

    fn insert(&mut self, rows: NewRows<'_>) -> Result<()> {
        self.sound()?;
        self.check_new(rows)?;
        self.failed = true;
        let stored = self.store.insert(rows);
        // With an error nothing was stored.
        self.failed = false;
        stored
    }

    fn find(
        &self,
        probe: StateProbe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> Result<u64> {
        let store = self.sound()?;
        self.check_probe(probe, cursor)?;
        store.find(probe, cursor, pairs, limit)
    }

    fn set_matched(&mut self, rows: &[u32]) -> Result<()> {
        self.change(|store| store.set_matched(rows))
    }

    fn remove(&mut self, rows: &[u32]) -> Result<u64> {
        self.change(|store| store.remove(rows))
    }

    fn evict(&mut self, line: i64, unmatched: Option<&mut Departed>) -> Result<Eviction> {
        self.change(|store| store.evict(line, unmatched))
    }

    fn drain(&mut self, unmatched: Option<&mut Departed>) -> Result<Eviction> {
        self.change(|store| store.drain(unmatched))
    }

    fn gather(&self, wanted: &[usize], rows: &[u32]) -> Result<Vec<ArrayRef>> {
        let store = self.sound()?;
        if let Some(column) = wanted.iter().find(|&&column| column >= self.payload.len()) {
            return Err(JoinError::InvalidPlan(format!(
                "column {column} of those that are kept, which number {}",
                self.payload.len()
            )));
        }
        store.gather(wanted, rows)
    }

    fn rows_within(&self, rows: &[u32], bytes: usize) -> Result<usize> {
        self.sound()?.rows_within(rows, bytes)
    }

    fn reclaim(&mut self) -> Result<Upkeep> {
        self.change(StateStore::reclaim)
    }
}

/// The error for an id that names no row.
pub(super) fn no_such_row(id: u32) -> JoinError {
    JoinError::InvalidPlan(format!("{id} is not the id of a row that this store holds"))
}

/// The error for a cursor that no call of this store, with this probe, has left.
pub(super) fn foreign_cursor() -> JoinError {
    JoinError::InvalidPlan(
        "the cursor is of another probe or store: begin with `FindCursor::default()`".to_owned(),
    )
}
