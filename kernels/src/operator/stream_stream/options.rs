//! How a stream-stream join runs; none of it changes the answer.

use std::sync::Arc;

use crate::arch::Isa;
use crate::error::{JoinError, Result};
use crate::hash::KeyHasher;
use crate::memory::reservation::MemoryReservation;
use crate::state::{BlockOptions, StoreKind};

/// How much state a join may have. It is checked before a batch is stored: one
/// that would exceed it is refused, and changes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateLimit {
    /// Rows of both sides together that a batch leaves in state. In semi and anti
    /// joins, rows that the batch will match count as well.
    pub rows: Option<u64>,
    /// Bytes of both sides together while a batch is stored: what is held before
    /// and, at most, what its rows add. What leaves with the batch counts as well.
    pub bytes: Option<usize>,
}

impl StateLimit {
    /// With at most as many rows, or any number.
    #[must_use]
    pub fn with_rows(self, rows: impl Into<Option<u64>>) -> Self {
        Self { rows: rows.into(), ..self }
    }

    /// With at most as many bytes, or any number.
    #[must_use]
    pub fn with_bytes(self, bytes: impl Into<Option<usize>>) -> Self {
        Self { bytes: bytes.into(), ..self }
    }
}

/// How a stream-stream join runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How the rows of a side are stored.
    pub store: StoreKind,
    /// How a store that keeps blocks cuts them.
    pub blocks: BlockOptions,
    /// Hashes the keys.
    pub hasher: KeyHasher,
    /// The most rows of an output batch.
    pub max_output_rows: usize,
    /// The most bytes of an output batch, as far as single rows allow.
    pub max_output_bytes: usize,
    /// The most state that is allowed; none by default.
    pub limit: StateLimit,
    /// Asked before the state grows, and told when it shrinks; the rows of the
    /// batch at hand do not count. What a store needs for a moment to give memory
    /// back is asked for when it is taken already.
    pub memory: Option<Arc<dyn MemoryReservation>>,
    /// Parts that the state is cut into by the keys' hash; a part of a batch is
    /// joined by one thread, so fewer parts than threads leave some idle. None:
    /// as many as there are threads. The order of the output depends on it.
    pub partitions: Option<usize>,
    /// Threads to join with; the caller's own thread takes the place of one of
    /// them. None: the caller's thread alone. A batch takes microseconds, so it
    /// is joined fastest from a thread of the pool (rayon's
    /// `use_current_thread`, or inside `install`), which does not sleep while
    /// the others work. As always with rayon, a waiting thread of a pool may run
    /// other work of that pool.
    #[cfg(feature = "rayon")]
    pub pool: Option<Arc<rayon::ThreadPool>>,
}

impl Options {
    /// The most parts that the state is cut into.
    pub const MAX_PARTITIONS: usize = 1 << 12;

    /// With rows stored in this way.
    #[must_use]
    pub fn with_store(self, store: StoreKind) -> Self {
        Self { store, ..self }
    }

    /// With blocks cut in this way.
    #[must_use]
    pub fn with_blocks(self, blocks: BlockOptions) -> Self {
        Self { blocks, ..self }
    }

    /// With keys hashed by this.
    #[must_use]
    pub fn with_hasher(self, hasher: KeyHasher) -> Self {
        Self { hasher, ..self }
    }

    /// With output batches of at most as many rows.
    #[must_use]
    pub fn with_max_output_rows(self, max_output_rows: usize) -> Self {
        Self { max_output_rows, ..self }
    }

    /// With output batches of at most as many bytes.
    #[must_use]
    pub fn with_max_output_bytes(self, max_output_bytes: usize) -> Self {
        Self { max_output_bytes, ..self }
    }

    /// With this limit on the state.
    #[must_use]
    pub fn with_limit(self, limit: StateLimit) -> Self {
        Self { limit, ..self }
    }

    /// With this account of memory.
    #[must_use]
    pub fn with_memory(self, memory: Arc<dyn MemoryReservation>) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// With the state cut into as many parts, or one per thread.
    #[must_use]
    pub fn with_partitions(self, partitions: impl Into<Option<usize>>) -> Self {
        Self { partitions: partitions.into(), ..self }
    }

    /// With the threads of this pool, or the caller's thread alone.
    #[cfg(feature = "rayon")]
    #[must_use]
    pub fn with_pool(self, pool: impl Into<Option<Arc<rayon::ThreadPool>>>) -> Self {
        Self { pool: pool.into(), ..self }
    }

    /// Parts that the state is cut into.
    pub(super) fn partitions(&self) -> usize {
        #[cfg(feature = "rayon")]
        let threads = self.pool.as_ref().map_or(1, |pool| pool.current_num_threads());
        #[cfg(not(feature = "rayon"))]
        let threads = 1;
        self.partitions.unwrap_or(threads.min(Self::MAX_PARTITIONS))
    }

    /// # Errors
    /// [`JoinError::InvalidPlan`] for numbers out of range.
    pub(super) fn check(&self) -> Result<()> {
        let numbers = [
            ("max_output_rows", self.max_output_rows, 1 << 30),
            ("blocks.rows", self.blocks.rows, BlockOptions::MAX_ROWS),
            ("partitions", self.partitions(), Self::MAX_PARTITIONS),
        ];
        for (name, number, most) in numbers {
            if !(1..=most).contains(&number) {
                return Err(JoinError::InvalidPlan(format!(
                    "{name} must be between 1 and {most}, not {number}"
                )));
            }
        }
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            store: StoreKind::default(),
            blocks: BlockOptions::default(),
            hasher: KeyHasher::with_seed(Isa::detect(), 0x5eed),
            max_output_rows: 8192,
            max_output_bytes: 64 << 20,
            limit: StateLimit::default(),
            memory: None,
            partitions: None,
            #[cfg(feature = "rayon")]
            pool: None,
        }
    }
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
