//! How a join runs; none of it changes which rows come out.

use std::sync::Arc;

use crate::arch::{CacheSizes, Isa};
use crate::cancellation::Cancellation;
use crate::error::{JoinError, Result};
use crate::hash::KeyHasher;
use crate::memory::reservation::MemoryReservation;
use crate::named::named;
use crate::probe::SortMerge;
use crate::table::{CheckedBuilder, IndexChoice};

/// Rows of a unit at least, unless the caller wants fewer: about as many as make
/// waking a thread worthwhile. Not measured.
const LEAST_UNIT: usize = 2048;

/// How the build side is spread over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// One table that every thread probes.
    #[default]
    Broadcast,
    /// Table and micro-batch are radix-partitioned by hash; a partition is
    /// joined by one thread, as after a shuffle.
    Partitioned,
    /// The table is sorted by key once, each unit of a micro-batch too, and the
    /// two are merged. There is no index.
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

/// In which order the output of a batch comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutputOrder {
    /// As it is found, which is the fastest. It depends on the options, the
    /// snapshot and the batch, not on the timing of threads. Nothing else is
    /// promised: rows of the stream come in any order, the matches of a row need
    /// not be together, and rows without a match need not be in their place.
    #[default]
    Any,
    /// By row of the stream: all matches of a row together, a row without a match
    /// in its place. The matches of a row are in any order, the same one
    /// whatever the timing of threads. It costs a sort of the matches of each unit
    /// where they are not in order as they come, and, where rows have many
    /// matches, some look-ups that are made twice.
    Stream,
}

impl OutputOrder {
    /// Every order.
    pub const ALL: [Self; 2] = [Self::Any, Self::Stream];

    /// The name, such as `stream`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Stream => "stream",
        }
    }
}

named!(OutputOrder, "order of output");

/// Up to which size a table is broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct BroadcastLimit {
    /// Bytes of index and retained columns.
    pub bytes: usize,
    /// What happens to a larger table.
    pub beyond: Beyond,
}

impl BroadcastLimit {
    /// Tables of up to `bytes` bytes are broadcast; this happens to a larger one.
    #[must_use]
    pub fn new(bytes: usize, beyond: Beyond) -> Self {
        Self { bytes, beyond }
    }
}

/// What happens to a table that is too large to broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Beyond {
    /// It is partitioned. Its size is estimated before it is indexed.
    Partition,
    /// It is broadcast nevertheless, and the snapshot's
    /// [`notes`](crate::TableSnapshot::notes) say so.
    Note,
}

/// How a join runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How the build side is spread over threads.
    pub layout: Layout,
    /// Up to which size [`Layout::Broadcast`] applies. None: up to any.
    pub broadcast_limit: Option<BroadcastLimit>,
    /// How it is looked up; [`Layout::SortMerge`] ignores it.
    pub index: IndexChoice,
    /// Hashes the keys.
    pub hasher: KeyHasher,
    /// The caches that tables are laid out for: they decide into how many
    /// partitions a table is split, and whether columns lie next to their keys.
    /// [`CacheSizes::TYPICAL`] gives the same bytes on every machine.
    pub caches: CacheSizes,
    /// Stream rows that are joined together: a unit of work, small enough for
    /// its keys and hashes to stay in cache.
    pub probe_rows: usize,
    /// In which order the output of a batch comes.
    pub output_order: OutputOrder,
    /// The most rows of an output batch.
    pub max_output_rows: usize,
    /// The most bytes of an output batch, as far as single rows allow.
    pub max_output_bytes: usize,
    /// log2 of the number of partitions; none: enough that the index of one
    /// fits the second-level cache. Used by [`Layout::Partitioned`] only.
    pub partition_bits: Option<u32>,
    /// Asked before a table grows, and for the temporary memory of its build.
    /// None: memory is not accounted for.
    pub memory: Option<Arc<dyn MemoryReservation>>,
    /// Ends builds of tables: looked at between batches and partitions, and every
    /// some ten thousand rows while an index is built. Batches that are pushed do
    /// not look at it: to end one, drop its cursor.
    ///
    /// Clones of the options share it, and once cancelled it stays so: every later
    /// build of the join ends too. To end single builds, build each with a join of
    /// its own, of a clone of the specification and of the options but this one;
    /// planning one is cheap, and its snapshots can be swapped in here.
    pub cancellation: Cancellation,
    /// Threads to join and to build partitions with. None: the caller's thread
    /// alone.
    #[cfg(feature = "rayon")]
    pub pool: Option<Arc<rayon::ThreadPool>>,
}

