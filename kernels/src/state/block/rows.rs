//! One block of rows, in the order in which they came.

use std::sync::Arc;

use super::arena::{Arena, Slot};
use super::bits;
use super::due::Due;
use super::entry::{EntryKey, last_word};
use super::numbers::RowNumber;
use super::payload::{Columns, Incoming, PayloadPlan};
use crate::arch::LinkTime;
use crate::state::NewRows;

/// Rows of one side that came one after the other.
#[derive(Debug)]
pub(crate) struct Block {
    /// Entries, then the values of fixed width, row by row.
    slot: Slot,
    /// Where the values begin, in words.
    values: usize,
    pub(super) rows: usize,
    /// Rows that are in state, noted late rows that have expired included.
    pub(super) live: usize,
    /// Rows with a lower time than one before them.
    pub(super) late: usize,
    /// Least and greatest event time.
    pub(super) least: i64,
    pub(super) greatest: i64,
    /// What times in entries are relative to.
    pub(super) base: i64,
    /// Whole times, where they are too far apart for entries.
    pub(super) whole_times: Vec<i64>,
    /// The order in which rows expire, if there is one: never before the block
    /// is closed.
    pub(super) due: Option<Due>,
    /// One bit per row, set if it has matched; empty if the store does not track matches.
    matched: Vec<u64>,
    /// One bit per row, set if it was taken out; empty while there is none.
    pub(super) dead: Vec<u64>,
    /// One bit per row, set if it is in no chain; empty while there is none.
    unlinked: Vec<u64>,
    /// Keys that do not fit into entries.
    heap: Vec<u8>,
    pub(super) columns: Columns,
}

/// What blocks are like.
#[derive(Clone, Debug)]
pub(crate) struct BlockShape {
    /// Rows of a block.
    pub(crate) rows: usize,
    pub(crate) payload: Arc<PayloadPlan>,
    pub(crate) tracks_matches: bool,
    /// The most bytes of one heap: what its offsets can tell apart.
    pub(crate) most_heap: usize,
}

impl BlockShape {
    /// Words of memory that a block needs.
    pub(crate) fn words<E: EntryKey>(&self) -> usize {
        self.entries() * E::WORDS + (self.rows * self.payload.stride).div_ceil(size_of::<u64>())
    }

    /// Entries that a block has memory for: as many as the numbers of its rows
    /// can tell apart, so that no number leads out of it.
    fn entries(&self) -> usize {
        self.rows.next_power_of_two()
    }
}

/// Bytes of a block, apart from its slot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockBytes {
    pub(crate) payload: usize,
    pub(crate) index: usize,
    pub(crate) bitmap: usize,
    pub(crate) slack: usize,
}

impl BlockBytes {
    pub(crate) fn add(&mut self, other: Self) {
        self.payload += other.payload;
        self.index += other.index;
        self.bitmap += other.bitmap;
        self.slack += other.slack;
    }

    pub(crate) fn remove(&mut self, other: Self) {
        self.payload -= other.payload;
        self.index -= other.index;
        self.bitmap -= other.bitmap;
        self.slack -= other.slack;
    }
}

/// Half of what the time of an entry reaches.
const HALF_REACH: i64 = LinkTime::REACH / 2;

impl Block {
    pub(crate) fn new<E: EntryKey>(shape: &BlockShape, arena: &mut Arena) -> Self {
        Self {
            slot: arena.take(),
            values: shape.entries() * E::WORDS,
            rows: 0,
            live: 0,
            late: 0,
            least: i64::MAX,
            greatest: i64::MIN,
            base: 0,
            whole_times: Vec::new(),
            due: None,
            matched: Vec::new(),
            dead: Vec::new(),
            unlinked: Vec::new(),
            heap: Vec::new(),
            columns: Columns::new(&shape.payload),
        }
    }

    /// Returns the memory.
    pub(crate) fn free(self, arena: &mut Arena) {
        arena.give_back(self.slot);
    }

    /// Whether there is memory for this many words of entries.
    pub(super) fn has_entries(&self, words: usize) -> bool {
        self.values == words && words <= self.slot.words().len()
    }

    pub(super) fn entries(&self) -> *const u64 {
        self.slot.as_ptr()
    }

    pub(super) fn values(&self) -> *const u8 {
        self.slot.words()[self.values..].as_ptr().cast()
    }

    /// Bytes from the first value on.
    pub(super) fn value_bytes(&self) -> usize {
        size_of_val(&self.slot.words()[self.values..])
    }

    pub(super) fn heap(&self) -> &[u8] {
        &self.heap
    }

    pub(super) fn entry<E: EntryKey>(&self, row: usize) -> &[u64] {
        debug_assert!(row < self.rows);
        &self.slot.words()[row * E::WORDS..(row + 1) * E::WORDS]
    }

    pub(crate) fn link<E: EntryKey>(&self, row: usize) -> RowNumber {
        RowNumber(last_word::<E>(self.entry::<E>(row)).link())
    }

