//! The generators by name, and the batches that they make.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use serde::{Deserialize, Serialize};

use super::rows::{Generate, Rows};
use super::{AdEvents, Dimension, Keys, Nexmark, Rate};
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
