//! Chains of rows, walked for a block of probe rows together, so that their
//! cache misses overlap (as the stream-static `chained` index does it).
//!
//! A walk stops before it reads a row whose block and all older ones lie before
//! the interval: the early stop that makes a look-up cost what it finds.

use super::directory::{Cold, Directory};
use super::entry::EntryKey;
use crate::arch::prefetch_address;
use crate::pairs::Pairs;
use crate::table::{FindCursor, Probe};

/// Probe rows in flight together: enough to hide memory latency, few enough
/// that their state stays in the first-level cache.
const BLOCK: usize = 128;

/// The event times that the partners of a probe row may have.
pub(in crate::state) trait Windows {
    /// From and to, ends included, of a row that [`has_partners`].
    ///
    /// [`has_partners`]: Self::has_partners
    ///
    /// # Panics
    /// If there is no such row.
    fn window(&self, row: usize) -> (i64, i64);
    /// Whether a row may have partners at all.
    fn has_partners(&self, row: usize) -> bool;
    /// Number of rows.
    fn rows(&self) -> usize;
}

/// A look-up of rows in one directory.
#[derive(Debug)]
pub(in crate::state) struct Walk<'a, E: EntryKey, W> {
    directory: &'a Directory,
    batch: E::Batch<'a>,
    hashes: &'a [u64],
    windows: &'a W,
}

/// What one step of a walk did.
struct Stepped {
    /// Rows that have a candidate left; they were moved to the front.
    rows: usize,
    /// Pairs that were found.
    found: usize,
}

impl<'a, E: EntryKey, W: Windows> Walk<'a, E, W> {
    /// A look-up of a batch.
    ///
    /// # Panics
    /// If keys and windows differ in number.
    pub(in crate::state) fn new(directory: &'a Directory, keys: Probe<'a>, windows: &'a W) -> Self {
        let batch = E::batch(keys.keys());
        assert_eq!(E::rows(batch), keys.hashes().len(), "one hash a key");
        assert_eq!(windows.rows(), keys.hashes().len(), "one window a key");
        Self { directory, batch, hashes: keys.hashes(), windows }
    }

    /// Appends pairs until about `limit` are held or the rows are at their end;
    /// see [`StateStore::find`](crate::state::StateStore::find). Returns how
    /// many stored rows were looked at.
    ///
    /// `load` fills the cursor with the next rows, so many at most, and their
    /// newest candidates, if there are rows left. `too_new` may replace the next candidate of a row
    /// that met one of its key which is newer than its window: it is given the
    /// hash, that candidate, the next one and the end of the window.
    pub(in crate::state) fn run(
        &self,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
        mut load: impl FnMut(&mut FindCursor, usize) -> bool,
        too_new: impl Fn(u64, u32, u32, i64) -> u32,
    ) -> u64 {
        assert_eq!(cursor.rows.len(), cursor.candidates.len(), "cursor of another store");
        let is_row = |&row: &u32| (row as usize) < self.hashes.len();
        assert!(cursor.rows.iter().all(is_row), "cursor of another probe");
        let block = BLOCK.min(limit.saturating_sub(pairs.len()).max(1));
        let mut walked = 0;
        loop {
            if cursor.rows.is_empty() {
                if !load(cursor, block) {
                    return walked;
                }
                let count = self.start(&mut cursor.rows, &mut cursor.candidates);
                cursor.rows.truncate(count);
                cursor.candidates.truncate(count);
            }
            while !cursor.rows.is_empty() {
                let active = cursor.rows.len();
                let held = pairs.len();
                if held > 0 && held + active > limit {
                    return walked;
                }
                walked += active as u64;
                pairs.probe_rows.resize(held + active, 0);
                pairs.build_rows.resize(held + active, 0);
                let (probe_rows, stored_rows) =
                    (&mut pairs.probe_rows[held..], &mut pairs.build_rows[held..]);
                // SAFETY: the rows were seen to be below the number of hashes
                // above, or by `start`; a step only drops some of them.
                let stepped = unsafe {
                    self.step(
                        &mut cursor.rows,
                        &mut cursor.candidates,
                        probe_rows,
                        stored_rows,
                        &too_new,
                    )
                };
                cursor.rows.truncate(stepped.rows);
                cursor.candidates.truncate(stepped.rows);
                pairs.probe_rows.truncate(held + stepped.found);
                pairs.build_rows.truncate(held + stepped.found);
            }
        }
    }

    /// Asks for the entry of a row.
    #[inline(always)]
    fn prefetch(&self, row: u32) {
        let hot = &self.directory.hot[self.directory.place(row)];
        let at = self.directory.offset(row) * E::WORDS;
        prefetch_address(hot.entries.wrapping_add(at));
    }

