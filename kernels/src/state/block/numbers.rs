//! The numbers of rows in a ring of blocks.
//!
//! Rows are numbered as they come, and the numbers wrap around. Those from
//! `oldest` to before `next` are current; every other number, whether from a head
//! that nobody has touched for long or from the end of a chain, names no row.
//!
//! ```text
//! a number   | tag of the ring | block         | offset in it |
//!                              '---- mask, counted around ----'
//!
//!        ... names no row ... [oldest ........ next) ... names no row ...
//!                              age 4  3  2  1  0
//! ```

use crate::memory::{Plain, sealed};

/// The number of a row in its ring, without the ring's tag; none of its bits say
/// whether the row is still there. Newer and older are told by
/// [`Numbers::age`], not by size: the order that this type has is one for
/// sorting only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(crate) struct RowNumber(pub(crate) u32);

// SAFETY: a `u32`: every bit pattern is a value, no padding.
unsafe impl sealed::Sealed for RowNumber {}
impl Plain for RowNumber {}

/// Which numbers are current, and the arithmetic of all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    /// Bits of a number that are counted; the others are the tag of the ring.
    pub(super) mask: u32,
    pub(super) tag: u32,
    /// Bits that number the rows of a block.
    pub(super) shift: u32,
    /// The first current number, the first of its block.
    pub(super) oldest: RowNumber,
    /// The number of the next row.
    pub(super) next: RowNumber,
}

impl Numbers {
    /// Numbers of `bits` bits under `tag`, for blocks of `block_rows` rows; the
    /// first row is number `first`, rounded down to a block.
    pub(super) fn new(tag: u32, bits: u32, block_rows: usize, first: u32) -> Self {
        let shift = block_rows.next_power_of_two().trailing_zeros();
        let mask = u32::MAX >> (32 - bits);
        assert!(shift + 4 <= bits && tag & mask == 0, "a block is a small part of the numbers");
        let first = RowNumber(first & mask & !((1 << shift) - 1));
        Self { mask, tag, shift, oldest: first, next: first }
    }

    /// What a row is called outside its ring.
    #[inline(always)]
    pub(crate) fn id(&self, row: RowNumber) -> u32 {
        row.0 | self.tag
    }

    /// The number of a row of this ring by its id.
    #[inline(always)]
    pub(super) fn of_id(&self, id: u32) -> RowNumber {
        RowNumber(id ^ self.tag)
    }

    /// Where a row lies in its block.
    #[inline(always)]
    pub(crate) fn offset(&self, row: RowNumber) -> usize {
        (row.0 & ((1 << self.shift) - 1)) as usize
    }

    /// The first row of the block that a row belongs to.
    pub(super) fn first(&self, row: RowNumber) -> RowNumber {
        RowNumber(row.0 & self.mask & !((1 << self.shift) - 1))
    }

    /// How many numbers are current, those that no row got included.
    #[inline(always)]
    pub(crate) fn span(&self) -> u32 {
        self.distance(self.next, self.oldest)
    }

    /// How many numbers ago `row` was given, from 0.
    #[inline(always)]
    pub(crate) fn age(&self, row: RowNumber) -> u32 {
        self.next.0.wrapping_sub(row.0).wrapping_sub(1) & self.mask
    }

    #[inline(always)]
    pub(crate) fn is_current(&self, row: RowNumber) -> bool {
        self.age(row) < self.span()
    }

    /// A number that names no row, for as long as the oldest block is there and
    /// half of all numbers after that.
    pub(crate) fn none(&self) -> RowNumber {
        RowNumber(self.oldest.0.wrapping_sub(1) & self.mask)
    }

    /// How many numbers may be current at once: a quarter of all, so that old
    /// links and heads stay out of reach until they are overwritten.
    pub(crate) fn most(&self) -> u32 {
        self.mask / 4
    }

    /// The first row of the oldest block.
    pub(crate) fn oldest(&self) -> RowNumber {
        self.oldest
    }

    /// The first row of the newest block, if there is a block.
    pub(super) fn newest(&self) -> Option<RowNumber> {
        (self.span() > 0).then(|| self.first(RowNumber(self.next.0.wrapping_sub(1))))
    }

    /// The number that the next row gets, unless a new block is opened for it.
    pub(crate) fn next(&self) -> RowNumber {
        self.next
    }

    /// The number `rows` after `number`.
    #[inline(always)]
    pub(crate) fn plus(&self, number: RowNumber, rows: u32) -> RowNumber {
        RowNumber(number.0.wrapping_add(rows) & self.mask)
    }

    /// How far `newer` is from `older`.
    #[inline(always)]
    pub(crate) fn distance(&self, newer: RowNumber, older: RowNumber) -> u32 {
        newer.0.wrapping_sub(older.0) & self.mask
    }

    /// The first row of the block before that of `row`.
    pub(super) fn before(&self, row: RowNumber) -> RowNumber {
        self.earlier(self.first(row), 1)
    }

    /// The first row of the block after that of `row`.
    pub(crate) fn after(&self, row: RowNumber) -> RowNumber {
        self.plus(self.first(row), 1 << self.shift)
    }

    /// A row `blocks` blocks before `row`; it need not be current.
    #[inline]
    pub(crate) fn earlier(&self, row: RowNumber, blocks: u32) -> RowNumber {
        RowNumber(row.0.wrapping_sub(blocks << self.shift) & self.mask)
    }

    /// Blocks in the span, held or not.
    pub(crate) fn blocks(&self) -> usize {
        (self.span() as usize).div_ceil(1 << self.shift)
    }

    /// The first rows of all blocks, held or not, the oldest first.
    pub(crate) fn firsts(&self) -> impl Iterator<Item = RowNumber> + use<> {
        let numbers = *self;
        (0..self.blocks() as u32).map(move |i| numbers.plus(numbers.oldest, i << numbers.shift))
    }
}
