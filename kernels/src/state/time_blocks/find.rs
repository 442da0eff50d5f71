//! Look-ups in a ring.

use super::ring::Ring;
use crate::error::Result;
use crate::pairs::Pairs;
use crate::state::StateProbe;
use crate::state::block::{EntryKey, RowNumber, Walk, Windows};
use crate::table::FindCursor;

/// An entry point is looked up if it skips more than this many blocks of rows that
/// are too new: fewer rows are walked over sooner. No measurement is on
/// record.
const WORTH_SKIPPING: u32 = 2;

impl<E: EntryKey> Ring<E> {
    /// See [`StateStore::find`](crate::state::StateStore::find).
    pub(super) fn find<W: Windows>(
        &self,
        probe: StateProbe<'_>,
        windows: &W,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> Result<u64> {
        let (directory, isa) = (&self.directory, self.plan.hasher.isa());
        let load = |next: &mut usize, rows: &mut [u32], candidates: &mut [u32]| {
            self.load(probe, next, rows, candidates)
        };
        if self.hot_keys.is_used() {
            let skip = |hash, next, to| self.skip(hash, next, to);
            Walk::<E, W, _>::new(directory, probe.keys, windows, isa, skip)
                .run(cursor, pairs, limit, load)
        } else {
            Walk::<E, W, _>::new(directory, probe.keys, windows, isa, |_, next, _| next)
                .run(cursor, pairs, limit, load)
        }
    }

    /// Loads the next rows and the newest candidates of each; `None` if there are
    /// no rows left.
    fn load(
        &self,
        probe: StateProbe<'_>,
        next: &mut usize,
        rows: &mut [u32],
        candidates: &mut [u32],
    ) -> Option<usize> {
        let (from, to) = (*next, next.saturating_add(rows.len()).min(probe.len()));
        if from >= to {
            return None;
        }
        *next = to;
        let hashes = probe.keys.hashes();
        let heads = self.heads.view();
        // The heads of the next block arrive while this one is walked.
        let ahead = if from == 0 { from } else { to }..(to + rows.len()).min(probe.len());
        if probe.rows.is_none() && probe.keys.matchable().is_none() {
            hashes[ahead].iter().for_each(|&hash| heads.prefetch(hash));
            let lists = rows.iter_mut().zip(candidates);
            for ((row, candidate), number) in lists.zip(from..to) {
                (*row, *candidate) = (number as u32, heads.get(hashes[number]).0);
            }
            return Some(to - from);
        }
        ahead.for_each(|position| heads.prefetch(hashes[probe.row(position)]));
        let mut count = 0;
        for position in from..to {
            let row = probe.row(position);
            (rows[count], candidates[count]) = (row as u32, heads.get(hashes[row]).0);
            count += usize::from(probe.keys.is_matchable(row));
        }
        Some(count)
    }

    /// The row to continue with after one that is newer than `to`: `next`, or an
    /// older one if `next` and all between are too new as well.
    #[inline]
    fn skip(&self, hash: u64, next: RowNumber, to: i64) -> RowNumber {
        let directory = &self.directory;
        // A few rows are walked over sooner than an entry point is found.
        if !directory.all_newer(directory.numbers.earlier(next, WORTH_SKIPPING), to) {
            return next;
        }
        // A dead row may no longer be in a chain.
        let is_there = |row| directory.locate(row).is_some_and(|(block, at)| !block.is_dead(at));
        let oldest = self.hot_keys.oldest(hash, |row| directory.all_newer(row, to), is_there);
        oldest
            .filter(|&row| directory.numbers.age(row) > directory.numbers.age(next))
            .unwrap_or(next)
    }
}
