//! Chains of rows, walked for a block of probe rows together, so that their
//! cache misses overlap (as the stream-static `chained` index does it).
//!
//! A round has two passes over the rows that have a candidate left: one reads
//! the candidates, which were asked for a round ago, the other looks up where
//! the next ones are and asks for them. A walk stops before it reads a row whose
//! block and all older ones lie before the interval, and after it has read one
//! that lies before it, as do all older rows: the early stop that makes a look-up
//! cost what it finds.

#[cfg(target_arch = "x86_64")]
mod avx512;

use super::directory::{Cold, Directory};
use super::entry::{EntryKey, after_base, is_late, last_word};
use crate::arch::{Isa, prefetch_address};
use crate::pairs::Pairs;
use crate::table::{FindCursor, Probe};

/// Probe rows in flight together: enough to hide memory latency, few enough
/// that their state stays in the first-level cache.
const BLOCK: usize = 256;
/// Rows that a vector holds: columns and lists have room for one more vector, so
/// that whole ones can be stored.
const LANES: usize = 8;
const ROOM: usize = BLOCK + LANES;

/// The event times that the partners of a probe row may have.
pub(in crate::state) trait Windows {
    /// From and to, ends included; from is after to if there are none.
    ///
    /// # Panics
    /// If there is no such row.
    fn window(&self, row: usize) -> (i64, i64);
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
    isa: Isa,
    /// The keys, where vectors can compare them.
    words: Option<&'a [u64]>,
}

/// The rows that have a candidate left, column by column; the first `len` of
/// each are in use.
struct Active {
    len: usize,
    /// Below the number of keys.
    rows: [u32; ROOM],
    candidates: [u32; ROOM],
    /// The entry of the candidate; null if that takes a closer look.
    entries: [*const u64; ROOM],
    /// What the time of the entry is relative to.
    bases: [i64; ROOM],
    /// The greatest time in the blocks before that of the entry, at least.
    floors: [i64; ROOM],
    /// The window of the row.
    from: [i64; ROOM],
    to: [i64; ROOM],
}

/// Pairs in the making: the first `len` are found, and there is room for a
/// vector more than may still be.
struct Lists<'a> {
    probe: &'a mut [u32],
    stored: &'a mut [u32],
    len: usize,
}

impl Active {
    fn new() -> Self {
        Self {
            len: 0,
            rows: [0; ROOM],
            candidates: [0; ROOM],
            entries: [std::ptr::null(); ROOM],
            bases: [0; ROOM],
            floors: [0; ROOM],
            from: [0; ROOM],
            to: [0; ROOM],
        }
    }
}

impl<'a, E: EntryKey, W: Windows> Walk<'a, E, W> {
    /// A look-up of a batch.
    ///
    /// # Panics
    /// If keys and windows differ in number.
    pub(in crate::state) fn new(
        directory: &'a Directory,
        keys: Probe<'a>,
        windows: &'a W,
        isa: Isa,
    ) -> Self {
        let batch = E::batch(keys.keys());
        assert_eq!(directory.entry_words, E::WORDS, "entries of these keys");
        assert_eq!(E::rows(batch), keys.hashes().len(), "one hash a key");
        assert_eq!(windows.rows(), keys.hashes().len(), "one window a key");
        assert!(isa.is_available(), "{isa} is not available here: see Isa::require");
        // Vectors take row numbers for signed ones.
        let words = E::words(keys.keys()).filter(|words| words.len() <= i32::MAX as usize);
        Self { directory, batch, hashes: keys.hashes(), windows, isa, words }
    }

    /// Appends pairs until about `limit` are held or the rows are at their end;
    /// see [`StateStore::find`](crate::state::StateStore::find). Returns how
    /// many stored rows were looked at.
    ///
    /// `load` fills the lists, which are equally long, with the next rows and
    /// their newest candidates, and says how many those are; none if there are
    /// no rows left. `too_new` may replace the next
    /// candidate of a row that met one of its key which is newer than its
    /// window: it is given the hash, the next one and the end of the window.
    pub(in crate::state) fn run(
        &self,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
        mut load: impl FnMut(&mut usize, &mut [u32], &mut [u32]) -> Option<usize>,
        too_new: impl Fn(u64, u32, i64) -> u32,
    ) -> u64 {
        let block = BLOCK.min(limit.saturating_sub(pairs.len()).max(1));
        let mut active = Active::new();
        let mut walked = 0;
        loop {
            active.len = if cursor.rows.is_empty() {
                let lists = (&mut active.rows[..block], &mut active.candidates[..block]);
                match load(&mut cursor.next_row, lists.0, lists.1) {
                    Some(rows) => rows,
                    None => return walked,
                }
            } else {
                take_up(cursor, &mut active)
            };
            self.start(&mut active);
            while active.len > 0 {
                let held = pairs.len();
                if held > 0 && held + active.len > limit {
                    cursor.rows.extend_from_slice(&active.rows[..active.len]);
                    cursor.candidates.extend_from_slice(&active.candidates[..active.len]);
                    return walked;
                }
                walked += active.len as u64;
                self.read(&mut active, pairs, &too_new);
                if self.directory.dead > 0 {
                    self.drop_dead(pairs, held);
                }
                self.advance(&mut active);
            }
        }
    }

