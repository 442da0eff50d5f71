//! The newest row of each bucket. The table grows and shrinks with the state, a
//! few buckets per call, so that no call has to wait for all of them.

use std::ops::Deref;

use crate::arch::prefetch_read;
use crate::memory::Buffer;
use crate::state::block::RowNumber;

/// Buckets of an empty state. Not measured.
const BASE_BITS: u32 = 6;
/// Buckets are numbered with 32 bits.
const MOST_BITS: u32 = 31;

/// How far ahead of its use a head is prefetched.
/// The prototype of this crate found 16 to 64 best; not measured here.
const AHEAD: usize = 32;

/// Row numbers by the upper bits of the hash.
#[derive(Debug)]
pub(super) struct Heads {
    bits: u32,
    rows: Buffer<RowNumber>,
    /// The table before, while it is moved into this one.
    before: Option<Before>,
    /// Where the sweep for old numbers goes on, and how much of a bucket it
    /// is behind.
    sweep: usize,
    credit: u64,
}

#[derive(Debug)]
struct Before {
    bits: u32,
    rows: Buffer<RowNumber>,
    /// Buckets of the smaller of the two tables that have been moved.
    moved: usize,
}

/// A bucket to move from the table before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Move {
    /// One bucket becomes two.
    Split { bucket: usize, head: RowNumber },
    /// Two buckets become one.
    Merge { bucket: usize, heads: [RowNumber; 2] },
}

#[inline(always)]
fn bucket(hash: u64, bits: u32) -> usize {
    (hash >> (64 - bits)) as usize
}

fn filled(bits: u32, none: RowNumber) -> Buffer<RowNumber> {
    let mut rows = Buffer::zeroed(1 << bits);
    rows.fill(none);
    rows
}

/// Heads, and while they are moved the table before: its bits and how many
/// buckets of the smaller of the two have been moved.
#[derive(Debug)]
pub(super) struct View<T> {
    bits: u32,
    rows: T,
    before: Option<(T, u32, usize)>,
}

impl<T: Deref<Target = [RowNumber]>> View<T> {
    /// The table that the bucket of a hash is in, and the bucket.
    #[inline(always)]
    fn place(&self, hash: u64) -> (&T, usize) {
        match &self.before {
            Some((rows, bits, moved)) if bucket(hash, self.bits.min(*bits)) >= *moved => {
                (rows, bucket(hash, *bits))
            }
            _ => (&self.rows, bucket(hash, self.bits)),
        }
    }

    /// The newest row of the bucket of a hash.
    #[inline(always)]
    pub(super) fn get(&self, hash: u64) -> RowNumber {
        let (rows, bucket) = self.place(hash);
        rows[bucket]
    }

    /// Prefetches the head of a bucket.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        let (rows, bucket) = self.place(hash);
        prefetch_read(rows, bucket);
    }
}

impl View<&mut [RowNumber]> {
    /// Puts a row at the head of its bucket; returns the row that was there.
    #[inline(always)]
    pub(super) fn replace(&mut self, hash: u64, row: RowNumber) -> RowNumber {
        let head = match &mut self.before {
            Some((rows, bits, moved)) if bucket(hash, self.bits.min(*bits)) >= *moved => {
                &mut rows[bucket(hash, *bits)]
            }
            _ => &mut self.rows[bucket(hash, self.bits)],
        };
        std::mem::replace(head, row)
    }
}

impl Heads {
    /// Empty buckets for `rows` rows; `none` names no row.
    pub(super) fn new(rows: usize, none: RowNumber) -> Self {
        let bits = rows.next_power_of_two().ilog2().clamp(BASE_BITS, MOST_BITS);
        Self { bits, rows: filled(bits, none), before: None, sweep: 0, credit: 0 }
    }

    /// The heads as slices, for a batch of look-ups.
    pub(super) fn view(&self) -> View<&[RowNumber]> {
        let before = self.before.as_ref();
        View {
            bits: self.bits,
            rows: &self.rows,
            before: before.map(|before| (&before.rows[..], before.bits, before.moved)),
        }
    }

    fn view_mut(&mut self) -> View<&mut [RowNumber]> {
        let before = self.before.as_mut();
        View {
            bits: self.bits,
            rows: &mut self.rows,
            before: before.map(|before| (&mut before.rows[..], before.bits, before.moved)),
        }
    }

    /// Puts a row at the head of its bucket; returns the row that was there.
    pub(super) fn replace(&mut self, hash: u64, row: RowNumber) -> RowNumber {
        self.view_mut().replace(hash, row)
    }

