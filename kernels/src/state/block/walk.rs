//! Look-ups: windows and candidates of a batch's rows, and what the walk of
//! [`arch`](crate::arch) asks of the directory on its way along their chains.
//! The early stop makes a look-up cost what it finds.

use super::directory::{Cold, Directory};
use super::entry::{EntryKey, last_word};
use super::numbers::RowNumber;
use crate::arch::{Active, Chains, Isa, LinkTime, WALK_ROWS, walk_chains};
use crate::error::Result;
use crate::pairs::Pairs;
use crate::state::checked::foreign_cursor;
use crate::table::{FindCursor, Probe};

/// The event times that the partners of a probe row may have.
pub(crate) trait Windows {
    /// From and to, ends included; from is after to if there are none.
    ///
    /// # Panics
    /// If there is no such row.
    fn window(&self, row: usize) -> (i64, i64);
    /// Number of rows.
    fn rows(&self) -> usize;
}

/// A look-up of rows in one directory.
pub(crate) struct Walk<'a, E: EntryKey, W, S> {
    directory: &'a Directory,
    batch: E::Keys<'a>,
    hashes: &'a [u64],
    windows: &'a W,
    isa: Isa,
    /// The keys, where vectors can compare them.
    words: Option<&'a [u64]>,
    skip: S,
}

impl<'a, E: EntryKey, W: Windows, S: Fn(u64, RowNumber, i64) -> RowNumber> Walk<'a, E, W, S> {
    /// A look-up of a batch. `skip` may replace the next candidate of a row that
    /// met one of its key which is newer than its window: it is given the hash,
    /// the next candidate and the end of the window.
    ///
    /// # Panics
    /// If keys and windows differ in number.
    pub(crate) fn new(
        directory: &'a Directory,
        keys: Probe<'a>,
        windows: &'a W,
        isa: Isa,
        skip: S,
    ) -> Self {
        let batch = E::keys(keys.keys());
        assert_eq!(directory.entry_words, E::WORDS, "entries of these keys");
        assert_eq!(E::len_of(batch), keys.hashes().len(), "one hash per key");
        assert_eq!(windows.rows(), keys.hashes().len(), "one window per key");
        // Vectors treat row numbers as signed.
        let words = E::words(keys.keys()).filter(|words| words.len() <= i32::MAX as usize);
        Self { directory, batch, hashes: keys.hashes(), windows, isa, words, skip }
    }

    /// Appends pairs until about `limit` are held or there are no rows left;
    /// see [`StateStore::find`](crate::state::StateStore::find). Returns how
    /// many stored rows were read.
    ///
    /// `load` fills the lists, which are equally long, with the next rows and
    /// their newest candidates, and returns how many there are; `None` if there
    /// are no rows left.
    pub(crate) fn run(
        &self,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
        mut load: impl FnMut(&mut usize, &mut [u32], &mut [u32]) -> Option<usize>,
    ) -> Result<u64> {
        let rows = WALK_ROWS.min(limit.saturating_sub(pairs.len()).max(1));
        let mut active = Active::new();
        let mut walked = 0;
        loop {
            active.len = if cursor.rows.is_empty() {
                let lists = (&mut active.rows[..rows], &mut active.candidates[..rows]);
                match load(&mut cursor.next_row, lists.0, lists.1) {
                    Some(rows) => rows,
                    None => return Ok(walked),
                }
            } else {
                self.resume(cursor, &mut active)?
            };
            self.look_up_windows(&mut active);
            let blocks = self.directory.blocks_by_number();
            // SAFETY: rows are below the number of keys, seen with the windows;
            // entries are those of slots that the directory, which is borrowed,
            // holds, with memory for as many rows as `Directory::push` saw, and
            // `new` compared the words of an entry.
            walked += unsafe { walk_chains(self.isa, self, blocks, &mut active, pairs, limit) };
            if active.len > 0 {
                cursor.rows.extend_from_slice(&active.rows[..active.len]);
                cursor.candidates.extend_from_slice(&active.candidates[..active.len]);
                return Ok(walked);
            }
        }
    }

