//! Heads and next-row links: a bucket's head names its first row, each row
//! names the next one of its bucket.
//!
//! ```text
//! build rows   0: 7    1: 4    2: 7    3: 9        bucket of 7 and 9: 1, of 4: 2
//!
//! heads        entries (key, next)
//! [0]  0       [0]  -   -         a row's entry is number row + 1; 0 ends a chain
//! [1]  1 ----> [1]  7   3 --.
//! [2]  2 ----> [2]  4   0   |
//! [3]  0       [3]  7   4 <-'-.
//!              [4]  9   0 <---'
//!
//! build        from the last row to the first: row 0 links to the head of its
//!              bucket, 3, and becomes the head, 1; so chains list rows in order
//! look up 9    heads[1] = 1: 7 is not 9; next 3: 7 is not 9; next 4: a match,
//!              row 3; next 0: done
//! ```
//!
//! The look-up works on selection vectors (Boncz, Zukowski, Nes, "MonetDB/X100",
//! CIDR 2005): a block of rows is hashed and its heads are fetched, then all
//! rows that have a candidate left take one step along their chains together,
//! so that the cache misses of a block overlap.

use super::build::{BuildInput, BuiltIndex};
use super::index_kind::{KeyForm, KindOfIndex, NotBuilt};
use super::store::KeyStore;
use super::{FindCursor, JoinIndex, Probe};
use crate::arch::{CacheSizes, prefetch_read};
use crate::error::Result;
use crate::memory::Buffer;
use crate::pairs::{NO_ROW, Pairs};

/// Probe rows in flight together: enough to hide memory latency, few enough that
/// their state stays in the first-level cache. With blocks
/// this small and entries of one cache line, look-ups became 1.5 to 1.9 times
/// faster (interleaved runs at the time); other sizes are not on record.
const BLOCK: usize = 128;
/// How far ahead of its use a head is prefetched when building.
/// The prototype of this crate found 16 to 64 best; not measured here.
const AHEAD: usize = 32;

/// The index as [`IndexKind`](super::IndexKind) builds it.
pub(super) struct Kind;

impl KindOfIndex for Kind {
    const NAME: &'static str = "chained";

    fn row_bytes(entry: usize) -> usize {
        // Entry and up to two heads.
        entry + 8
    }

    fn build<F: KeyForm>(input: BuildInput<'_>) -> Result<BuiltIndex, NotBuilt> {
        let store = F::Store::new(input.keys, input.hashes);
        Ok(BuiltIndex::in_row_order(Chained::new(store, &input)?))
    }
}

/// The index; entries are numbered from 1, 0 ends a chain.
#[derive(Debug)]
struct Chained<S> {
    store: S,
    heads: Buffer<u32>,
    /// Whether to prefetch: it pays only where the table exceeds the cache.
    prefetch: bool,
}

impl<S: KeyStore> Chained<S> {
    fn new(mut store: S, input: &BuildInput<'_>) -> Result<Self> {
        let (hashes, rows) = (input.hashes, input.hashes.len());
        assert_eq!(store.entries(), rows + 1, "one hash per key");
        // One head per row at most: load factor at most 1.
        let mut heads = Buffer::<u32>::zeroed(rows.max(1).next_power_of_two());
        let mask = heads.len() - 1;
        // From the last row to the first, so that chains list rows in order.
        for stretch in input.stretches().rev() {
            for row in stretch?.rev() {
                if row >= AHEAD {
                    prefetch_read(&heads, hashes[row - AHEAD] as usize & mask);
                }
                let entry = row as u32 + 1;
                let head = &mut heads[hashes[row] as usize & mask];
                store.link(entry, *head);
                *head = entry;
            }
        }
        let touched = heads.bytes() + store.bytes();
        Ok(Self { store, heads, prefetch: touched > CacheSizes::detect().l2 / 2 })
    }

    /// Puts the rows of a block that have a candidate into `rows` and
    /// `candidates`, which are as long as the block, and returns their number.
    #[inline]
    fn start_block(
        &self,
        probe: Probe<'_>,
        from: usize,
        rows: &mut [u32],
        candidates: &mut [u32],
    ) -> usize {
        let hashes = &probe.hashes()[from..from + rows.len()];
        let mask = self.heads.len() - 1;
        // Rows that may not match touch nothing: behind a filter these are most rows.
        let listed = match probe.matchable {
            None => {
                rows.iter_mut().zip(from as u32..).for_each(|(to, row)| *to = row);
                rows.len()
            }
            Some(matchable) => {
                let mut listed = 0;
                for i in 0..rows.len() {
                    rows[listed] = (from + i) as u32;
                    listed += usize::from(matchable.value(from + i));
                }
                listed
            }
        };
        if self.prefetch {
            for &row in &rows[..listed] {
                prefetch_read(&self.heads, hashes[row as usize - from] as usize & mask);
            }
        }
        let mut count = 0;
        for i in 0..listed {
            // SAFETY: `count <= i < listed <= rows.len()`, which is also the
            // length of `candidates` (asserted by the callers' slices); rows
            // were listed from `from` on, one for each of `hashes` at most; the
            // mask keeps the head below their number, a power of two.
            unsafe {
                debug_assert!(i < rows.len() && i < candidates.len());
                let row = *rows.get_unchecked(i);
                debug_assert!((row as usize - from) < hashes.len());
                let hash = *hashes.get_unchecked(row as usize - from);
                let head = *self.heads.get_unchecked(hash as usize & mask);
                *rows.get_unchecked_mut(count) = row;
                *candidates.get_unchecked_mut(count) = head;
                if self.prefetch {
                    self.store.prefetch(head);
                }
                count += usize::from(head != 0);
            }
        }
        count
    }