    /// Whether `candidate`, of a chain, is worth reading for a row whose
    /// partners are not before `from`.
    #[inline(always)]
    fn goes_on(&self, candidate: u32, from: i64) -> bool {
        let hot = &self.directory.hot[self.directory.place(candidate)];
        self.directory.is_current(candidate) & (hot.greatest >= from)
    }

    /// Begins with `rows`, whose newest candidates are in `candidates`: drops
    /// those that have none. Returns how many are left, at the front.
    #[inline]
    fn start(&self, rows: &mut [u32], candidates: &mut [u32]) -> usize {
        assert_eq!(rows.len(), candidates.len());
        let mut kept = 0;
        for i in 0..rows.len() {
            let (row, candidate) = (rows[i], candidates[i]);
            assert!((row as usize) < self.hashes.len());
            let (from, to) = self.windows.window(row as usize);
            let goes_on = self.goes_on(candidate, from)
                & (from <= to)
                & self.windows.has_partners(row as usize);
            self.prefetch(candidate);
            (rows[kept], candidates[kept]) = (row, candidate);
            kept += usize::from(goes_on);
        }
        kept
    }

    /// One step along the chains: a pair for each row whose candidate matches,
    /// then its next candidate. `too_new` may replace the next candidate of a
    /// row that met one of its key which is newer than its window.
    ///
    /// # Safety
    /// Rows are below the number of keys.
    #[inline(always)]
    unsafe fn step(
        &self,
        rows: &mut [u32],
        candidates: &mut [u32],
        probe_rows: &mut [u32],
        stored_rows: &mut [u32],
        too_new: &impl Fn(u64, u32, u32, i64) -> u32,
    ) -> Stepped {
        let n = rows.len();
        assert!(candidates.len() == n && probe_rows.len() == n && stored_rows.len() == n);
        let (mut kept, mut found) = (0, 0);
        for i in 0..n {
            // SAFETY: `kept, found <= i < n`, the length of all four slices. Rows
            // are below the number of keys and hashes, as the caller promises. Whatever number a candidate is, `place` is below the
            // number of places; a block that is not special is held, and its
            // slot has memory for as many entries as `offset` can tell apart.
            unsafe {
                let row = *rows.get_unchecked(i);
                let candidate = *candidates.get_unchecked(i);
                debug_assert!((row as usize) < self.hashes.len());
                debug_assert!(self.directory.is_current(candidate));
                let place = self.directory.place(candidate);
                debug_assert!(place < self.directory.hot.len());
                let hot = *self.directory.hot.get_unchecked(place);
                let offset = self.directory.offset(candidate);
                let (from, to) = self.windows.window(row as usize);
                let hash = *self.hashes.get_unchecked(row as usize);
                let (mut next, time, same_key) = if hot.special {
                    self.read_special(place, offset, row as usize, hash)
                } else {
                    let entry =
                        std::slice::from_raw_parts(hot.entries.add(offset * E::WORDS), E::WORDS);
                    let last = *entry.get_unchecked(E::WORDS - 1);
                    let heap = || self.heap(place);
                    let same_key = E::matches(entry, self.batch, row as usize, hash, heap);
                    (last as u32, hot.base + (last >> 32) as i64, same_key)
                };
                let matches = same_key & (from <= time) & (time <= to);
                *probe_rows.get_unchecked_mut(found) = row;
                *stored_rows.get_unchecked_mut(found) = candidate | self.directory.tag;
                found += usize::from(matches);
                if same_key && time > to {
                    next = too_new(hash, candidate, next, to);
                }
                *rows.get_unchecked_mut(kept) = row;
                *candidates.get_unchecked_mut(kept) = next;
                self.prefetch(next);
                kept += usize::from(self.goes_on(next, from));
            }
        }
        Stepped { rows: kept, found }
    }

    fn heap(&self, place: usize) -> &'a [u8] {
        match &self.directory.cold[place] {
            Cold::Held(block) => block.heap(),
            _ => &[],
        }
    }

    /// Link, time and whether it is a live row with the key, of a row of a
    /// block that is not plain.
    #[cold]
    fn read_special(&self, place: usize, offset: usize, row: usize, hash: u64) -> (u32, i64, bool) {
        match &self.directory.cold[place] {
            Cold::Held(block) => {
                let entry = block.entry::<E>(offset);
                debug_assert!(row < self.hashes.len());
                // SAFETY: `row` is below the number of keys (`step`'s contract).
                let same = unsafe { E::matches(entry, self.batch, row, hash, || block.heap()) };
                let time = block.time::<E>(offset);
                (block.link::<E>(offset), time, same && !block.is_dead(offset))
            }
            Cold::Links(links) => (links[offset], i64::MIN, false),
            Cold::Gone => (self.directory.none(), i64::MIN, false),
        }
    }
}
