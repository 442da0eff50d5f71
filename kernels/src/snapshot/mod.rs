//! An immutable version of a table with its index.

mod built_for;

use std::sync::Arc;
use std::time::Duration;

pub(crate) use self::built_for::BuiltFor;
use crate::memory::Reserved;
use crate::probe::Payload;
use crate::table::CheckedIndex;

/// One version of a table, indexed. Immutable and `Send + Sync`:
/// share it behind an `Arc` and swap it between batches. It serves the join that
/// built it and others of an equal specification and hasher; it knows what it was
/// built for, and a join refuses one that was built for something else.
///
/// ```
/// # use std::sync::Arc;
/// # use streamjoin_kernels::arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// # use streamjoin_kernels::{JoinType, Result};
/// # use streamjoin_kernels::stream_static;
/// # fn main() -> Result<()> {
/// let ids = Arc::new(Int64Array::from(vec![Some(1), None, Some(2)])) as ArrayRef;
/// let table = RecordBatch::try_from_iter([("id", ids)])?;
/// let keys = [("id", "id")];
/// let spec = stream_static::Spec::on(table.schema(), table.schema(), JoinType::LeftOuter, keys)?;
/// let join = stream_static::Join::new(spec, stream_static::Options::default())?;
/// let snapshot = join.build(&[table], 7)?;
/// assert_eq!((snapshot.version(), snapshot.rows(), snapshot.indexed_rows()), (7, 3, 2));
/// assert!(snapshot.unique_keys() && snapshot.notes().is_empty());
/// println!("{} bytes in `{}`", snapshot.bytes(), snapshot.index_name());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TableSnapshot {
    parts: SnapshotParts,
}

/// What a snapshot is made of.
#[derive(Debug)]
pub(crate) struct SnapshotParts {
    pub(crate) built_for: Arc<BuiltFor>,
    pub(crate) version: u64,
    /// Rows of the table, those that can match nothing included.
    pub(crate) rows: usize,
    pub(crate) partitions: Vec<Part>,
    /// log2 of the number of partitions.
    pub(crate) partition_bits: u32,
    /// The retained columns, in the plan's order.
    pub(crate) payload: Payload,
    pub(crate) unique: bool,
    pub(crate) build_time: Duration,
    /// What is unusual about it, for people.
    pub(crate) notes: Vec<String>,
    /// What index and payload hold of the caller's memory.
    pub(crate) memory: Reserved,
}

/// An index over the rows from `first_row` on.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) index: CheckedIndex,
    pub(crate) first_row: u32,
}

impl SnapshotParts {
    /// Bytes held by index and retained columns.
    pub(crate) fn bytes(&self) -> usize {
        self.index_bytes().saturating_add(self.payload.bytes())
    }

    fn index_bytes(&self) -> usize {
        // An index of the caller's may say anything.
        self.partitions.iter().map(|part| part.index.bytes()).fold(0, usize::saturating_add)
    }
}

impl TableSnapshot {
    pub(crate) fn new(parts: SnapshotParts) -> Self {
        Self { parts }
    }

    pub(crate) fn parts(&self) -> &SnapshotParts {
        &self.parts
    }

    /// Rows of the table, also those that can match nothing (a null key, a
    /// failed filter) and are not retained.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.parts.rows
    }

    /// Rows that can be found.
    #[must_use]
    pub fn indexed_rows(&self) -> usize {
        self.parts.partitions.iter().map(|part| part.index.rows()).sum()
    }

    /// The version number that the caller passed.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.parts.version
    }

    /// Bytes held by index and retained columns.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.parts.bytes()
    }

    /// Bytes held by the index, its copy of the keys included.
    #[must_use]
    pub fn index_bytes(&self) -> usize {
        self.parts.index_bytes()
    }

    /// Bytes held by the retained columns.
    #[must_use]
    pub fn payload_bytes(&self) -> usize {
        self.parts.payload.bytes()
    }

    /// The peak of memory while building, temporary arrays included, as far as
    /// the index reports it: the most that a
    /// [`MemoryReservation`](crate::MemoryReservation) was asked for at any time.
    #[must_use]
    pub fn peak_build_bytes(&self) -> usize {
        self.parts.memory.peak()
    }

    /// What is unusual: another index than the one asked for, partitions that
    /// keys do not spread over. For people.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.parts.notes
    }

    /// How long the build took, encoding of keys included.
    #[must_use]
    pub fn build_time(&self) -> Duration {
        self.parts.build_time
    }

    /// The name of the index.
    #[must_use]
    pub fn index_name(&self) -> &'static str {
        self.parts.partitions.first().map_or("none", |part| part.index.name())
    }

    /// Number of partitions; 1 for a broadcast table.
    #[must_use]
    pub fn partitions(&self) -> usize {
        self.parts.partitions.len()
    }

    /// Whether no two rows that can be found have the same key.
    #[must_use]
    pub fn unique_keys(&self) -> bool {
        self.parts.unique
    }
}
