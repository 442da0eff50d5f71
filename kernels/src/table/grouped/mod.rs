//! Indexes that number the distinct keys of the build side: what all of them
//! share once a key is located.
//!
//! ```text
//! number of a key   0         1    2
//! starts            0         2    3         5      where the run of each key begins
//! order             4    7  | 0  | 1    3           the build row at each position
//!
//! a probe row p whose key has number 2: the pairs (p, 3) and (p, 4), positions
//! that the order turns into rows 1 and 3
//! ```
//!
//! Rows of one key lie side by side in an order of the index's own, its *run*,
//! so that a key is located once per probe row however many rows it has, and its
//! pairs are written by a loop without a check per pair. Where all keys differ
//! the number of a key is its position and there are no runs.

mod rows;
mod runs;
mod writer;

use std::fmt;

use self::rows::compress;
pub(super) use self::rows::{From, Listed, RowSource, list_rows};
pub(super) use self::runs::Runs;
use self::writer::PairWriter;
use super::build::{BuildInput, BuiltIndex};
use super::{FindCursor, JoinIndex, Probe};
use crate::arch::{Isa, found_bits, select_matches};
use crate::key::Shaped;
use crate::pairs::{NO_ROW, Pairs};

/// Probe rows located together: enough to hide memory latency, few enough that
/// their state stays in the first-level cache. As in `chained`; other sizes were
/// not measured.
pub(super) const BLOCK: usize = 128;
/// Finds the number of a key.
pub(super) trait Locate: fmt::Debug + Send + Sync + 'static {
    /// The name of the index.
    const NAME: &'static str;
    /// What its keys are like.
    type Shape: Shaped;

    /// One more than the largest number.
    fn numbers(&self) -> usize;

    /// For each row of a block, the number of its key, or [`NO_ROW`]. Returns how
    /// many places for a key were looked at.
    ///
    /// # Safety
    /// `found` holds at most [`BLOCK`] values, one for each row of the block,
    /// and the rows are below the number of hashes, which is that of keys.
    unsafe fn locate<R: RowSource>(
        &self,
        keys: <Self::Shape as Shaped>::Keys<'_>,
        hashes: &[u64],
        rows: R,
        found: &mut [u32],
    ) -> usize;

    /// Bytes of each array held; a look-up touches one place of each.
    fn arrays(&self) -> Vec<usize>;
}

/// An index over numbered keys.
#[derive(Debug)]
pub(super) struct Grouped<L> {
    isa: Isa,
    locate: L,
    runs: Option<Runs>,
    rows: usize,
    positions: usize,
}

impl<L: Locate> Grouped<L> {
    /// An index over `rows` rows with as many positions as numbers or, where
    /// there are runs, as rows in them.
    ///
    /// # Panics
    /// If there are not as many runs as numbers.
    fn new(isa: Isa, locate: L, runs: Option<Runs>, rows: usize) -> Self {
        let positions = match &runs {
            None => locate.numbers(),
            Some(runs) => {
                assert_eq!(runs.starts.len(), locate.numbers() + 1, "a run for each key");
                runs.starts[locate.numbers()] as usize
            }
        };
        Self { isa, locate, runs, rows, positions }
    }

    /// With the order of its positions, if it has one of its own.
    pub(super) fn built(
        input: &BuildInput<'_>,
        locate: L,
        runs: Option<Runs>,
        order: Option<Vec<u32>>,
    ) -> BuiltIndex {
        let index = Self::new(input.isa, locate, runs, input.hashes.len());
        match order {
            None => BuiltIndex::in_row_order(index),
            Some(order) => BuiltIndex::ordered(index, order),
        }
    }

    /// Numbers become first positions.
    #[inline]
    fn first_positions(&self, found: &mut [u32]) {
        let Some(runs) = &self.runs else { return };
        runs.prefetch(found);
        let last = self.locate.numbers();
        for found in found {
            // One entry more than there are numbers: a miss reads the last one.
            let start = runs.starts[(*found as usize).min(last)];
            *found = if *found == NO_ROW { NO_ROW } else { start };
        }
    }

