//! The walk along hash chains of stored rows, for a block of probe rows
//! together, so that their cache misses overlap.
//!
//! ```text
//! round 1   advance: find the entry of each row's candidate, prefetch it
//!           read:    compare it, emit a pair if it matches, take its link
//! round 2   advance: ... for the rows that have a candidate left
//! ```
//!
//! A walk stops before it reads a row whose block and all older blocks lie before
//! the window, and after it has read one that lies before the window, as do all
//! older rows.

#[cfg(test)]
mod tests;

use super::{Isa, dispatch};
use crate::pairs::Pairs;

/// Probe rows that walk together: enough to hide memory latency, few enough that
/// their columns stay in the first-level cache. Chosen by that reasoning; other
/// sizes were not measured.
pub(crate) const WALK_ROWS: usize = 256;
/// Rows in the widest vector: columns and lists have room for one more vector,
/// so that whole vectors can be stored.
pub(crate) const LANES: usize = 8;
pub(crate) const ROOM: usize = WALK_ROWS + LANES;

/// The last word of a stored row's entry: the link to the next older row of its
/// chain in the lower half; above it how far the event time lies after the base
/// of its block, in microseconds, and in the uppermost bit whether a row before
/// it in its block has a greater time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct LinkTime(pub(crate) u64);

impl LinkTime {
    /// The furthest that a time may lie after the base of its block.
    pub(crate) const REACH: i64 = (1 << 31) - 1;

    #[inline(always)]
    pub(crate) fn new(link: u32, after: u32, is_late: bool) -> Self {
        let time = u64::from(is_late) << 31 | u64::from(after & Self::REACH as u32);
        Self(time << 32 | u64::from(link))
    }

    #[inline(always)]
    pub(crate) fn link(self) -> u32 {
        self.0 as u32
    }

    /// How far the time lies after the base of the block.
    #[inline(always)]
    pub(crate) fn after_base(self) -> i64 {
        (self.0 >> 32) as i64 & Self::REACH
    }

    /// Whether a row before this one, in its block, has a greater time.
    #[inline(always)]
    pub(crate) fn is_late(self) -> bool {
        self.0 >> 63 != 0
    }
}

/// What a step along a chain needs to know about a block of stored rows.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct BlockHead {
    /// The entry of the block's first row; null where a step takes a closer look:
    /// the rows are gone, or their times are kept beside the entries.
    ///
    /// Its provenance is exposed: vectors hold it as a number.
    pub(crate) entries: *const u64,
    /// What the times in entries are relative to.
    pub(crate) base: i64,
    /// The greatest event time in this block and all older ones, or more.
    pub(crate) greatest: i64,
    /// The greatest event time in all older blocks, or more.
    pub(crate) floor: i64,
}

// SAFETY: the pointer is plain data: who has it read through, by `walk_chains`,
// promises that it can be.
unsafe impl Send for BlockHead {}
// SAFETY: as above.
unsafe impl Sync for BlockHead {}

/// Blocks of stored rows, by row number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'a> {
    /// By block number, modulo their length, a power of two.
    pub(crate) heads: &'a [BlockHead],
    /// Bits of a number that tell the rows of a block apart.
    pub(crate) shift: u32,
    /// Bits of a number that count rows.
    pub(crate) mask: u32,
    /// What numbers have in the other bits when they are emitted.
    pub(crate) tag: u32,
    /// The number of the next row, and how many numbers before it are current.
    pub(crate) next: u32,
    pub(crate) span: u32,
    /// A number that names no row.
    pub(crate) none: u32,
}

/// What a walk asks of the store that it walks and the keys that it looks up.
pub(crate) trait Chains {
    /// Words of an entry, the last of which is a [`LinkTime`].
    const ENTRY_WORDS: usize;

    /// The keys that are looked up, if an entry is such a word and the last one,
    /// and their number fits a signed lane.
    fn words(&self) -> Option<&[u64]>;

    /// Whether an entry, that of `candidate`, has the key of probe row `row`.
    ///
    /// # Safety
    /// `row` is below the number of keys.
    unsafe fn has_key(&self, entry: &[u64], candidate: u32, row: u32) -> bool;

    /// Link, time and whether it has the key of `row`, for a row whose entry does
    /// not say all, or that is gone.
    fn look_closer(&self, candidate: u32, row: u32) -> (LinkTime, i64, bool);

    /// The candidate to go on with after one that has the key of `row` but is
    /// newer than `to`: `next` or an older one.
    fn skip(&self, row: u32, next: u32, to: i64) -> u32;

    /// Drops the pairs from `from` on whose stored row is dead.
    fn drop_dead(&self, pairs: &mut Pairs, from: usize);
}

/// The probe rows that have a candidate left, column by column; the first `len`
/// of each are in use.
pub(crate) struct Active {
    pub(crate) len: usize,
    pub(crate) rows: [u32; ROOM],
    pub(crate) candidates: [u32; ROOM],
    /// The window of event times that partners of the row may have.
    pub(crate) from: [i64; ROOM],
    pub(crate) to: [i64; ROOM],
    /// The entry of the candidate; null if that takes a closer look.
    pub(crate) entries: [*const u64; ROOM],
    /// Base and floor of the candidate's block.
    pub(crate) bases: [i64; ROOM],
    pub(crate) floors: [i64; ROOM],
}

impl Active {
    pub(crate) fn new() -> Self {
        Self {
            len: 0,
            rows: [0; ROOM],
            candidates: [0; ROOM],
            from: [0; ROOM],
            to: [0; ROOM],
            entries: [std::ptr::null(); ROOM],
            bases: [0; ROOM],
            floors: [0; ROOM],
        }
    }
}

/// Pairs in the making: the first `len` are found, and there is room for a
/// vector more than may still be found.
pub(crate) struct Lists<'a> {
    pub(crate) probe: &'a mut [u32],
    pub(crate) stored: &'a mut [u32],
    pub(crate) len: usize,
}

/// Walks from the candidates of `active` until no row has one left or `limit`
/// pairs, about, are held; appends the pairs that it finds. Returns how many
/// stored rows it read.
///
/// # Safety
/// Rows of `active` are below the number of keys of `chains`. Entries of heads
/// are null or those of `1 << shift` rows, of [`Chains::ENTRY_WORDS`] words each,
/// two if [`Chains::words`] are there, that can be read, through the pointer and
/// through its address, of which the provenance is exposed.
///
/// # Panics
/// If there are more rows than [`WALK_ROWS`], the number of heads is not a power of
/// two up to 2^28, or the machine lacks `isa`.
pub(crate) unsafe fn walk_chains<C: Chains>(
    isa: Isa,
    chains: &C,
    blocks: Blocks<'_>,
    active: &mut Active,
    pairs: &mut Pairs,
    limit: usize,
) -> u64 {
    assert!(active.len <= WALK_ROWS, "no more rows than there is room for");
    assert!(blocks.heads.len().is_power_of_two() && blocks.heads.len() <= 1 << 28);
    // SAFETY: the caller's promise.
    dispatch!(isa, walk::walk_chains(chains, blocks, active, pairs, limit))
}
