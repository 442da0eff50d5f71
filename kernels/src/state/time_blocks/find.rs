//! Look-ups in a ring.

use super::hot_keys::HotKeys;
use super::ring::Ring;
use crate::pairs::Pairs;
use crate::state::StateProbe;
use crate::state::block::{EntryKey, Walk, Windows};
use crate::table::FindCursor;

impl<E: EntryKey> Ring<E> {
    /// See [`StateStore::find`](crate::state::StateStore::find).
    pub(super) fn find<W: Windows>(
        &self,
        probe: StateProbe<'_>,
        windows: &W,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64 {
        let walk = Walk::<E, W>::new(&self.directory, probe.keys, windows);
        let load = |cursor: &mut FindCursor, rows: usize| self.load(probe, cursor, rows);
        if self.hot_keys.is_used() {
            let skip = |hash, candidate, next, to| self.skip(hash, candidate, next, to);
            walk.run(cursor, pairs, limit, load, skip)
        } else {
            walk.run(cursor, pairs, limit, load, |_, _, next, _| next)
        }
    }

    /// Loads the cursor with the next rows and the newest candidates of each;
    /// false if there are none.
    fn load(&self, probe: StateProbe<'_>, cursor: &mut FindCursor, rows: usize) -> bool {
        let from = cursor.next_row;
        let to = (from + rows).min(probe.len());
        if from >= to {
            return false;
        }
        cursor.next_row = to;
        let hashes = probe.keys.hashes();
        // The heads of the block after this one have its time to arrive.
        let ahead = if from == 0 { from } else { to };
        for position in ahead..(to + rows).min(probe.len()) {
            self.heads.prefetch(hashes[probe.row(position)]);
        }
        for position in from..to {
            let row = probe.row(position);
            if probe.keys.is_matchable(row) {
                cursor.rows.push(row as u32);
                cursor.candidates.push(self.heads.get(hashes[row]));
            }
        }
        true
    }

    /// The row to go on with after `candidate`, which is newer than `to`, as
    /// many after it may be: `next`, or an older one if all between are too new.
    #[inline]
    fn skip(&self, hash: u64, candidate: u32, next: u32, to: i64) -> u32 {
        if !HotKeys::may_note(candidate) {
            return next;
        }
        let directory = &self.directory;
        let oldest = self.hot_keys.oldest(hash, |row| directory.all_newer(row, to));
        oldest.filter(|&row| directory.age(row) > directory.age(next)).unwrap_or(next)
    }
}
