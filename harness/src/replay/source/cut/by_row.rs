//! Batches of two merged streams, cut row by row.

use super::super::chunk::RowView;
use super::enters_tick;
use crate::scenario::Trigger;

/// Decides for each row, in merged order, whether it opens a batch.
#[derive(Debug)]
pub(crate) enum RowCutter {
    /// After this many rows of both streams.
    Rows { rows: u64, taken: u64 },
    /// When the running maximum of the event time enters a new tick.
    EventTime { tick: i64, max: Option<i64> },
    /// When the running maximum of the arrival time enters a new tick.
    Arrival { tick: i64, max: Option<i64> },
    /// When the value differs from that of the row before, whichever stream's.
    Column { last: Option<Vec<u8>> },
    /// When either stream goes on to its next file.
    File { last: usize },
    /// Never.
    Once,
}

impl RowCutter {
    pub(crate) fn new(trigger: &Trigger) -> Self {
        match trigger {
            Trigger::Rows(rows) => Self::Rows { rows: rows.get(), taken: 0 },
            Trigger::EventTime(tick) => Self::EventTime { tick: tick.0, max: None },
            Trigger::Arrival(tick) => Self::Arrival { tick: tick.0, max: None },
            Trigger::Column(_) => Self::Column { last: None },
            Trigger::File => Self::File { last: 0 },
            // What time cuts, the rows do not.
            Trigger::Once | Trigger::Every(_) => Self::Once,
        }
    }

    /// Whether the row opens a batch. It is asked again about a row that did.
    pub(crate) fn opens(&mut self, row: &RowView<'_>) -> bool {
        match self {
            Self::Rows { rows, taken } => {
                if *taken == *rows {
                    *taken = 0;
                    return true;
                }
                *taken += 1;
                false
            }
            Self::EventTime { tick, max } => enters_tick(*tick, max, row.time),
            Self::Arrival { tick, max } => enters_tick(*tick, max, row.arrival),
            Self::Column { last } => {
                let value = row.value.unwrap_or_default();
                let opens = last.as_ref().is_some_and(|last| last != value);
                if opens || last.is_none() {
                    *last = Some(value.to_vec());
                }
                opens
            }
            Self::File { last } => {
                let opens = row.file > *last;
                *last = (*last).max(row.file);
                opens
            }
            Self::Once => false,
        }
    }
}

#[cfg(test)]
#[path = "by_row_tests.rs"]
mod tests;
