//! Rows that were read ahead, to guess types from them.

use std::collections::VecDeque;

use crate::error::{DatasetError, Result};
use crate::input::Input;

/// Rows that types are guessed from.
pub(in crate::format) const AHEAD_ROWS: usize = 1000;
/// Bytes of rows that types are guessed from, if there are fewer rows.
pub(in crate::format) const AHEAD_BYTES: usize = 32 << 20;

/// Rows that were read ahead and are still to be read, and the error after them.
pub(in crate::format) struct Ahead<T> {
    rows: VecDeque<T>,
    failed: Option<DatasetError>,
}

impl<T> Ahead<T> {
    pub(in crate::format) fn new() -> Ahead<T> {
        Ahead { rows: VecDeque::new(), failed: None }
    }

    /// The next row; `None` when all were read again.
    pub(in crate::format) fn next(&mut self) -> Result<Option<T>> {
        match self.rows.pop_front() {
            Some(row) => Ok(Some(row)),
            None => self.failed.take().map_or(Ok(None), Err),
        }
    }

    pub(in crate::format) fn push(&mut self, row: T) {
        self.rows.push_back(row);
    }

    /// Puts rows back. The error after them is returned now where `input` can be
    /// read again, and after them where it cannot.
    pub(in crate::format) fn put_back(
        &mut self,
        rows: VecDeque<T>,
        failed: Option<DatasetError>,
        input: &Input,
    ) -> Result<()> {
        match failed {
            Some(error) if input.live_state().is_none() || rows.is_empty() => return Err(error),
            failed => self.failed = failed,
        }
        self.rows = rows;
        Ok(())
    }
}