    /// One step along the chains: for each row, `on_match(row, entry)` if
    /// its candidate matches, then its next candidate, if `on_match` asks for
    /// more. Returns how many rows continue; they are moved to the front.
    #[inline(always)]
    fn step(
        &self,
        probe: Probe<'_>,
        keys: S::Keys<'_>,
        rows: &mut [u32],
        candidates: &mut [u32],
        mut on_candidate: impl FnMut(u32, u32, bool) -> bool,
    ) -> usize {
        let hashes = probe.hashes();
        assert_eq!(rows.len(), candidates.len());
        let mut kept = 0;
        for i in 0..rows.len() {
            // SAFETY: `kept <= i < rows.len() == candidates.len()`. Rows come
            // from `start_block` over this probe (the cursor's contract,
            // checked by `find`), so they are below its length, which is that
            // of `hashes` and `keys`. Candidates come from `heads` and from the
            // store's links, which hold numbers of this store's entries only.
            unsafe {
                let row = *rows.get_unchecked(i);
                let entry = *candidates.get_unchecked(i);
                debug_assert!((row as usize) < hashes.len());
                let hash = *hashes.get_unchecked(row as usize);
                let hit = self.store.matches(entry, keys, row as usize, hash);
                let go_on = on_candidate(row, entry, hit);
                let next = self.store.next(entry);
                *rows.get_unchecked_mut(kept) = row;
                *candidates.get_unchecked_mut(kept) = next;
                if self.prefetch {
                    self.store.prefetch(next);
                }
                kept += usize::from((next != 0) & go_on);
            }
        }
        kept
    }
}

impl<S: KeyStore> JoinIndex for Chained<S> {
    fn name(&self) -> &'static str {
        Kind::NAME
    }

    fn rows(&self) -> usize {
        self.store.entries() - 1
    }

    fn bytes(&self) -> usize {
        self.heads.bytes() + self.store.bytes()
    }

    fn touched_arrays(&self) -> Vec<usize> {
        vec![self.heads.bytes(), self.store.bytes()]
    }

    fn unique(&self) -> Option<bool> {
        None
    }

    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) -> u64 {
        assert_eq!(probe.len(), matches.len(), "one match per probe row");
        let keys = S::keys(probe.keys());
        matches.fill(NO_ROW);
        let mut looked_at = 0;
        let (mut rows, mut candidates) = ([0u32; BLOCK], [0u32; BLOCK]);
        for from in (0..probe.len()).step_by(BLOCK) {
            let len = BLOCK.min(probe.len() - from);
            let mut count = self.start_block(probe, from, &mut rows[..len], &mut candidates[..len]);
            while count > 0 {
                looked_at += count as u64;
                count = self.step(
                    probe,
                    keys,
                    &mut rows[..count],
                    &mut candidates[..count],
                    |row, entry, hit| {
                        // A miss leaves what is there, which is "none".
                        let found = if hit { entry - 1 } else { NO_ROW };
                        debug_assert!((row as usize) < matches.len());
                        // SAFETY: rows are below the probe's length, asserted
                        // above to be that of `matches`.
                        unsafe { *matches.get_unchecked_mut(row as usize) = found };
                        !hit
                    },
                );
            }
        }
        looked_at
    }

    fn find(
        &self,
        probe: Probe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64 {
        let keys = S::keys(probe.keys());
        // What a caller's cursor holds is checked once per call, so that the
        // steps need not check.
        assert_eq!(cursor.rows.len(), cursor.candidates.len(), "cursor of another index");
        assert!(
            cursor.rows.iter().all(|&row| (row as usize) < probe.len())
                && cursor.candidates.iter().all(|&c| c != 0 && (c as usize) < self.store.entries()),
            "cursor of another probe"
        );
        let room = limit.saturating_sub(pairs.len()).max(1);
        let block = BLOCK.min(room);
        let mut looked_at = 0;
        loop {
            if cursor.rows.is_empty() {
                let from = cursor.next_row;
                let len = block.min(probe.len().saturating_sub(from));
                if len == 0 {
                    return looked_at;
                }
                cursor.next_row = from + len;
                cursor.rows.resize(len, 0);
                cursor.candidates.resize(len, 0);
                let count = self.start_block(probe, from, &mut cursor.rows, &mut cursor.candidates);
                cursor.rows.truncate(count);
                cursor.candidates.truncate(count);
            }
            while !cursor.rows.is_empty() {
                let active = cursor.rows.len();
                let held = pairs.len();
                if held > 0 && held + active > limit {
                    return looked_at;
                }
                looked_at += active as u64;
                let (probe_rows, build_rows) = pairs.push_zeros(active);
                let mut found = 0;
                let count = self.step(
                    probe,
                    keys,
                    &mut cursor.rows,
                    &mut cursor.candidates,
                    |row, entry, hit| {
                        debug_assert!(found < active);
                        // SAFETY: `found` grows by at most one per call and the
                        // step makes `active` calls, the length of both slices.
                        unsafe {
                            *probe_rows.get_unchecked_mut(found) = row;
                            *build_rows.get_unchecked_mut(found) = entry.wrapping_sub(1);
                        }
                        found += usize::from(hit);
                        true
                    },
                );
                cursor.rows.truncate(count);
                cursor.candidates.truncate(count);
                pairs.truncate(held + found);
            }
        }
    }
}
