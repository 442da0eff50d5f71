//! Sort-merge: the build side is sorted once, each probe is sorted and the two
//! are walked together (Blasgen and Eswaran, "Storage and access in relational
//! data bases", IBM Systems Journal 16(4), 1977). An order that either side has
//! already is used. Where the build side has many keys between two of the
//! probe, the walk gallops (Bentley and Yao, "An almost optimal algorithm for
//! unbounded searching", Information Processing Letters 5(3), 1976).

mod keys;
mod sort;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use keys::{SAMPLED, SortedKeys, StringKeys, WideKeys, WordKeys};

use crate::error::Result;
use crate::key::KeyView;
use crate::memory::Buffer;
use crate::pairs::{NO_ROW, Pairs};
use crate::table::{BuildInput, BuiltIndex, FindCursor, IndexBuilder, JoinIndex, Probe};

/// Probe rows that are walked together, and paired together: enough that a row
/// which needs one match only sees few more, and that the runs of hot keys are
/// copied whole. Other sizes were not measured.
const BLOCK: usize = 128;

/// Builds the sorted side of a sort-merge join. It uses no hashes.
#[derive(Clone, Copy, Debug, Default)]
pub struct SortMerge;

impl IndexBuilder for SortMerge {
    fn name(&self) -> &'static str {
        "sort-merge"
    }

    fn estimated_bytes(&self, keys: KeyView<'_>) -> usize {
        // Keys twice with their rows while they are sorted, once in the table,
        // and the order.
        let entry = if matches!(keys, KeyView::Wide(_)) { 24 } else { 16 };
        keys.bytes() + keys.len() * (2 * entry + 8 + 4 + entry / SAMPLED)
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        match input.keys {
            KeyView::Words(_) => sorted::<WordKeys>(&input),
            KeyView::Wide(_) => sorted::<WideKeys>(&input),
            KeyView::Bytes(_) => sorted::<StringKeys>(&input),
        }
    }
}

fn sorted<K: SortedKeys>(input: &BuildInput<'_>) -> Result<BuiltIndex> {
    input.check_cancelled()?;
    let rows = input.keys.len() as u32;
    let keys = K::keys(input.keys);
    if K::ascend(keys) {
        let table = K::new(keys, (0..rows as usize).map(|row| K::entry(keys, row as u32)));
        return Ok(BuiltIndex::in_row_order(SortedTable::new(table)));
    }
    let mut entries = Buffer::<K::Entry>::zeroed(rows as usize);
    entries.iter_mut().zip(0..).for_each(|(entry, row)| *entry = K::entry(keys, row));
    input.check_cancelled()?;
    K::sort(keys, &mut entries);
    input.check_cancelled()?;
    let table = SortedTable::new(K::new(keys, entries.iter().copied()));
    Ok(BuiltIndex::ordered(table, entries.iter().map(K::row).collect()))
}

/// A build side in the order of its keys; positions are ranks.
#[derive(Debug)]
struct SortedTable<K> {
    keys: K,
    unique: bool,
}

impl<K: SortedKeys> SortedTable<K> {
    fn new(keys: K) -> Self {
        let unique = (1..keys.len()).all(|position| !keys.same(position - 1, position));
        Self { keys, unique }
    }

    /// Calls `found(row, position)` for each probe row that has a match, in
    /// the order of the keys, with its first position. Returns how many rows
    /// were merged.
    fn merge(&self, probe: Probe<'_>, mut found: impl FnMut(u32, u32)) -> u64 {
        let keys = K::keys(probe.keys());
        let mut entries = Buffer::<K::Entry>::zeroed(match probe.matchable() {
            None => probe.len(),
            Some(rows) => rows.count_set_bits(),
        });
        match probe.matchable() {
            None => entries.iter_mut().zip(0..).for_each(|(e, row)| *e = K::entry(keys, row)),
            Some(rows) => entries
                .iter_mut()
                .zip(rows.set_indices())
                .for_each(|(e, row)| *e = K::entry(keys, row as u32)),
        }
        K::sort(keys, &mut entries);
        // A block at a time: the samples show for each row which few keys its
        // own can be among, and these are prefetched while the next row is
        // looked at.
        let samples = self.keys.len().div_ceil(SAMPLED);
        let mut sample = 0;
        let mut ends = [0; BLOCK];
        for block in entries.chunks(BLOCK) {
            for (end, entry) in ends.iter_mut().zip(block) {
                sample =
                    seek(sample, samples, |sample| self.keys.compare_sample(sample, keys, entry));
                *end = sample;
                self.keys.prefetch(sample.saturating_sub(1) * SAMPLED);
            }
            for (&end, entry) in ends.iter().zip(block) {
                // The key before `low` is less, the one at `high` is not.
                let mut low = if end == 0 { 0 } else { (end - 1) * SAMPLED + 1 };
                let high = (end * SAMPLED).min(self.keys.len());
                let mut len = high - low;
                while len > 0 {
                    let half = len / 2;
                    let less = self.keys.compare(low + half, keys, entry) == Ordering::Less;
                    low = if less { low + half + 1 } else { low };
                    len = if less { len - half - 1 } else { half };
                }
                if low < self.keys.len() && self.keys.compare(low, keys, entry) == Ordering::Equal {
                    found(K::row(entry), low as u32);
                }
            }
        }
        entries.len() as u64
    }

