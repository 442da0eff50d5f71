//! A Bloom filter in front of an index: one word mostly shows that a row matches
//! nothing, before the index is touched.
//!
//! ```text
//! words        [0] ..1....1   [1] .1..11.1   [2] ....1...   ...   64 bits each
//!
//! insert key   its hash names word 1 and four bits of it, here 1, 4, 5, 7: all are set
//! look up      the hash of another key names word 1 and bits 1, 2, 4, 7: bit 2 is
//!              unset, so it is not in the table; were all four set, it may be, and
//!              the index is asked
//! ```
//!
//! The filter is register-blocked: all bits of a key lie in one 64-bit word
//! (Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom filters",
//! WEA 2007; Lang, Neumann, Kemper, Boncz, "Performance-optimal filtering",
//! VLDB 2019). It pays where most probe rows miss and the index is above the
//! last-level cache, as the filter is a fraction of its size.

#[cfg(test)]
mod tests;

use arrow::buffer::{BooleanBuffer, Buffer as ArrowBuffer};

use super::build::{BuildInput, BuiltIndex, IndexBuilder};
use super::kind::IndexKind;
use super::{FindCursor, JoinIndex, Probe};
use crate::arch::{CacheSizes, Isa, bloom_bits, bloom_passing, prefetch_read};
use crate::error::Result;
use crate::key::KeyView;
use crate::memory::Buffer;
use crate::pairs::Pairs;

/// Bits of the filter per build row: about 3 % of other keys pass; the tests
/// check the limit. More bits let fewer pass, but leave the cache sooner; the speed of other
/// sizes was not measured.
const BITS_PER_ROW: usize = 10;
/// How far ahead of its use a word is prefetched.
/// The prototype of this crate found 16 to 64 best; not measured here.
const AHEAD: usize = 32;
/// Rows that are looked at together, at least, however few pairs are asked for. Not
/// measured.
const MIN_WINDOW: usize = 1024;

/// Builds another index with a Bloom filter in front of it. To choose it, hand
/// it to a join as [`IndexChoice::Own`](super::IndexChoice::Own).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FilteredBuilder<B = IndexKind> {
    /// What builds the index that the rows that pass are looked up in.
    pub inner: B,
}

impl<B> FilteredBuilder<B> {
    /// A filter in front of what `inner` builds.
    #[must_use]
    pub fn new(inner: B) -> Self {
        Self { inner }
    }
}

impl<B: IndexBuilder> IndexBuilder for FilteredBuilder<B> {
    fn name(&self) -> &'static str {
        "filtered"
    }

    fn estimated_bytes(&self, keys: KeyView<'_>) -> usize {
        self.inner.estimated_bytes(keys).saturating_add(keys.len() * BITS_PER_ROW / 8)
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        let built = self.inner.build(input)?;
        input.check_cancelled()?;
        let filter = BloomFilter::new(input.isa, input.hashes);
        Ok(BuiltIndex { index: Box::new(Filtered { filter, inner: built.index }), ..built })
    }
}

/// A register-blocked Bloom filter over hashes.
#[derive(Debug)]
struct BloomFilter {
    isa: Isa,
    words: Buffer<u64>,
    prefetch: bool,
}

impl BloomFilter {
    fn new(isa: Isa, hashes: &[u64]) -> Self {
        let mut words = Buffer::<u64>::zeroed((hashes.len() * BITS_PER_ROW).div_ceil(64).max(1));
        let len = words.len();
        for (row, &hash) in hashes.iter().enumerate() {
            if let Some(&ahead) = hashes.get(row + AHEAD) {
                prefetch_read(&words, bloom_bits(ahead, len).0);
            }
            let (word, bits) = bloom_bits(hash, len);
            words[word] |= bits;
        }
        let prefetch = words.bytes() > CacheSizes::detect().l2;
        Self { isa, words, prefetch }
    }

    /// Which rows of a probe may match: those of a window may not, where the
    /// filter says so; it says nothing about the others. `None` if most rows of the
    /// window pass: then the index is faster without.
    fn passing(&self, probe: Probe<'_>, from: usize, window: usize) -> Option<BooleanBuffer> {
        let from = from.min(probe.len()) / 64 * 64;
        let to = from.saturating_add(window).min(probe.len());
        let mut bits = vec![u64::MAX; probe.len().div_ceil(64)];
        let hashes = &probe.hashes()[from..to];
        let within = &mut bits[from / 64..to.div_ceil(64)];
        let passed = bloom_passing(self.isa, &self.words, self.prefetch, hashes, within);
        if to < probe.len() && !to.is_multiple_of(64) {
            // The rows after the window in its last word.
            within[within.len() - 1] |= u64::MAX << (to % 64);
        }
        if passed * 2 > to - from {
            return None;
        }
        let bits = BooleanBuffer::new(ArrowBuffer::from_vec(bits), 0, probe.len());
        Some(probe.matchable().map_or_else(|| bits.clone(), |matchable| matchable & &bits))
    }
}

/// An index behind a filter.
#[derive(Debug)]
struct Filtered {
    filter: BloomFilter,
    inner: Box<dyn JoinIndex>,
}

impl Filtered {
    fn with_passing<T>(
        &self,
        probe: Probe<'_>,
        (from, window): (usize, usize),
        look_up: impl FnOnce(Probe<'_>) -> T,
    ) -> T {
        match self.filter.passing(probe, from, window) {
            None => look_up(probe),
            Some(passing) => look_up(Probe::new(probe.keys(), probe.hashes(), Some(&passing))),
        }
    }
}

impl JoinIndex for Filtered {
    fn name(&self) -> &'static str {
        "filtered"
    }

    fn rows(&self) -> usize {
        self.inner.rows()
    }

    fn positions(&self) -> usize {
        self.inner.positions()
    }

    fn bytes(&self) -> usize {
        self.filter.words.bytes().saturating_add(self.inner.bytes())
    }

    fn touched_arrays(&self) -> Vec<usize> {
        let filter = std::iter::once(self.filter.words.bytes());
        filter.chain(self.inner.touched_arrays()).collect()
    }

    fn unique(&self) -> Option<bool> {
        self.inner.unique()
    }

    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) -> u64 {
        self.with_passing(probe, (0, probe.len()), |probe| self.inner.first_match(probe, matches))
    }

    fn exists(&self, probe: Probe<'_>, found: &mut [u64]) {
        self.with_passing(probe, (0, probe.len()), |probe| self.inner.exists(probe, found));
    }

    fn find(
        &self,
        probe: Probe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64 {
        // Rows in the cursor have passed before. A call that asks for few pairs
        // filters few rows, or a batch would be filtered over and over.
        let from = if cursor.more_parts { 0 } else { cursor.next_row };
        let room = limit.saturating_sub(pairs.len());
        let window = room.saturating_mul(16).max(MIN_WINDOW).min(probe.len());
        self.with_passing(probe, (from, window), |probe| {
            self.inner.find(probe, cursor, pairs, limit)
        })
    }
}