    /// Puts the rows of a batch at the heads of the buckets of their hashes, one
    /// after the other, except those that are not `linked`, if there are
    /// `some_not`; calls `was` with each and the row that was there.
    #[inline]
    pub(super) fn replace_all(
        &mut self,
        hashes: impl ExactSizeIterator<Item = u64> + Clone,
        number: impl Fn(usize) -> RowNumber,
        linked: impl Fn(usize) -> bool,
        some_not: bool,
        mut was: impl FnMut(usize, RowNumber),
    ) {
        let mut view = self.view_mut();
        hashes.clone().take(AHEAD).for_each(|hash| view.prefetch(hash));
        let mut ahead = hashes.clone().skip(AHEAD);
        if view.before.is_none() && !some_not {
            // The usual case: one table, all rows linked.
            let (bits, rows) = (view.bits, view.rows);
            for (i, hash) in hashes.enumerate() {
                prefetch_read(rows, bucket(ahead.next().unwrap_or(hash), bits));
                was(i, std::mem::replace(&mut rows[bucket(hash, bits)], number(i)));
            }
            return;
        }
        for (i, hash) in hashes.enumerate() {
            view.prefetch(ahead.next().unwrap_or(hash));
            if linked(i) {
                was(i, view.replace(hash, number(i)));
            }
        }
    }

    /// Begins to grow or shrink if this many rows call for it: one row per
    /// bucket at most, an eighth of one at least. Returns whether it begins.
    pub(super) fn fit(&mut self, rows: usize, none: RowNumber) -> bool {
        if self.before.is_some() {
            return false;
        }
        let buckets = self.rows.len();
        let bits = if rows > buckets && self.bits < MOST_BITS {
            self.bits + 1
        } else if rows < buckets / 8 && self.bits > BASE_BITS {
            self.bits - 1
        } else {
            return false;
        };
        let rows = std::mem::replace(&mut self.rows, filled(bits, none));
        self.before = Some(Before { bits: self.bits, rows, moved: 0 });
        self.bits = bits;
        (self.sweep, self.credit) = (0, 0);
        true
    }

    /// The bucket to move `ahead` calls from now, if there is one.
    pub(super) fn next_move(&self, ahead: usize) -> Option<Move> {
        let before = self.before.as_ref()?;
        let bucket = before.moved + ahead;
        if before.bits < self.bits {
            before.rows.get(bucket).map(|&head| Move::Split { bucket, head })
        } else {
            let heads = before.rows.get(2 * bucket..2 * bucket + 2)?;
            Some(Move::Merge { bucket, heads: [heads[0], heads[1]] })
        }
    }

    /// Finishes the move of a bucket into two.
    pub(super) fn split(&mut self, bucket: usize, heads: [RowNumber; 2]) {
        self.rows[2 * bucket..2 * bucket + 2].copy_from_slice(&heads);
        self.moved();
    }

    /// Finishes the move of two buckets into one.
    pub(super) fn merged(&mut self, bucket: usize, head: RowNumber) {
        self.rows[bucket] = head;
        self.moved();
    }

    fn moved(&mut self) {
        let Some(before) = &mut self.before else { return };
        before.moved += 1;
        if before.moved == before.rows.len().min(self.rows.len()) {
            self.before = None;
        }
    }

    /// Which half of its bucket a hash goes to when that is split.
    pub(super) fn half(&self, hash: u64) -> usize {
        bucket(hash, self.bits) & 1
    }

    /// Overwrites old numbers before they are used again: `rows` more numbers were
    /// given, and every `cycle` of them all buckets are checked.
    pub(super) fn sweep(
        &mut self,
        rows: usize,
        cycle: u32,
        none: RowNumber,
        is_current: impl Fn(RowNumber) -> bool,
    ) {
        // The table before is short-lived: it is gone long before a cycle is.
        self.credit += rows as u64 * self.rows.len() as u64;
        while self.credit >= u64::from(cycle) {
            self.credit -= u64::from(cycle);
            let head = &mut self.rows[self.sweep];
            if !is_current(*head) {
                *head = none;
            }
            self.sweep = (self.sweep + 1) & (self.rows.len() - 1);
        }
    }

    /// The most bytes that `more` rows add to those of `rows` rows.
    pub(super) fn growth(&self, rows: usize, more: usize) -> usize {
        let buckets = self.rows.len();
        // It may begin to shrink, into a table beside this one.
        let shrinks = self.before.is_none() && rows < buckets / 8;
        let shrunk = if shrinks { buckets / 2 * size_of::<RowNumber>() } else { 0 };
        if rows + more <= buckets {
            return shrunk;
        }
        // The table before is held until all of it has moved.
        let buckets = (rows + more).next_power_of_two();
        ((buckets + buckets / 2) * size_of::<RowNumber>()).saturating_sub(self.bytes()).max(shrunk)
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.bytes() + self.before.as_ref().map_or(0, |before| before.rows.bytes())
    }
}