    fn look_up_windows(&self, active: &mut Active) {
        let n = active.len;
        assert!(n <= WALK_ROWS, "no more rows than there is room for");
        for i in 0..n {
            let row = active.rows[i] as usize;
            assert!(row < self.hashes.len(), "cursor of another probe");
            (active.from[i], active.to[i]) = self.windows.window(row);
        }
    }

    /// Resumes the rows that an earlier call left; returns how many.
    ///
    /// # Errors
    /// [`JoinError::InvalidPlan`](crate::JoinError::InvalidPlan) for a cursor that
    /// no such call has left. A number that is not current ends its chain; one
    /// that is must be that of a row, which a walk takes for granted.
    fn resume(&self, cursor: &mut FindCursor, active: &mut Active) -> Result<usize> {
        let n = cursor.rows.len();
        let numbers = &self.directory.numbers;
        let is_row = |&candidate: &u32| {
            let row = RowNumber(candidate);
            !numbers.is_current(row) || self.directory.names_row(row)
        };
        let is_ours = n <= WALK_ROWS
            && n == cursor.candidates.len()
            && cursor.rows.iter().all(|&row| (row as usize) < self.hashes.len())
            && cursor.candidates.iter().all(is_row);
        if !is_ours {
            return Err(foreign_cursor());
        }
        active.rows[..n].copy_from_slice(&cursor.rows);
        active.candidates[..n].copy_from_slice(&cursor.candidates);
        cursor.rows.clear();
        cursor.candidates.clear();
        Ok(n)
    }

    fn heap(&self, candidate: u32) -> &'a [u8] {
        match &self.directory.cold[self.directory.place(RowNumber(candidate))] {
            Cold::Held(block) => block.heap(),
            _ => &[],
        }
    }
}

impl<E: EntryKey, W: Windows, S: Fn(u64, RowNumber, i64) -> RowNumber> Chains
    for Walk<'_, E, W, S>
{
    const ENTRY_WORDS: usize = E::WORDS;

    #[inline(always)]
    fn words(&self) -> Option<&[u64]> {
        self.words
    }

    #[inline(always)]
    unsafe fn has_key(&self, entry: &[u64], candidate: u32, row: u32) -> bool {
        let row = row as usize;
        debug_assert!(row < self.hashes.len());
        // SAFETY: the caller keeps the row below the number of keys, and there
        // are as many hashes.
        unsafe {
            let hash = *self.hashes.get_unchecked(row);
            E::matches(entry, self.batch, row, hash, || self.heap(candidate))
        }
    }

    #[cold]
    fn look_closer(&self, candidate: u32, row: u32) -> (LinkTime, i64, bool) {
        let candidate = RowNumber(candidate);
        let offset = self.directory.numbers.offset(candidate);
        // A row that is gone says nothing about those before it.
        let gone = |link: RowNumber| (LinkTime::new(link.0, 0, true), i64::MIN, false);
        match &self.directory.cold[self.directory.place(candidate)] {
            Cold::Held(block) => {
                let (entry, row) = (block.entry::<E>(offset), row as usize);
                let hash = self.hashes[row];
                // SAFETY: the hash at `row` was there, and there are as many keys.
                let same = unsafe { E::matches(entry, self.batch, row, hash, || block.heap()) };
                (last_word::<E>(entry), block.time::<E>(offset), same)
            }
            Cold::Links(links) => gone(links[offset]),
            Cold::Gone => gone(self.directory.numbers.none()),
        }
    }

    #[inline(always)]
    fn skip(&self, row: u32, next: u32, to: i64) -> u32 {
        (self.skip)(self.hashes[row as usize], RowNumber(next), to).0
    }

    #[inline(always)]
    fn drop_dead(&self, pairs: &mut Pairs, from: usize) {
        if self.directory.dead > 0 {
            drop_dead(self.directory, pairs, from);
        }
    }
}

#[cold]
fn drop_dead(directory: &Directory, pairs: &mut Pairs, from: usize) {
    pairs.retain_if(from, |_, row| {
        let stored = directory.locate(directory.numbers.of_id(row));
        stored.is_some_and(|(block, at)| !block.is_dead(at))
    });
}