    /// For each row that may match: `visit(rows, numbers)`, block by block.
    /// Returns how many places for a key were looked at.
    fn each_block(
        &self,
        probe: Probe<'_>,
        mut visit: impl FnMut(&Self, &[u32], &mut [u32]),
    ) -> u64 {
        let (keys, hashes) = (L::Shape::keys(probe.keys()), probe.hashes());
        let mut found = [NO_ROW; BLOCK];
        let mut rows = [0; BLOCK];
        let (mut next, mut looked_at) = (0, 0);
        while next < probe.len() {
            let count;
            (next, count) = list_rows(probe, next, &mut rows);
            // SAFETY: the list holds rows of the probe, whose keys and hashes
            // are equal in number; at most a block of them.
            looked_at += unsafe {
                self.locate.locate(keys, hashes, Listed(&rows[..count]), &mut found[..count])
            };
            visit(self, &rows[..count], &mut found[..count]);
        }
        looked_at as u64
    }

    /// Appends the pairs of the rows in the cursor, in order, until the limit.
    fn go_on(&self, cursor: &mut FindCursor, pairs: &mut Pairs, limit: usize) {
        let mut done = 0;
        while done < cursor.rows.len() {
            let (row, from) = (cursor.rows[done], cursor.candidates[done]);
            let end = self.runs.as_ref().map_or(from + 1, |runs| runs.end_of(from));
            let to = from + room(pairs, limit).min((end - from) as usize) as u32;
            pairs.push_run(row, from..to);
            if to < end {
                cursor.candidates[done] = to;
                break;
            }
            done += 1;
        }
        cursor.rows.drain(..done);
        cursor.candidates.drain(..done);
    }

    /// Appends the pairs of `rows`, whose keys have `numbers`; those that find
    /// no room go into the cursor.
    fn write_runs(
        &self,
        runs: &Runs,
        (rows, numbers): (&[u32], &[u32]),
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) {
        assert_eq!(rows.len(), numbers.len());
        runs.prefetch(numbers);
        let (mut starts, mut total) = ([(0, 0); BLOCK], 0);
        for (slot, &number) in starts.iter_mut().zip(numbers) {
            // SAFETY: located numbers are those of this index.
            *slot = unsafe { runs.get(number) };
            total += (slot.1 - slot.0) as usize;
        }
        if total > room(pairs, limit) {
            cursor.rows.extend_from_slice(rows);
            cursor.candidates.extend(starts[..rows.len()].iter().map(|&(start, _)| start));
            return self.go_on(cursor, pairs, limit);
        }
        let mut writer = PairWriter::new(pairs, total);
        for (&row, &(start, end)) in rows.iter().zip(&starts) {
            // SAFETY: the lengths of all runs add up to the total.
            unsafe { writer.run(row, start, (end - start) as usize) };
        }
        // SAFETY: this many pairs were written.
        unsafe { writer.finish() };
    }
}

/// How many more pairs may be appended: at least one if none is held.
fn room(pairs: &Pairs, limit: usize) -> usize {
    limit.saturating_sub(pairs.len()).max(usize::from(pairs.is_empty()))
}

impl<L: Locate> JoinIndex for Grouped<L> {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn positions(&self) -> usize {
        self.positions
    }

    fn bytes(&self) -> usize {
        self.touched_arrays().iter().sum()
    }

    fn touched_arrays(&self) -> Vec<usize> {
        let runs = self.runs.iter().map(|runs| runs.starts.bytes());
        self.locate.arrays().into_iter().chain(runs).filter(|&bytes| bytes > 0).collect()
    }

