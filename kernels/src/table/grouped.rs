//! Indexes that number the distinct keys of the build side: what all of them
//! share once a key is located.
//!
//! Rows of one key lie side by side in an order of the index's own, its *run*,
//! so that a key is located once a probe row however many rows it has, and its
//! pairs are written by a loop without a check a pair. Where all keys differ
//! the number of a key is its position and there are no runs.

use std::fmt;

use arrow::buffer::BooleanBuffer;

use super::build::{BuildInput, BuiltIndex};
use super::{FindCursor, JoinIndex, Probe};
use crate::arch::{CacheSizes, Isa, found_bits, prefetch_read, select_matches};
use crate::key::KeyView;
use crate::memory::Buffer;
use crate::pairs::{NO_ROW, Pairs};

/// Probe rows located together: enough to hide memory latency, few enough that
/// their state stays in the first-level cache.
pub(super) const BLOCK: usize = 128;
/// Pairs written at once; what exceeds a run is overwritten by the next one.
const LANES: usize = 8;

/// Which probe rows a block holds.
pub(super) trait RowSource: Copy {
    /// The `i`th row of the block.
    ///
    /// # Safety
    /// `i` is below the number of rows in the block.
    unsafe fn row(self, i: usize) -> usize;
}

/// The rows from a row on.
#[derive(Clone, Copy)]
struct From(usize);

impl RowSource for From {
    #[inline(always)]
    unsafe fn row(self, i: usize) -> usize {
        self.0 + i
    }
}

/// The rows of a list.
#[derive(Clone, Copy)]
struct Listed<'a>(&'a [u32]);

impl RowSource for Listed<'_> {
    #[inline(always)]
    unsafe fn row(self, i: usize) -> usize {
        debug_assert!(i < self.0.len());
        // SAFETY: the caller keeps `i` below the length.
        unsafe { *self.0.get_unchecked(i) as usize }
    }
}

/// Finds the number of a key.
pub(super) trait Locate: fmt::Debug + Send + Sync + 'static {
    /// The name of the index.
    const NAME: &'static str;
    /// The probe side's keys.
    type Keys<'a>: Copy;

    /// Views keys, which have the shape that was built.
    fn keys(keys: KeyView<'_>) -> Self::Keys<'_>;

    /// One more than the largest number.
    fn numbers(&self) -> usize;

    /// For each row of a block the number of its key, or [`NO_ROW`].
    ///
    /// # Safety
    /// `found` holds at most [`BLOCK`] values, one for each row of the block,
    /// and the rows are below the number of hashes, which is that of keys.
    unsafe fn locate<R: RowSource>(
        &self,
        keys: Self::Keys<'_>,
        hashes: &[u64],
        rows: R,
        found: &mut [u32],
    );

    /// Bytes of each array held; a look-up touches one place of each.
    fn arrays(&self) -> Vec<usize>;
}

/// Where the rows of each key lie in the order of the index: those of key `n`
/// from `starts[n]` to `starts[n + 1]`.
#[derive(Debug)]
pub(super) struct Runs {
    starts: Buffer<u32>,
    /// Whether no run has two rows.
    unique: bool,
    prefetch: bool,
}

impl Runs {
    /// Runs that begin at `starts`, one entry more than there are numbers.
    ///
    /// # Panics
    /// If there are no entries or they descend.
    pub(super) fn new(starts: Buffer<u32>) -> Self {
        assert!(starts.windows(2).all(|pair| pair[0] <= pair[1]) && starts[0] == 0);
        let unique = starts.windows(2).all(|pair| pair[1] - pair[0] <= 1);
        let prefetch = starts.bytes() > CacheSizes::detect().l2 / 2;
        Self { starts, unique, prefetch }
    }

    /// Orders rows by the number of their key; rows of a key keep their order.
    /// `numbers[row]` is below `keys`.
    pub(super) fn group(numbers: &[u32], keys: usize) -> (Self, Vec<u32>) {
        let mut starts = Buffer::<u32>::zeroed(keys + 1);
        for &number in numbers {
            starts[number as usize + 1] += 1;
        }
        for i in 0..keys {
            starts[i + 1] += starts[i];
        }
        let mut order = vec![0; numbers.len()];
        let mut ends = Buffer::copied_from(&starts);
        for (row, &number) in numbers.iter().enumerate() {
            let end = &mut ends[number as usize];
            order[*end as usize] = row as u32;
            *end += 1;
        }
        (Self::new(starts), order)
    }

    /// The first position of key `number`.
    pub(super) fn start(&self, number: u32) -> u32 {
        self.starts[number as usize]
    }

    /// The rows of key `number`.
    ///
    /// # Safety
    /// There is such a number.
    #[inline(always)]
    unsafe fn get(&self, number: u32) -> (u32, u32) {
        let number = number as usize;
        debug_assert!(number + 1 < self.starts.len());
        // SAFETY: there is one entry more than there are numbers.
        unsafe { (*self.starts.get_unchecked(number), *self.starts.get_unchecked(number + 1)) }
    }