    /// Begins with rows and candidates: looks up their windows and asks for the
    /// candidates.
    fn start(&self, active: &mut Active) {
        let n = active.len;
        assert!(n <= BLOCK, "no more rows than there is room for");
        for i in 0..n {
            let row = active.rows[i] as usize;
            assert!(row < self.hashes.len(), "cursor of another probe");
            (active.from[i], active.to[i]) = self.windows.window(row);
        }
        self.advance(active);
    }

    /// Finds out where the candidates are and asks for them; drops the rows that
    /// have none that is worth reading.
    #[inline]
    fn advance(&self, active: &mut Active) {
        #[cfg(target_arch = "x86_64")]
        if self.isa == Isa::Avx512 {
            // SAFETY: `new` saw that the CPU has this level.
            unsafe { avx512::advance(self.directory, E::WORDS, active) };
            return;
        }
        self.advance_portable(active);
    }

    fn advance_portable(&self, active: &mut Active) {
        let directory = self.directory;
        let (next, span, mask) = (directory.next, directory.span(), directory.mask);
        let (shift, offsets) = (directory.shift, (1u32 << directory.shift) - 1);
        let hot = &directory.hot[..];
        assert!(hot.len().is_power_of_two());
        let places = hot.len() - 1;
        let n = active.len;
        assert!(n <= BLOCK);
        let mut kept = 0;
        for i in 0..n {
            // SAFETY: `kept <= i < n <= BLOCK`, the length of each column;
            // `places` masks an index of `hot`.
            unsafe {
                let candidate = *active.candidates.get_unchecked(i);
                let from = *active.from.get_unchecked(i);
                let to = *active.to.get_unchecked(i);
                let place = hot.get_unchecked((candidate >> shift) as usize & places);
                let at = (candidate & offsets) as usize * E::WORDS;
                let entry = if place.entries.is_null() {
                    std::ptr::null()
                } else {
                    place.entries.wrapping_add(at)
                };
                prefetch_address(entry);
                let age = next.wrapping_sub(candidate).wrapping_sub(1) & mask;
                let goes_on = (age < span) & (place.greatest >= from) & (from <= to);
                *active.rows.get_unchecked_mut(kept) = *active.rows.get_unchecked(i);
                *active.candidates.get_unchecked_mut(kept) = candidate;
                *active.entries.get_unchecked_mut(kept) = entry;
                *active.bases.get_unchecked_mut(kept) = place.base;
                *active.floors.get_unchecked_mut(kept) = place.floor;
                *active.from.get_unchecked_mut(kept) = from;
                *active.to.get_unchecked_mut(kept) = to;
                kept += usize::from(goes_on);
            }
        }
        active.len = kept;
    }

    /// Reads the candidates: a pair for each that matches; then the next ones
    /// stand in their place.
    #[inline]
    fn read(
        &self,
        active: &mut Active,
        pairs: &mut Pairs,
        too_new: &impl Fn(u64, u32, i64) -> u32,
    ) {
        let (n, held) = (active.len, pairs.len());
        pairs.probe_rows.resize(held + n + LANES, 0);
        pairs.build_rows.resize(held + n + LANES, 0);
        let mut lists = Lists {
            probe: &mut pairs.probe_rows[held..],
            stored: &mut pairs.build_rows[held..],
            len: 0,
        };
        #[cfg(target_arch = "x86_64")]
        if let (Isa::Avx512, Some(keys)) = (self.isa, self.words) {
            for from in (0..n).step_by(LANES) {
                // SAFETY: `new` saw that the CPU has this level; rows are below
                // the number of keys (`start` asserts it) and entries are null
                // or those of slots that the directory holds.
                let newer = unsafe { avx512::read(active, from, keys, self.directory, &mut lists) };
                match newer {
                    Some(newer) => self.replace_newer(active, from, newer, too_new),
                    None => {
                        let to = n.min(from + LANES);
                        self.read_portable(active, from..to, &mut lists, too_new);
                    }
                }
            }
        } else {
            self.read_portable(active, 0..n, &mut lists, too_new);
        }
        #[cfg(not(target_arch = "x86_64"))]
        self.read_portable(active, 0..n, &mut lists, too_new);
        let found = lists.len;
        pairs.probe_rows.truncate(held + found);
        pairs.build_rows.truncate(held + found);
    }

    /// Asks for another next candidate for those of eight rows from `from` on
    /// whose bit is set in `newer`.
    #[inline]
    fn replace_newer(
        &self,
        active: &mut Active,
        from: usize,
        mut newer: u8,
        too_new: &impl Fn(u64, u32, i64) -> u32,
    ) {
        while newer != 0 {
            let i = from + newer.trailing_zeros() as usize;
            newer &= newer - 1;
            let hash = self.hashes[active.rows[i] as usize];
            let next = active.candidates[i];
            active.candidates[i] = too_new(hash, next, active.to[i]);
        }
    }