    fn unique(&self) -> Option<bool> {
        Some(self.runs.as_ref().is_none_or(|runs| runs.unique))
    }

    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) -> u64 {
        assert_eq!(probe.len(), matches.len(), "one match per probe row");
        let keys = L::Shape::keys(probe.keys());
        if probe.matchable().is_some() {
            matches.fill(NO_ROW);
            return self.each_block(probe, |index, rows, found| {
                index.first_positions(found);
                for (&row, &found) in rows.iter().zip(&*found) {
                    matches[row as usize] = found;
                }
            });
        }
        let mut looked_at = 0;
        for (block, found) in matches.chunks_mut(BLOCK).enumerate() {
            // SAFETY: blocks of the matches are blocks of the probe, which has
            // as many rows, and as many keys and hashes.
            looked_at +=
                unsafe { self.locate.locate(keys, probe.hashes(), From(block * BLOCK), found) };
            self.first_positions(found);
        }
        looked_at as u64
    }

    fn exists(&self, probe: Probe<'_>, found: &mut [u64]) {
        assert_eq!(found.len(), probe.len().div_ceil(64), "one bit per probe row");
        found.fill(0);
        if probe.matchable().is_some() {
            self.each_block(probe, |_, rows, numbers| {
                for (&row, &number) in rows.iter().zip(&*numbers) {
                    found[row as usize / 64] |= u64::from(number != NO_ROW) << (row % 64);
                }
            });
            return;
        }
        let keys = L::Shape::keys(probe.keys());
        let mut numbers = [NO_ROW; BLOCK];
        for (block, words) in found.chunks_mut(BLOCK / 64).enumerate() {
            let from = block * BLOCK;
            let numbers = &mut numbers[..BLOCK.min(probe.len() - from)];
            // SAFETY: rows of the probe, as many as there are numbers.
            unsafe { self.locate.locate(keys, probe.hashes(), From(from), numbers) };
            found_bits(self.isa, numbers, words);
        }
    }

    fn find(
        &self,
        probe: Probe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64 {
        let (keys, hashes) = (L::Shape::keys(probe.keys()), probe.hashes());
        // What a caller's cursor holds is checked once a call.
        assert_eq!(cursor.rows.len(), cursor.candidates.len(), "cursor of another index");
        assert!(
            cursor.rows.iter().all(|&row| (row as usize) < probe.len())
                && cursor.candidates.iter().all(|&c| (c as usize) < self.positions),
            "cursor of another probe"
        );
        self.go_on(cursor, pairs, limit);
        let (mut rows, mut found, mut located) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
        // This many rows are likely to find room.
        let fan_out = (self.rows / self.locate.numbers().max(1)).max(1);
        let mut looked_at = 0;
        while cursor.rows.is_empty() && cursor.next_row < probe.len() {
            let room = room(pairs, limit);
            if room == 0 {
                break;
            }
            let block = BLOCK.min(room.div_ceil(fan_out));
            let (count, from) = (block.min(probe.len() - cursor.next_row), cursor.next_row);
            let count = if probe.matchable().is_some() {
                let listed;
                (cursor.next_row, listed) = list_rows(probe, from, &mut rows[..block]);
                let (listed, found) = (&mut rows[..listed], &mut found[..listed]);
                // SAFETY: the list holds rows of the probe, at most a block.
                looked_at += unsafe { self.locate.locate(keys, hashes, Listed(listed), found) };
                compress(listed, found)
            } else {
                cursor.next_row += count;
                let located = &mut located[..count];
                // SAFETY: `from + count` is at most the length of the probe.
                looked_at += unsafe { self.locate.locate(keys, hashes, From(from), located) };
                select_matches(self.isa, located, from as u32, &mut rows, &mut found)
            };
            let (rows, numbers) = (&rows[..count], &found[..count]);
            match &self.runs {
                // At most one pair per row, and no more rows than room.
                None => pairs.extend_from_columns(rows, numbers),
                Some(runs) => self.write_runs(runs, (rows, numbers), cursor, pairs, limit),
            }
        }
        looked_at as u64
    }
}
