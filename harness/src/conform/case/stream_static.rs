//! A stream joined with tables.

use serde::Deserialize;

use super::{CaseSide, Columns, Condition, Row};

/// Query and input. Fields that are information only are not read.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::conform) struct StreamStaticQuery {
    /// On which side of the first join the stream is: `left` or `right`.
    pub(in crate::conform) stream_side: CaseSide,
    /// The stream's columns.
    pub(in crate::conform) stream: Stream,
    /// The tables.
    pub(in crate::conform) dims: Vec<Dimension>,
    /// The joins, in order.
    pub(in crate::conform) joins: Vec<Join>,
    /// Rows of each input batch.
    pub(in crate::conform) micro_batches: Vec<Vec<Row>>,
    /// Whether a malformed cast fails the batch.
    #[serde(default = "yes")]
    pub(in crate::conform) ansi: bool,
}

fn yes() -> bool {
    true
}

/// The stream.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::conform) struct Stream {
    /// Its columns.
    pub(in crate::conform) schema: Columns,
}

/// A table and its versions.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::conform) struct Dimension {
    /// Name that the joins use.
    pub(in crate::conform) name: String,
    /// Its columns.
    pub(in crate::conform) schema: Columns,
    /// Rows of each version.
    pub(in crate::conform) versions: Vec<Vec<Row>>,
    /// The version that exists while an input batch runs; null is always 0.
    #[serde(default)]
    pub(in crate::conform) version_for_batch: Option<Vec<usize>>,
    /// When the table is read.
    pub(in crate::conform) refresh: Refresh,
    /// Batches between two reads under `every_n`.
    #[serde(default)]
    pub(in crate::conform) refresh_n: Option<usize>,
    /// The consequence of the fields above, spelt out.
    #[serde(default)]
    pub(in crate::conform) version_seen_by_batch: Option<Vec<usize>>,
}

/// When a table is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::conform) enum Refresh {
    /// Once, before the first batch.
    Fixed,
    /// Once, and kept.
    Cached,
    /// For each batch.
    PerBatch,
    /// For input batches 0, n, 2n, ...
    EveryN,
}

impl Dimension {
    /// The version that input batch `batch` is joined with.
    ///
    /// # Errors
    /// A description of a case that contradicts itself.
    pub(in crate::conform) fn version_seen(&self, batch: usize) -> Result<usize, String> {
        let version = match self.refresh {
            Refresh::Fixed | Refresh::Cached => self.version_at(0)?,
            Refresh::PerBatch => self.version_at(batch)?,
            Refresh::EveryN => {
                self.version_at(batch - batch % self.refresh_n.unwrap_or(1).max(1))?
            }
        };
        let seen = self.version_seen_by_batch.as_ref().and_then(|seen| seen.get(batch));
        if seen.is_some_and(|seen| *seen != version) {
            return Err(format!(
                "dimension {}: refresh {:?} gives version {version} in input batch {batch}, but version_seen_by_batch says {seen:?}",
                self.name, self.refresh
            ));
        }
        Ok(version)
    }

    /// The version that exists while input batch `batch` runs.
    ///
    /// # Errors
    /// A description of a case that contradicts itself.
    pub(in crate::conform) fn version_at(&self, batch: usize) -> Result<usize, String> {
        let version = match &self.version_for_batch {
            None => Some(0),
            Some(versions) => versions.get(batch).copied(),
        };
        version
            .filter(|version| *version < self.versions.len())
            .ok_or_else(|| format!("dimension {}: no version for input batch {batch}", self.name))
    }
}

/// One of the joins.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::conform) struct Join {
    /// Name of the table.
    pub(in crate::conform) dim: String,
    /// Join type in Spark's spelling.
    pub(in crate::conform) join_type: String,
    /// The condition.
    #[serde(flatten)]
    pub(in crate::conform) condition: Condition,
}
