//! Streams and tables made by a formula: the same seed gives the same rows, in
//! batches of any size. A new generator is a file here and a variant.

mod ad_events;
mod dimension;
mod held_back;
mod keys;
mod nexmark;
mod permutation;
mod random;
mod rate;
mod zipf;

use arrow::array::RecordBatch;
use arrow::compute::kernels::cast_utils::string_to_datetime;
use arrow::datatypes::SchemaRef;
use chrono::Utc;
use serde::{Deserialize, Serialize};

pub use ad_events::{AdEvents, AdStream};
pub use dimension::Dimension;
pub use keys::Keys;
pub use nexmark::{Nexmark, NexmarkStream};
pub use rate::Rate;

use crate::error::{DatasetError, Result};

/// A generator and its settings, as written in a scenario:
/// `generator = { kind = "rate", rows_per_second = 5 }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Generator {
    /// Spark's rate source.
    Rate(Rate),
    /// A stream of keys with a hit rate and a skew.
    Keys(Keys),
    /// The table that [`Keys`] of the same seed hit.
    Dimension(Dimension),
    /// Ad impressions, or the clicks on them.
    AdEvents(AdEvents),
    /// Persons, auctions or bids of an auction site.
    Nexmark(Nexmark),
}

/// What each generator does.
pub(crate) trait Generate {
    fn schema(&self) -> SchemaRef;

    /// Rows in all; `None` = without end.
    fn rows(&self) -> Option<u64>;

    /// Checks the settings.
    fn check(&self) -> Result<()>;

    /// Makes whatever rows need, once: `Box` of a function from a row number
    /// and a row count to the rows. Only called when `check` passed.
    fn prepare(&self) -> Box<dyn Rows>;
}

/// Makes rows `first..first + rows`; asked for without gaps, from 0 on.
pub(crate) trait Rows: Send {
    fn rows(&mut self, first: u64, rows: usize) -> Result<RecordBatch>;
}

impl Generator {
    fn inner(&self) -> &dyn Generate {
        match self {
            Generator::Rate(rate) => rate,
            Generator::Keys(keys) => keys,
            Generator::Dimension(dimension) => dimension,
            Generator::AdEvents(events) => events,
            Generator::Nexmark(events) => events,
        }
    }

    /// The columns.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.inner().schema()
    }

    /// Rows in all; `None` = without end.
    #[must_use]
    pub fn rows(&self) -> Option<u64> {
        self.inner().rows()
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// The setting that makes no sense.
    pub fn check(&self) -> Result<()> {
        self.inner().check()
    }

    /// The rows, made as they are asked for, in batches of `batch_rows`.
    /// Settings that make no sense come as the first item.
    #[must_use]
    pub fn read(&self, batch_rows: usize) -> GeneratedBatches {
        let state = match self.check() {
            Ok(()) => State::Ready(self.inner().prepare()),
            Err(error) => State::Refused(error),
        };
        let schema = self.schema();
        GeneratedBatches {
            schema,
            state,
            next: 0,
            rows: self.rows(),
            batch_rows: batch_rows.max(1),
        }
    }
}

/// The batches of a [`Generator`].
pub struct GeneratedBatches {
    schema: SchemaRef,
    state: State,
    next: u64,
    rows: Option<u64>,
    batch_rows: usize,
}

enum State {
    Ready(Box<dyn Rows>),
    Refused(DatasetError),
    Done,
}

impl GeneratedBatches {
    /// The columns.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

impl std::fmt::Debug for GeneratedBatches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GeneratedBatches")
            .field("next", &self.next)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl Iterator for GeneratedBatches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Done => None,
            State::Refused(error) => Some(Err(error)),
            State::Ready(mut made) => {
                let left = self.rows.map_or(u64::MAX, |rows| rows.saturating_sub(self.next));
                if left == 0 {
                    return None;
                }
                let count = left.min(self.batch_rows as u64);
                let batch = made.rows(self.next, count as usize);
                self.next += count;
                if batch.is_ok() {
                    self.state = State::Ready(made);
                }
                Some(batch)
            }
        }
    }
}

/// A setting that is a timestamp, in microseconds.
fn parse_start(kind: &'static str, text: &str) -> Result<i64> {
    let wrong = |message: String| DatasetError::Generator { kind, field: "start", message };
    let time = string_to_datetime(&Utc, text).map_err(|_| {
        wrong(format!("`{text}` is not a timestamp; write it as `2024-01-01T00:00:00Z`"))
    })?;
    Ok(time.timestamp_micros())
}

/// Where generated time starts unless told otherwise.
fn default_start() -> String {
    "2024-01-01T00:00:00Z".to_owned()
}

/// Time of row `row`, in microseconds.
fn time_of(start: i64, row: u64, rows_per_second: u64) -> i64 {
    let micros = u128::from(row) * 1_000_000 / u128::from(rows_per_second.max(1));
    start.saturating_add(i64::try_from(micros).unwrap_or(i64::MAX))
}

/// Refuses a rate of no rows, and times beyond what a timestamp holds.
fn check_clock(
    kind: &'static str,
    start: &str,
    (field, rate): (&'static str, u64),
    rows: Option<u64>,
) -> Result<()> {
    let start = parse_start(kind, start)?;
    if rate == 0 {
        let message = "must be at least 1".to_owned();
        return Err(DatasetError::Generator { kind, field, message });
    }
    if rows.is_some_and(|rows| time_of(start, rows, rate) == i64::MAX) {
        let message =
            "is too low for so many rows: the last would lie beyond year 292277".to_owned();
        return Err(DatasetError::Generator { kind, field, message });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