    /// Where the run that `position` lies in ends.
    fn end_of(&self, position: u32) -> u32 {
        let after = self.starts.partition_point(|&start| start <= position);
        self.starts.get(after).copied().unwrap_or(position + 1)
    }

    fn prefetch(&self, numbers: &[u32]) {
        if self.prefetch {
            for &number in numbers {
                prefetch_read(&self.starts, number as usize);
            }
        }
    }
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
    fn each_block(&self, probe: Probe<'_>, mut visit: impl FnMut(&Self, &[u32], &mut [u32])) {
        let (keys, hashes) = (L::keys(probe.keys()), probe.hashes());
        let mut found = [NO_ROW; BLOCK];
        let mut rows = [0; BLOCK];
        let mut next = 0;
        while next < probe.len() {
            let count;
            (next, count) = list_rows(probe, next, &mut rows);
            // SAFETY: the list holds rows of the probe, whose keys and hashes
            // are equal in number; at most a block of them.
            unsafe {
                self.locate.locate(keys, hashes, Listed(&rows[..count]), &mut found[..count]);
            }
            visit(self, &rows[..count], &mut found[..count]);
        }
    }

    /// Appends the pairs of the rows in the cursor, in order, until the limit.
    fn go_on(&self, cursor: &mut FindCursor, pairs: &mut Pairs, limit: usize) {
        let mut done = 0;
        while done < cursor.rows.len() {
            let (row, from) = (cursor.rows[done], cursor.candidates[done]);
            let end = self.runs.as_ref().map_or(from + 1, |runs| runs.end_of(from));
            let to = from + room(pairs, limit).min((end - from) as usize) as u32;
            pairs.build_rows.extend(from..to);
            pairs.probe_rows.resize(pairs.build_rows.len(), row);
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
        // SAFETY: so many pairs were written.
        unsafe { writer.finish(total) };
    }
}

/// How many more pairs may be appended: at least one if none is held.
fn room(pairs: &Pairs, limit: usize) -> usize {
    limit.saturating_sub(pairs.len()).max(usize::from(pairs.is_empty()))
}

/// Fills `rows` with the rows from `next` on that may match, as many as there
/// is room for; returns the first row not looked at and how many there are.
fn list_rows(probe: Probe<'_>, mut next: usize, rows: &mut [u32]) -> (usize, usize) {
    let Some(matchable) = probe.matchable() else {
        let count = rows.len().min(probe.len() - next);
        for (i, row) in rows[..count].iter_mut().enumerate() {
            *row = (next + i) as u32;
        }
        return (next + count, count);
    };
    let mut count = 0;
    while next < probe.len() && count < rows.len() {
        let len = (rows.len() - count).min(probe.len() - next).min(64);
        let mut bits = bits_from(matchable, next, len);
        while bits != 0 {
            rows[count] = (next + bits.trailing_zeros() as usize) as u32;
            count += 1;
            bits &= bits - 1;
        }
        next += len;
    }
    (next, count)
}

/// `len <= 64` bits from bit `from` on, the first one lowest.
fn bits_from(bits: &BooleanBuffer, from: usize, len: usize) -> u64 {
    let start = bits.offset() + from;
    let bytes = &bits.values()[start / 8..(start + len).div_ceil(8)];
    let mut wide = [0; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    let wide = (u128::from_le_bytes(wide) >> (start % 8)) as u64;
    if len == 64 { wide } else { wide & ((1 << len) - 1) }
}

/// Writes pairs into memory that was reserved for them.
struct PairWriter<'a> {
    pairs: &'a mut Pairs,
    probe_rows: *mut u32,
    build_rows: *mut u32,
    /// For debug assertions: pairs that may still be written.
    room: usize,
}

impl<'a> PairWriter<'a> {
    /// For `count` more pairs.
    fn new(pairs: &'a mut Pairs, count: usize) -> Self {
        pairs.probe_rows.reserve(count + LANES);
        pairs.build_rows.reserve(count + LANES);
        let (probe_rows, build_rows) =
            (pairs.probe_rows.spare_capacity_mut(), pairs.build_rows.spare_capacity_mut());
        let (probe_rows, build_rows) =
            (probe_rows.as_mut_ptr().cast(), build_rows.as_mut_ptr().cast());
        Self { pairs, probe_rows, build_rows, room: count }
    }

    /// Appends the pairs of `row` with the `len` positions from `start` on.
    ///
    /// # Safety
    /// All runs together are at most as long as was reserved.
    #[inline(always)]
    unsafe fn run(&mut self, row: u32, start: u32, len: usize) {
        debug_assert!(len <= self.room);
        self.room -= len;
        let lanes: [u32; LANES] = std::array::from_fn(|lane| lane as u32);
        let mut written = 0;
        while written < len {
            let first = start.wrapping_add(written as u32);
            let positions = lanes.map(|lane| first.wrapping_add(lane));
            // SAFETY: `written < len`, which is within what was reserved, and
            // there is room for `LANES` values more than that.
            unsafe {
                self.probe_rows.add(written).cast::<[u32; LANES]>().write_unaligned([row; LANES]);
                self.build_rows.add(written).cast::<[u32; LANES]>().write_unaligned(positions);
            }
            written += LANES;
        }
        // SAFETY: within the reservation.
        unsafe {
            self.probe_rows = self.probe_rows.add(len);
            self.build_rows = self.build_rows.add(len);
        }
    }

