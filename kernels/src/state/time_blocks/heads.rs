//! The newest row of each bucket. The table grows and shrinks with the state, a
//! few buckets a call, so that no call has to wait for all of them.

use crate::arch::prefetch_read;
use crate::memory::Buffer;

/// Buckets of an empty state.
const BASE_BITS: u32 = 6;

/// Row numbers by the upper bits of the hash.
#[derive(Debug)]
pub(super) struct Heads {
    bits: u32,
    rows: Buffer<u32>,
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
    rows: Buffer<u32>,
    /// Buckets of the smaller of the two tables that have been moved.
    moved: usize,
}

/// A bucket to move from the table before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Move {
    /// One bucket becomes two.
    Split { bucket: usize, head: u32 },
    /// Two buckets become one.
    Merge { bucket: usize, heads: [u32; 2] },
}

#[inline(always)]
fn bucket(hash: u64, bits: u32) -> usize {
    (hash >> (64 - bits)) as usize
}

fn filled(bits: u32, none: u32) -> Buffer<u32> {
    let mut rows = Buffer::zeroed(1 << bits);
    rows.fill(none);
    rows
}

impl Heads {
    /// Empty buckets; `none` names no row.
    pub(super) fn new(none: u32) -> Self {
        let rows = filled(BASE_BITS, none);
        Self { bits: BASE_BITS, rows, before: None, sweep: 0, credit: 0 }
    }

    /// Whether a hash of the table before is still there.
    #[inline(always)]
    fn is_unmoved(before: &Before, bits: u32, hash: u64) -> bool {
        bucket(hash, before.bits.min(bits)) >= before.moved
    }

    #[inline(always)]
    pub(super) fn get(&self, hash: u64) -> u32 {
        match &self.before {
            Some(before) if Self::is_unmoved(before, self.bits, hash) => {
                before.rows[bucket(hash, before.bits)]
            }
            _ => self.rows[bucket(hash, self.bits)],
        }
    }

    #[inline(always)]
    pub(super) fn replace(&mut self, hash: u64, row: u32) -> u32 {
        let head = match &mut self.before {
            Some(before) if Self::is_unmoved(before, self.bits, hash) => {
                &mut before.rows[bucket(hash, before.bits)]
            }
            _ => &mut self.rows[bucket(hash, self.bits)],
        };
        std::mem::replace(head, row)
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch_read(&self.rows, bucket(hash, self.bits));
        if let Some(before) = &self.before {
            prefetch_read(&before.rows, bucket(hash, before.bits));
        }
    }

    /// Begins to grow or shrink if so many rows call for it: one row a bucket
    /// at most, an eighth of one at least.
    pub(super) fn fit(&mut self, rows: usize, none: u32) {
        if self.before.is_some() {
            return;
        }
        let buckets = self.rows.len();
        let bits = if rows > buckets && self.bits < 31 {
            self.bits + 1
        } else if rows < buckets / 8 && self.bits > BASE_BITS {
            self.bits - 1
        } else {
            return;
        };
        let rows = std::mem::replace(&mut self.rows, filled(bits, none));
        self.before = Some(Before { bits: self.bits, rows, moved: 0 });
        self.bits = bits;
        (self.sweep, self.credit) = (0, 0);
    }

    /// The next bucket to move, if there is one; `peek` ahead of that is what
    /// will be moved so many calls later.
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
    pub(super) fn split(&mut self, bucket: usize, heads: [u32; 2]) {
        self.rows[2 * bucket..2 * bucket + 2].copy_from_slice(&heads);
        self.moved();
    }

    /// Finishes the move of two buckets into one.
    pub(super) fn merged(&mut self, bucket: usize, head: u32) {
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

    /// Overwrites old numbers, so that none comes round again: `rows` more
    /// numbers were given, and all buckets are to be seen in every `cycle`.
    pub(super) fn sweep(
        &mut self,
        rows: usize,
        cycle: u32,
        none: u32,
        is_current: impl Fn(u32) -> bool,
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

    pub(super) fn bytes(&self) -> usize {
        self.rows.bytes() + self.before.as_ref().map_or(0, |before| before.rows.bytes())
    }
}
