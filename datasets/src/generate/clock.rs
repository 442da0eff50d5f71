//! The event time of generated rows.

use arrow::compute::kernels::cast_utils::string_to_datetime;
use chrono::Utc;

use crate::error::{DatasetError, Result};

/// A setting that is a timestamp, in microseconds.
pub(super) fn parse_start(kind: &'static str, text: &str) -> Result<i64> {
    let time = string_to_datetime(&Utc, text).map_err(|_| {
        let message = format!("`{text}` is not a timestamp; write it as `2024-01-01T00:00:00Z`");
        DatasetError::generator(kind, "start", message)
    })?;
    Ok(time.timestamp_micros())
}

/// Time of row `row`, in microseconds.
pub(super) fn time_of(start: i64, row: u64, rows_per_second: u64) -> i64 {
    let micros = u128::from(row) * 1_000_000 / u128::from(rows_per_second.max(1));
    start.saturating_add(i64::try_from(micros).unwrap_or(i64::MAX))
}

/// Refuses a rate of no rows, and times beyond what a timestamp holds.
pub(super) fn check_clock(
    kind: &'static str,
    start: &str,
    (field, rate): (&'static str, u64),
    rows: Option<u64>,
) -> Result<()> {
    let start = parse_start(kind, start)?;
    if rate == 0 {
        return Err(DatasetError::generator(kind, field, "must be at least 1"));
    }
    if rows.is_some_and(|rows| time_of(start, rows, rate) == i64::MAX) {
        let message = "is too low for this many rows: the last would lie beyond year 292277";
        return Err(DatasetError::generator(kind, field, message));
    }
    Ok(())
}
