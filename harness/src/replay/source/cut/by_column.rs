//! Batches of one stream, cut column by column.

use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array};
use arrow::compute::kernels::cmp::distinct;
use arrow::error::ArrowError;

use super::enters_tick;
use crate::scenario::Trigger;

/// Decides borders between batches, source batch by source batch.
///
/// A border is a row offset: the row there opens a new batch. A border at the
/// end of the rows says that the batch is complete without looking further. An
/// empty batch is never made: borders before any row are for the caller to
/// skip.
#[derive(Debug)]
pub(crate) enum ColumnCutter {
    /// After this many rows.
    Rows {
        /// Rows of a batch.
        rows: u64,
        /// Rows of the open batch.
        taken: u64,
    },
    /// When the running maximum enters a new epoch-aligned tick.
    EventTime {
        /// Length of a tick in microseconds.
        tick: i64,
        /// Greatest event time so far.
        max: Option<i64>,
    },
    /// When the value changes.
    Column {
        /// The last row's value, one row long.
        last: Option<ArrayRef>,
    },
    /// When the file changes.
    File {
        /// The file of the last row.
        last: Option<usize>,
    },
    /// Never.
    Once,
}

/// What a cutter looks at; what its trigger does not need may be absent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CutInput<'a> {
    /// Rows of this source batch.
    pub(crate) rows: usize,
    /// Which file they are from.
    pub(crate) file: usize,
    /// Event times in microseconds.
    pub(crate) times: Option<&'a Int64Array>,
    /// The trigger column.
    pub(crate) column: Option<&'a ArrayRef>,
}

impl ColumnCutter {
    /// The cutter of a trigger.
    pub(crate) fn of(trigger: &Trigger) -> Self {
        match trigger {
            Trigger::Rows(rows) => Self::Rows { rows: rows.get(), taken: 0 },
            // A tick of arrival time is one of whatever times the cutter is given.
            Trigger::EventTime(tick) | Trigger::Arrival(tick) => {
                Self::EventTime { tick: tick.0, max: None }
            }
            Trigger::Column(_) => Self::Column { last: None },
            Trigger::File => Self::File { last: None },
            // What time cuts, the rows do not.
            Trigger::Once | Trigger::Every(_) => Self::Once,
        }
    }

    /// Borders among these rows, ascending.
    ///
    /// # Errors
    /// When the column's values cannot be compared.
    pub(crate) fn borders(&mut self, input: CutInput<'_>) -> Result<Vec<usize>, ArrowError> {
        if input.rows == 0 {
            return Ok(Vec::new());
        }
        Ok(match self {
            Self::Rows { rows, taken } => row_borders(*rows, taken, input.rows),
            Self::EventTime { tick, max } => {
                input.times.map_or_else(Vec::new, |times| tick_borders(*tick, max, times))
            }
            Self::Column { last } => match input.column {
                Some(column) => value_borders(last, column)?,
                None => Vec::new(),
            },
            Self::File { last } => {
                let changed = last.replace(input.file).is_some_and(|last| last != input.file);
                if changed { vec![0] } else { Vec::new() }
            }
            Self::Once => Vec::new(),
        })
    }
}

fn row_borders(rows: u64, taken: &mut u64, available: usize) -> Vec<usize> {
    let mut borders = Vec::new();
    let mut at = 0_u64;
    let available = available as u64;
    while available - at >= rows - *taken {
        at += rows - *taken;
        *taken = 0;
        borders.push(at as usize);
    }
    *taken += available - at;
    borders
}

fn tick_borders(tick: i64, max: &mut Option<i64>, times: &Int64Array) -> Vec<usize> {
    let opens = times.iter().map(|time| enters_tick(tick, max, time));
    opens.enumerate().filter_map(|(row, opens)| opens.then_some(row)).collect()
}

fn value_borders(last: &mut Option<ArrayRef>, column: &ArrayRef) -> Result<Vec<usize>, ArrowError> {
    let rows = column.len();
    let mut borders = Vec::new();
    if let Some(last) = last
        && distinct(last, &column.slice(0, 1))?.value(0)
    {
        borders.push(0);
    }
    if rows > 1 {
        let changed: BooleanArray =
            distinct(&column.slice(0, rows - 1), &column.slice(1, rows - 1))?;
        borders.extend(changed.values().set_indices().map(|row| row + 1));
    }
    *last = Some(column.slice(rows - 1, 1));
    Ok(borders)
}

#[cfg(test)]
#[path = "by_column_tests.rs"]
mod tests;
