//! A hashbrown map from key to first row, looked up row by row.
//!
//! ```text
//! build rows   0: 7    1: 4    2: 7
//!
//! first        7 -> 2    4 -> 1              the newest row of each key
//! next         -    -    0                   the row of the same key before it
//!
//! look up 7    first says row 2; next[2] says row 0; next[0] ends the list
//! ```
//!
//! This is the join as a hand-written program has it, kept honest: hashbrown
//! with ahash, keys of their natural type, one look-up per row, on the system
//! allocator, whatever the program's global one is (so 4 KB pages and the same
//! ratios everywhere). Duplicate keys hang off their first row in a list.

use ahash::RandomState;
use allocator_api2::alloc::System;
use allocator_api2::vec::Vec;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::build::{BuildInput, BuiltIndex};
use super::index_kind::{KeyForm, KindOfIndex, NotBuilt};
use super::store::{KeyStore, OwnedKey};
use super::{FindCursor, JoinIndex, Probe};
use crate::error::Result;
use crate::pairs::{NO_ROW, Pairs};

/// The index as [`IndexKind`](super::IndexKind) builds it.
pub(super) struct Kind;

impl KindOfIndex for Kind {
    const NAME: &'static str = "row-at-a-time";

    fn row_bytes(entry: usize) -> usize {
        // At most 16/7 slots per row, and a byte of control for each.
        entry * 16 / 7 + 16
    }

    fn build<F: KeyForm>(input: BuildInput<'_>) -> Result<BuiltIndex, NotBuilt> {
        let index = RowAtATime::<<F::Store as KeyStore>::Owned>::new(&input)?;
        Ok(BuiltIndex::in_row_order(index))
    }
}

#[derive(Debug)]
struct RowAtATime<K> {
    first: HashMap<K, u32, RandomState, System>,
    /// The next row of the same key, [`NO_ROW`] at the end; empty as long as
    /// all keys differ.
    next: Vec<u32, System>,
    rows: usize,
    key_heap_bytes: usize,
}

impl<K: OwnedKey> RowAtATime<K> {
    fn new(input: &BuildInput<'_>) -> Result<Self> {
        let keys = input.keys;
        let hasher = RandomState::with_seeds(1, 2, 3, 4);
        let mut first = HashMap::with_capacity_and_hasher_in(keys.len(), hasher, System);
        let mut next = Vec::new_in(System);
        let mut key_heap_bytes = 0;
        let mut insert = |row: u32, key: &K::Borrowed| match first.entry(K::to_owned(key)) {
            Entry::Vacant(entry) => {
                key_heap_bytes += entry.key().heap_bytes();
                entry.insert(row);
            }
            Entry::Occupied(mut entry) => {
                if next.is_empty() {
                    next.resize(keys.len(), NO_ROW);
                }
                next[row as usize] = entry.insert(row);
            }
        };
        for stretch in input.stretches() {
            let stretch = stretch?;
            K::each(keys, stretch.start, |row, key| {
                insert(row as u32, key);
                row + 1 < stretch.end
            });
        }
        Ok(Self { first, next, rows: keys.len(), key_heap_bytes })
    }

    /// The row after `row` in its key's list.
    fn after(&self, row: u32) -> u32 {
        self.next.get(row as usize).copied().unwrap_or(NO_ROW)
    }

    /// Pairs `row` with `candidate` and what follows it, up to the limit;
    /// returns the first candidate that found no room.
    fn list(&self, row: u32, mut candidate: u32, pairs: &mut Pairs, limit: usize) -> u32 {
        while candidate != NO_ROW {
            if pairs.len() >= limit && !pairs.is_empty() {
                return candidate;
            }
            pairs.push(row, candidate);
            candidate = self.after(candidate);
        }
        NO_ROW
    }
}

impl<K: OwnedKey> JoinIndex for RowAtATime<K> {
    fn name(&self) -> &'static str {
        Kind::NAME
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn bytes(&self) -> usize {
        self.first.allocation_size() + self.next.capacity() * size_of::<u32>() + self.key_heap_bytes
    }

    fn unique(&self) -> Option<bool> {
        Some(self.next.is_empty())
    }

    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) -> u64 {
        assert_eq!(probe.len(), matches.len(), "one match per probe row");
        K::each(probe.keys(), 0, |row, key| {
            let found = if probe.is_matchable(row) { self.first.get(key) } else { None };
            matches[row] = found.copied().unwrap_or(NO_ROW);
            true
        });
        // The map does not say where it looked: one place per row is counted.
        probe.len() as u64
    }

    fn find(
        &self,
        probe: Probe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64 {
        assert_eq!(cursor.rows.len(), cursor.candidates.len(), "cursor of another index");
        // At most one row is in the cursor: the one whose list was cut.
        while let (Some(&row), Some(&candidate)) = (cursor.rows.last(), cursor.candidates.last()) {
            let rest = self.list(row, candidate, pairs, limit);
            cursor.candidates.pop();
            cursor.rows.pop();
            if rest != NO_ROW {
                cursor.rows.push(row);
                cursor.candidates.push(rest);
                return 0;
            }
        }
        let from = cursor.next_row;
        cursor.next_row = probe.len();
        K::each(probe.keys(), from, |row, key| {
            if pairs.len() >= limit && !pairs.is_empty() {
                cursor.next_row = row;
                return false;
            }
            if let Some(&first) = if probe.is_matchable(row) { self.first.get(key) } else { None } {
                // Without duplicates there is no list to walk.
                if self.next.is_empty() {
                    pairs.push(row as u32, first);
                    return true;
                }
                let rest = self.list(row as u32, first, pairs, limit);
                if rest != NO_ROW {
                    cursor.rows.push(row as u32);
                    cursor.candidates.push(rest);
                    cursor.next_row = row + 1;
                    return false;
                }
            }
            true
        });
        cursor.next_row.saturating_sub(from) as u64
    }
}