    /// # Safety
    /// `count` pairs were written.
    unsafe fn finish(self, count: usize) {
        let len = self.pairs.len() + count;
        // SAFETY: the caller wrote them, within the capacity reserved.
        unsafe {
            self.pairs.probe_rows.set_len(len);
            self.pairs.build_rows.set_len(len);
        }
    }
}

/// Moves the rows that were found, and what was found, to the front; returns
/// how many they are.
fn compress(rows: &mut [u32], found: &mut [u32]) -> usize {
    let mut count = 0;
    for i in 0..found.len().min(rows.len()) {
        (rows[count], found[count]) = (rows[i], found[i]);
        count += usize::from(found[i] != NO_ROW);
    }
    count
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

    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) {
        assert_eq!(probe.len(), matches.len(), "one match a probe row");
        let keys = L::keys(probe.keys());
        if probe.matchable().is_some() {
            matches.fill(NO_ROW);
            return self.each_block(probe, |index, rows, found| {
                index.first_positions(found);
                for (&row, &found) in rows.iter().zip(&*found) {
                    matches[row as usize] = found;
                }
            });
        }
        for (block, found) in matches.chunks_mut(BLOCK).enumerate() {
            // SAFETY: blocks of the matches are blocks of the probe, which has
            // as many rows, and as many keys and hashes.
            unsafe { self.locate.locate(keys, probe.hashes(), From(block * BLOCK), found) };
            self.first_positions(found);
        }
    }

    fn exists(&self, probe: Probe<'_>, found: &mut [u64]) {
        assert_eq!(found.len(), probe.len().div_ceil(64), "one bit a probe row");
        found.fill(0);
        if probe.matchable().is_some() {
            return self.each_block(probe, |_, rows, numbers| {
                for (&row, &number) in rows.iter().zip(&*numbers) {
                    found[row as usize / 64] |= u64::from(number != NO_ROW) << (row % 64);
                }
            });
        }
        let keys = L::keys(probe.keys());
        let mut numbers = [NO_ROW; BLOCK];
        for (block, words) in found.chunks_mut(BLOCK / 64).enumerate() {
            let from = block * BLOCK;
            let numbers = &mut numbers[..BLOCK.min(probe.len() - from)];
            // SAFETY: rows of the probe, as many as there are numbers.
            unsafe { self.locate.locate(keys, probe.hashes(), From(from), numbers) };
            found_bits(self.isa, numbers, words);
        }
    }

    fn find(&self, probe: Probe<'_>, cursor: &mut FindCursor, pairs: &mut Pairs, limit: usize) {
        let (keys, hashes) = (L::keys(probe.keys()), probe.hashes());
        // What a caller's cursor holds is checked once a call.
        assert_eq!(cursor.rows.len(), cursor.candidates.len(), "cursor of another index");
        assert!(
            cursor.rows.iter().all(|&row| (row as usize) < probe.len())
                && cursor.candidates.iter().all(|&c| (c as usize) < self.positions),
            "cursor of another probe"
        );
        self.go_on(cursor, pairs, limit);
        let (mut rows, mut found, mut located) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
        // So many rows are likely to find room.
        let fan_out = (self.rows / self.locate.numbers().max(1)).max(1);
        while cursor.rows.is_empty() && cursor.next_row < probe.len() {
            let room = room(pairs, limit);
            if room == 0 {
                return;
            }
            let block = BLOCK.min(room.div_ceil(fan_out));
            let (count, from) = (block.min(probe.len() - cursor.next_row), cursor.next_row);
            let count = if probe.matchable().is_some() {
                let listed;
                (cursor.next_row, listed) = list_rows(probe, from, &mut rows[..block]);
                let (listed, found) = (&mut rows[..listed], &mut found[..listed]);
                // SAFETY: the list holds rows of the probe, at most a block.
                unsafe { self.locate.locate(keys, hashes, Listed(listed), found) };
                compress(listed, found)
            } else {
                cursor.next_row += count;
                let located = &mut located[..count];
                // SAFETY: `from + count` is at most the length of the probe.
                unsafe { self.locate.locate(keys, hashes, From(from), located) };
                select_matches(self.isa, located, from as u32, &mut rows, &mut found)
            };
            let (rows, numbers) = (&rows[..count], &found[..count]);
            match &self.runs {
                // At most one pair a row, and no more rows than room.
                None => {
                    pairs.probe_rows.extend_from_slice(rows);
                    pairs.build_rows.extend_from_slice(numbers);
                }
                Some(runs) => self.write_runs(runs, (rows, numbers), cursor, pairs, limit),
            }
        }
    }
}