    /// The end of the run of the key at `position`.
    fn run_end(&self, position: u32) -> u32 {
        let start = position as usize;
        if self.unique {
            return position + 1;
        }
        let same = |at| if self.keys.same(start, at) { Ordering::Less } else { Ordering::Equal };
        seek(start + 1, self.keys.len(), same) as u32
    }
}

/// The first of `at .. len` that is not less than what `compare` looks for: in
/// steps that double, then by halving the last one.
#[inline(always)]
fn seek(at: usize, len: usize, compare: impl Fn(usize) -> Ordering) -> usize {
    // All before `low` are less, none from `high` on is.
    let (mut low, mut step) = (at, 1);
    let mut high = loop {
        let next = low + step - 1;
        if next >= len {
            break len;
        }
        if compare(next) != Ordering::Less {
            break next;
        }
        low = next + 1;
        step *= 2;
    };
    while low < high {
        let middle = low + (high - low) / 2;
        if compare(middle) == Ordering::Less {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

impl<K: SortedKeys> JoinIndex for SortedTable<K> {
    fn name(&self) -> &'static str {
        SortMerge.name()
    }

    fn rows(&self) -> usize {
        self.keys.len()
    }

    fn bytes(&self) -> usize {
        self.keys.bytes()
    }

    fn unique(&self) -> Option<bool> {
        Some(self.unique)
    }

    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) -> u64 {
        assert_eq!(probe.len(), matches.len(), "one match per probe row");
        matches.fill(NO_ROW);
        self.merge(probe, |row, position| matches[row as usize] = position)
    }

    /// The first call merges: the cursor then holds each row that has a match
    /// with the next position of its run. Rows are taken from the end of the
    /// cursor, a block at a time, and each row of a block gets a stretch of its
    /// run, so that the others need not wait for the whole run of a hot key.
    fn find(
        &self,
        probe: Probe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64 {
        assert_eq!(cursor.rows.len(), cursor.candidates.len(), "cursor of another index");
        let mut merged = 0;
        if cursor.next_row < probe.len() {
            cursor.next_row = probe.len();
            merged = self.merge(probe, |row, position| {
                cursor.rows.push(row);
                cursor.candidates.push(position);
            });
        }
        loop {
            let room = limit.saturating_sub(pairs.len()).max(usize::from(pairs.is_empty()));
            let block = BLOCK.min(room).min(cursor.rows.len());
            if block == 0 {
                return merged;
            }
            let stretch = u32::try_from(room / block).unwrap_or(u32::MAX);
            let first = cursor.rows.len() - block;
            let mut kept = first;
            // Rows of one key follow each other and are at the same position.
            let (mut position, mut end) = (NO_ROW, 0);
            for i in first..cursor.rows.len() {
                let (row, candidate) = (cursor.rows[i], cursor.candidates[i]);
                let is_there = (row as usize) < probe.len() && (candidate as usize) < self.rows();
                assert!(is_there, "cursor of another probe");
                if candidate != position {
                    (position, end) = (candidate, self.run_end(candidate));
                }
                let to = end.min(candidate.saturating_add(stretch));
                pairs.push_run(row, candidate..to);
                if to < end {
                    (cursor.rows[kept], cursor.candidates[kept]) = (row, to);
                    kept += 1;
                }
            }
            cursor.rows.truncate(kept);
            cursor.candidates.truncate(kept);
        }
    }
}
