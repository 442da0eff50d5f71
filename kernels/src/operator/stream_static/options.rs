//! How a join is carried out; none of it changes the answer.

use std::sync::Arc;

use crate::arch::{CacheSizes, Isa};
use crate::error::Result;
use crate::hash::KeyHasher;
use crate::memory::reservation::MemoryReservation;
use crate::named::named;
use crate::probe::SortMerge;
use crate::table::{IndexBuilder, IndexChoice};

/// Rows of a unit at least, unless the caller wants fewer: about what it takes
/// to pay for waking a thread.
const LEAST_UNIT: usize = 2048;

/// How the build side is spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// One table that every thread probes.
    #[default]
    Broadcast,
    /// Table and micro-batch are radix-partitioned by hash; a partition is
    /// joined by one thread, as a shuffle would have it.
    Partitioned,
    /// The table is sorted by key once, each unit of a micro-batch too, and the
    /// two are merged. There is no index, so that none need be chosen.
    SortMerge,
}

impl Layout {
    /// Every layout.
    pub const ALL: [Self; 3] = [Self::Broadcast, Self::Partitioned, Self::SortMerge];

    /// The name, such as `broadcast`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Broadcast => "broadcast",
            Self::Partitioned => "partitioned",
            Self::SortMerge => "sort-merge",
        }
    }

    /// Whether the table is looked up through an index, which is then chosen.
    #[must_use]
    pub fn has_index(self) -> bool {
        self != Self::SortMerge
    }
}

named!(Layout, "layout");

/// Up to which size a table is broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BroadcastLimit {
    /// Bytes of index and retained columns.
    pub bytes: usize,
    /// What becomes of a larger table.
    pub beyond: Beyond,
}

/// What becomes of a table that is too large to broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Beyond {
    /// It is partitioned. Its size is estimated before it is indexed.
    Partition,
    /// It is broadcast all the same, and the snapshot's
    /// [`notes`](crate::TableSnapshot::notes) say so.
    Note,
}

/// How a join is carried out.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the build side is spread.
    pub layout: Layout,
    /// Up to which size [`Layout::Broadcast`] holds. None: up to any.
    pub broadcast_limit: Option<BroadcastLimit>,
    /// How it is looked up; of no meaning to [`Layout::SortMerge`].
    pub index: IndexChoice,
    /// Hashes the keys.
    pub hasher: KeyHasher,
    /// The caches that tables are laid out for: into how many partitions they are
    /// split, and whether columns lie beside their keys. Where bytes are to be the
    /// same on every machine: [`CacheSizes::TYPICAL`].
    pub caches: CacheSizes,
    /// Stream rows that are joined together: a unit of work, small enough for
    /// its keys and hashes to stay in cache.
    pub probe_rows: usize,
    /// Rows of an output batch at most.
    pub max_output_rows: usize,
    /// Bytes of an output batch at most, as far as single rows allow.
    pub max_output_bytes: usize,
    /// log2 of the number of partitions; none: enough that the index of one
    /// fits the second-level cache. Used by [`Layout::Partitioned`] only.
    pub partition_bits: Option<u32>,
    /// Asked before a table grows, also for what building it takes for the time
    /// being. None: nobody is.
    pub memory: Option<Arc<dyn MemoryReservation>>,
    /// Threads to join and to build partitions with. None: the caller's thread
    /// alone.
    #[cfg(feature = "rayon")]
    pub pool: Option<Arc<rayon::ThreadPool>>,
}

impl Options {
    /// The most partitions that a table is split into, as a power of two.
    pub const MAX_PARTITION_BITS: u32 = 12;

    /// Of so few rows chance alone may put most into one partition.
    pub(super) const FEW_ROWS: usize = 64;

    /// What builds the look-up of a table for which `index` was chosen.
    pub(super) fn builder<'a>(&self, index: &'a IndexChoice) -> &'a dyn IndexBuilder {
        if self.layout.has_index() { index.builder() } else { &SortMerge }
    }

    /// Threads that join.
    #[cfg(feature = "rayon")]
    pub(super) fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// Threads that join.
    #[cfg(not(feature = "rayon"))]
    pub(super) fn threads(&self) -> usize {
        1
    }

    /// Does `work` on each of `items`, on the caller's pool if there is one and
    /// enough to do, and returns the results in order.
    ///
    /// # Errors
    /// That of the first item that fails.
    pub(super) fn run<T: Send, R: Send>(
        &self,
        items: Vec<T>,
        work: impl Fn(T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.pool
            && items.len() > 1
        {
            use rayon::prelude::*;
            // Collected whole first: the error must not depend on timing.
            let results: Vec<Result<R>> =
                pool.install(|| items.into_par_iter().map(&work).collect());
            return results.into_iter().collect();
        }
        items.into_iter().map(work).collect()
    }

    /// Rows of a unit, so that a batch of `rows` rows makes one a thread at
    /// least where that is worth it.
    pub(super) fn unit_rows(&self, rows: usize) -> usize {
        let share = rows.div_ceil(self.threads()).next_multiple_of(64);
        share.max(LEAST_UNIT).min(self.probe_rows)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            layout: Layout::default(),
            broadcast_limit: None,
            index: IndexChoice::default(),
            hasher: KeyHasher::with_seed(Isa::detect(), 0x5eed),
            caches: CacheSizes::detect(),
            probe_rows: 8192,
            max_output_rows: 8192,
            max_output_bytes: 64 << 20,
            partition_bits: None,
            memory: None,
            #[cfg(feature = "rayon")]
            pool: None,
        }
    }
}