    pub(crate) fn set_link<E: EntryKey>(&mut self, row: usize, link: RowNumber) {
        let word = &mut self.slot.words_mut()[(row + 1) * E::WORDS - 1];
        *word = *word & !u64::from(u32::MAX) | u64::from(link.0);
    }

    /// The hash of a row's key; at least its upper half is right.
    pub(crate) fn hash<E: EntryKey>(&self, row: usize, hasher: &crate::hash::KeyHasher) -> u64 {
        E::hash(self.entry::<E>(row), hasher)
    }

    /// The event time of a row.
    pub(crate) fn time<E: EntryKey>(&self, row: usize) -> i64 {
        match self.whole_times.get(row) {
            Some(&time) => time,
            None => self.base + last_word::<E>(self.entry::<E>(row)).after_base(),
        }
    }

    pub(crate) fn is_dead(&self, row: usize) -> bool {
        bits::get(&self.dead, row)
    }

    pub(crate) fn has_dead(&self) -> bool {
        !self.dead.is_empty()
    }

    /// Rows that were taken out one by one.
    pub(super) fn dead_rows(&self) -> usize {
        self.dead.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether a row is in a chain.
    pub(crate) fn is_linked(&self, row: usize) -> bool {
        !bits::get(&self.unlinked, row)
    }

    pub(crate) fn is_matched(&self, row: usize) -> bool {
        bits::get(&self.matched, row)
    }

    pub(crate) fn set_matched(&mut self, row: usize) {
        bits::put(&mut self.matched, row, true);
    }

    /// Appends rows, of which the first is number `first` of those that come
    /// in; `links` are the older row of each. They must fit.
    pub(crate) fn append<E: EntryKey>(
        &mut self,
        shape: &BlockShape,
        new: NewRows<'_>,
        incoming: &Incoming<'_>,
        first: usize,
        rows: &[u32],
        links: &[RowNumber],
    ) {
        assert!(self.rows + rows.len() <= shape.rows, "more rows than fit into a block");
        assert_eq!(rows.len(), links.len(), "one link per row");
        let at = self.rows;
        let (micros, nulls) = (new.times.micros(), new.times.nulls());
        let time = |row: u32| match nulls {
            Some(nulls) if nulls.is_null(row as usize) => 0,
            _ => micros[row as usize],
        };
        self.make_room_for_times::<E>(rows.iter().map(|&row| time(row)));
        let batch = E::keys(new.keys.keys());
        let hashes = new.keys.hashes();
        let entries = &mut self.slot.words_mut()[at * E::WORDS..(at + rows.len()) * E::WORDS];
        let (base, mut late, mut greatest) = (self.base, self.late, self.greatest);
        for (entry, (&row, &link)) in entries.chunks_exact_mut(E::WORDS).zip(rows.iter().zip(links))
        {
            let time = time(row);
            let is_late = time < greatest;
            late += usize::from(is_late);
            greatest = greatest.max(time);
            entry[E::WORDS - 1] = LinkTime::new(link.0, time.wrapping_sub(base) as u32, is_late).0;
            E::write(entry, batch, row as usize, hashes[row as usize], &mut self.heap);
        }
        (self.late, self.greatest) = (late, greatest);
        if let Some(matchable) = new.keys.matchable() {
            for (i, &row) in rows.iter().enumerate() {
                if !matchable.value(row as usize) {
                    bits::put(&mut self.unlinked, at + i, true);
                }
            }
        }
        if shape.tracks_matches {
            for (i, &row) in rows.iter().enumerate() {
                bits::put(&mut self.matched, at + i, new.matched[row as usize]);
            }
        }
        self.rows += rows.len();
        self.live += rows.len();
        let values = value_bytes(&mut self.slot, self.values);
        self.columns.append(&shape.payload, incoming, first, rows, at, values);
    }

    /// Updates the least time for rows that come in, and keeps all times whole if
    /// some of them do not fit into entries.
    fn make_room_for_times<E: EntryKey>(&mut self, times: impl Iterator<Item = i64> + Clone) {
        if self.rows == 0 {
            self.base = times.clone().next().map_or(0, |time| time.saturating_sub(HALF_REACH));
        }
        let (least, greatest) = times
            .clone()
            .fold((i64::MAX, i64::MIN), |(least, greatest), t| (least.min(t), greatest.max(t)));
        self.least = self.least.min(least);
        let last = self.base.saturating_add(LinkTime::REACH);
        let fits = |time: i64| self.base <= time && time <= last;
        if self.whole_times.is_empty() && fits(least) && fits(greatest) {
            return;
        }
        if self.whole_times.is_empty() {
            let kept = (0..self.rows).map(|row| self.time::<E>(row)).collect();
            self.whole_times = kept;
        }
        self.whole_times.extend(times);
    }

    /// How many of `rows`, from number `first` of those that come in on, fit.
    pub(crate) fn room<E: EntryKey>(
        &self,
        shape: &BlockShape,
        new: NewRows<'_>,
        incoming: &Incoming<'_>,
        first: usize,
        rows: &[u32],
    ) -> usize {
        let rows = &rows[..rows.len().min(shape.rows - self.rows)];
        let most = shape.most_heap;
        let fit = E::fitting(E::keys(new.keys.keys()), rows, self.heap.len(), most);
        match shape.payload.is_fixed() {
            true => fit,
            false => self.columns.fitting(incoming, first, &rows[..fit], most),
        }
    }

    /// Whether a row of another block fits.
    pub(crate) fn has_room_for<E: EntryKey>(
        &self,
        shape: &BlockShape,
        other: &Self,
        row: usize,
    ) -> bool {
        let key = E::heap_bytes(other.entry::<E>(row), &other.heap);
        self.rows < shape.rows
            && self.heap.len() + key <= shape.most_heap
            && self.columns.fits(&other.columns, row, shape.most_heap)
    }

    /// Appends a row of another block.
    pub(crate) fn append_from<E: EntryKey>(
        &mut self,
        shape: &BlockShape,
        other: &Self,
        row: usize,
        link: RowNumber,
    ) {
        let at = self.rows;
        let time = other.time::<E>(row);
        self.make_room_for_times::<E>(std::iter::once(time));
        let is_late = time < self.greatest;
        self.late += usize::from(is_late);
        self.greatest = self.greatest.max(time);
        let entry = &mut self.slot.words_mut()[at * E::WORDS..(at + 1) * E::WORDS];
        E::copy(other.entry::<E>(row), &other.heap, entry, &mut self.heap);
        let after = time.wrapping_sub(self.base) as u32;
        entry[E::WORDS - 1] = LinkTime::new(link.0, after, is_late).0;
        self.rows += 1;
        self.live += 1;
        if shape.tracks_matches {
            bits::put(&mut self.matched, at, other.is_matched(row));
        }
        if !other.is_linked(row) {
            bits::put(&mut self.unlinked, at, true);
        }
        let stride = shape.payload.stride;
        let from = other.slot.words();
        let values = value_bytes(&mut self.slot, self.values);
        // The bytes of whole words, as they lie.
        for (i, byte) in values[at * stride..(at + 1) * stride].iter_mut().enumerate() {
            let byte_at = row * stride + i;
            *byte = from[other.values + byte_at / 8].to_ne_bytes()[byte_at % 8];
        }
        self.columns.append_from(&other.columns, row, at);
    }

    /// The least and the greatest event time.
    pub(crate) fn times(&self) -> (i64, i64) {
        (self.least, self.greatest)
    }

    /// Whether all times between two fit into the entries of a block, whichever of
    /// its rows comes first.
    pub(crate) fn times_fit(least: i64, greatest: i64) -> bool {
        greatest.checked_sub(least).is_some_and(|span| span <= HALF_REACH)
    }

    /// Rows in state, noted late rows that have expired included.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Rows that were put in.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The links of all rows.
    pub(super) fn links<E: EntryKey>(&self) -> Box<[RowNumber]> {
        (0..self.rows).map(|row| self.link::<E>(row)).collect()
    }

    /// What the block holds.
    pub(crate) fn bytes<E: EntryKey>(&self, shape: &BlockShape) -> BlockBytes {
        let (used, allocated, valid) = self.columns.bytes();
        let entry = E::WORDS * size_of::<u64>();
        let bits = self.matched.capacity() + self.dead.capacity() + self.unlinked.capacity();
        let bits = bits * size_of::<u64>();
        let whole = self.whole_times.len() * size_of::<i64>();
        let slot = size_of_val(self.slot.words());
        BlockBytes {
            payload: self.rows * shape.payload.stride + used,
            index: self.rows * entry
                + self.heap.len()
                + whole
                + self.due.as_ref().map_or(0, Due::bytes),
            bitmap: bits + valid,
            slack: slot - self.rows * (entry + shape.payload.stride) + allocated - used
                + (self.heap.capacity() - self.heap.len())
                + self.whole_times.capacity() * size_of::<i64>()
                - whole
                + Self::own_bytes(shape),
        }
    }

    /// What an empty block takes apart from its slot.
    pub(crate) fn own_bytes(shape: &BlockShape) -> usize {
        size_of::<Self>() + Columns::list_bytes(&shape.payload)
    }

    /// Length and capacity of the heap of keys.
    pub(crate) fn key_room(&self) -> (usize, usize) {
        (self.heap.len(), self.heap.capacity())
    }

    /// Length and capacity of the heaps of kept columns: bytes, and where values end.
    pub(crate) fn columns_rooms(&self) -> impl Iterator<Item = [(usize, usize); 2]> + '_ {
        self.columns.rooms()
    }

    /// Whether it has rows with a lower time than one before them.
    pub(crate) fn has_late(&self) -> bool {
        self.late > 0
    }
}

/// The values of fixed width of a block.
fn value_bytes(slot: &mut Slot, from: usize) -> &mut [u8] {
    let words = &mut slot.words_mut()[from..];
    let bytes = size_of_val(words);
    // SAFETY: the bytes of a slice of words, borrowed as the slice is; any
    // byte is a value, and any bytes make a word.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), bytes) }
}