impl Options {
    /// The most partitions that a table is split into, as a power of two.
    pub const MAX_PARTITION_BITS: u32 = 12;

    /// Up to this many rows, chance alone may put most of them into one
    /// partition.
    pub(super) const FEW_ROWS: usize = 64;

    /// With this layout.
    #[must_use]
    pub fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// With this limit on [`Layout::Broadcast`], or none.
    #[must_use]
    pub fn with_broadcast_limit(self, limit: impl Into<Option<BroadcastLimit>>) -> Self {
        Self { broadcast_limit: limit.into(), ..self }
    }

    /// With this choice of an index: an [`IndexKind`](crate::IndexKind), an
    /// [`AutoIndex`](crate::table::auto::AutoIndex), an own one.
    #[must_use]
    pub fn with_index(self, index: impl Into<IndexChoice>) -> Self {
        Self { index: index.into(), ..self }
    }

    /// With keys hashed by this.
    #[must_use]
    pub fn with_hasher(self, hasher: KeyHasher) -> Self {
        Self { hasher, ..self }
    }

    /// With tables laid out for caches of these sizes.
    #[must_use]
    pub fn with_caches(self, caches: CacheSizes) -> Self {
        Self { caches, ..self }
    }

    /// With units of as many stream rows.
    #[must_use]
    pub fn with_probe_rows(self, probe_rows: usize) -> Self {
        Self { probe_rows, ..self }
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

    /// With two to this power partitions, or as many as fit the cache.
    #[must_use]
    pub fn with_partition_bits(self, partition_bits: impl Into<Option<u32>>) -> Self {
        Self { partition_bits: partition_bits.into(), ..self }
    }

    /// With this account of memory.
    #[must_use]
    pub fn with_memory(self, memory: Arc<dyn MemoryReservation>) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// With the threads of this pool, or the caller's thread alone.
    #[cfg(feature = "rayon")]
    #[must_use]
    pub fn with_pool(self, pool: impl Into<Option<Arc<rayon::ThreadPool>>>) -> Self {
        Self { pool: pool.into(), ..self }
    }

    /// With builds that end when this is cancelled.
    #[must_use]
    pub fn with_cancellation(self, cancellation: Cancellation) -> Self {
        Self { cancellation, ..self }
    }

    /// With output in this order.
    #[must_use]
    pub fn with_output_order(self, output_order: OutputOrder) -> Self {
        Self { output_order, ..self }
    }

    /// # Errors
    /// [`JoinError::InvalidPlan`] for numbers out of range,
    /// [`JoinError::IsaUnavailable`] for an instruction set that this machine
    /// lacks.
    pub(super) fn check(&self) -> Result<()> {
        self.hasher.isa().require()?;
        for (name, value) in
            [("probe_rows", self.probe_rows), ("max_output_rows", self.max_output_rows)]
        {
            if !(1..=1 << 30).contains(&value) {
                return Err(JoinError::InvalidPlan(format!(
                    "{name} must be between 1 and 2^30, not {value}"
                )));
            }
        }
        if self.partition_bits.is_some_and(|bits| bits > Self::MAX_PARTITION_BITS) {
            return Err(JoinError::InvalidPlan(format!(
                "partition_bits must be at most {}",
                Self::MAX_PARTITION_BITS
            )));
        }
        Ok(())
    }

    /// What builds the look-up of a table for which `index` was chosen.
    pub(super) fn builder<'a>(&self, index: &'a IndexChoice) -> CheckedBuilder<'a> {
        if self.layout.has_index() { index.checked() } else { CheckedBuilder::trusted(&SortMerge) }
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

    /// Runs `work` on each of `items`, on the caller's pool if there is one and
    /// more than one item, and collects the results in order: in a `Result`, which
    /// is the first error if there is one, or each.
    pub(super) fn run<T: Send, R: Send, C: FromIterator<Result<R>>>(
        &self,
        items: Vec<T>,
        work: impl Fn(T) -> Result<R> + Sync,
    ) -> C {
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

    /// Rows of a unit, such that a batch of `rows` rows makes at least one unit
    /// per thread where that is worthwhile.
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
            output_order: OutputOrder::default(),
            max_output_rows: 8192,
            max_output_bytes: 64 << 20,
            partition_bits: None,
            memory: None,
            cancellation: Cancellation::default(),
            #[cfg(feature = "rayon")]
            pool: None,
        }
    }
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