    #[inline(always)]
    fn read_portable(
        &self,
        active: &mut Active,
        range: std::ops::Range<usize>,
        lists: &mut Lists<'_>,
        too_new: &impl Fn(u64, u32, i64) -> u32,
    ) {
        let (tag, none) = (self.directory.tag, self.directory.none());
        assert!(range.end <= BLOCK && lists.len + range.len() <= lists.probe.len());
        assert_eq!(lists.probe.len(), lists.stored.len());
        for i in range {
            // SAFETY: `i < BLOCK`, at most the length of the columns; the lists
            // have room for a pair of each row of the range. Rows are below the
            // number of keys and hashes (`start` asserts it). An entry that is
            // not null is one of a slot that the directory, which is borrowed,
            // holds: slots have memory for as many entries as the lower bits of
            // a number can tell apart.
            unsafe {
                let row = *active.rows.get_unchecked(i);
                debug_assert!((row as usize) < self.hashes.len());
                let candidate = *active.candidates.get_unchecked(i);
                let entry = *active.entries.get_unchecked(i);
                let (from, to) = (*active.from.get_unchecked(i), *active.to.get_unchecked(i));
                let (last, time, same_key);
                if entry.is_null() {
                    (last, time, same_key) = self.look_closer(candidate, row as usize);
                } else {
                    let entry = std::slice::from_raw_parts(entry, E::WORDS);
                    last = *entry.get_unchecked(E::WORDS - 1);
                    let hash = *self.hashes.get_unchecked(row as usize);
                    let heap = || self.heap(candidate);
                    same_key = E::matches(entry, self.batch, row as usize, hash, heap);
                    time = *active.bases.get_unchecked(i) + after_base(last);
                }
                // A row that is not late is as new as any before it in its block.
                let floor = *active.floors.get_unchecked(i);
                let ends = !is_late(last) & (time < from) & (floor < from);
                let mut next = if ends { none } else { last as u32 };
                *lists.probe.get_unchecked_mut(lists.len) = row;
                *lists.stored.get_unchecked_mut(lists.len) = candidate | tag;
                lists.len += usize::from(same_key & (from <= time) & (time <= to));
                if same_key & (time > to) {
                    let hash = *self.hashes.get_unchecked(row as usize);
                    next = too_new(hash, next, to);
                }
                *active.candidates.get_unchecked_mut(i) = next;
            }
        }
    }

    fn heap(&self, candidate: u32) -> &'a [u8] {
        match &self.directory.cold[self.directory.place(candidate)] {
            Cold::Held(block) => block.heap(),
            _ => &[],
        }
    }

    /// Last word, time and whether it has the key, of a row whose entry does not
    /// say all, or that is gone.
    #[cold]
    fn look_closer(&self, candidate: u32, row: usize) -> (u64, i64, bool) {
        let offset = self.directory.offset(candidate);
        // Of a row that is gone nothing can be said of those before it.
        let gone = |link| (last_word(link, 0, true), i64::MIN, false);
        match &self.directory.cold[self.directory.place(candidate)] {
            Cold::Held(block) => {
                let (entry, hash) = (block.entry::<E>(offset), self.hashes[row]);
                // SAFETY: the hash at `row` was there, and there are as many keys.
                let same = unsafe { E::matches(entry, self.batch, row, hash, || block.heap()) };
                (entry[E::WORDS - 1], block.time::<E>(offset), same)
            }
            Cold::Links(links) => gone(links[offset]),
            Cold::Gone => gone(self.directory.none()),
        }
    }

    /// Drops the pairs from `from` on whose stored row is dead.
    #[cold]
    fn drop_dead(&self, pairs: &mut Pairs, from: usize) {
        let tag = self.directory.tag;
        let mut kept = from;
        for i in from..pairs.len() {
            let row = pairs.build_rows[i];
            let place = self.directory.locate(row ^ tag);
            pairs.probe_rows[kept] = pairs.probe_rows[i];
            pairs.build_rows[kept] = row;
            kept += usize::from(place.is_some_and(|(block, at)| !block.is_dead(at)));
        }
        pairs.probe_rows.truncate(kept);
        pairs.build_rows.truncate(kept);
    }
}

/// Takes the rows that a call before has left over; returns how many.
fn take_up(cursor: &mut FindCursor, active: &mut Active) -> usize {
    assert_eq!(cursor.rows.len(), cursor.candidates.len(), "cursor of another store");
    let n = cursor.rows.len();
    assert!(n <= BLOCK, "cursor of another store");
    active.rows[..n].copy_from_slice(&cursor.rows);
    active.candidates[..n].copy_from_slice(&cursor.candidates);
    cursor.rows.clear();
    cursor.candidates.clear();
    n
}
