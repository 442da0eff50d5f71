//! Blocks by the numbers of their rows.
//!
//! Rows are numbered as they come, and the numbers wrap around. Those from
//! `oldest` to before `next` are current; every other number, be it from a head
//! that nobody has touched for long or from the end of a chain, names no row.
//! Links lead from newer rows to older ones, so that a chain ends.

use super::entry::EntryKey;
use super::rows::Block;
use crate::arch::{BlockHead, Blocks, prefetch_address};

/// Blocks in the order of their rows.
#[derive(Debug)]
pub(in crate::state) struct Directory {
    /// Bits of a number that are counted; the others are the tag of the ring.
    pub(super) mask: u32,
    pub(in crate::state) tag: u32,
    /// Bits that number the rows of a block.
    pub(super) shift: u32,
    /// Words of an entry.
    pub(super) entry_words: usize,
    /// The first current number, the first of its block.
    pub(super) oldest: u32,
    /// The number of the next row.
    pub(super) next: u32,
    /// The first row of the block that rows are appended to.
    open: Option<u32>,
    /// By block number, modulo their length, a power of two.
    pub(super) hot: Vec<BlockHead>,
    pub(super) cold: Vec<Cold>,
    /// The least event time in a block and all newer ones, at most.
    least: Vec<i64>,
    /// Bytes of links whose rows are gone.
    link_bytes: usize,
    /// Dead rows of blocks that are held.
    pub(super) dead: usize,
}

#[derive(Debug, Default)]
pub(super) enum Cold {
    #[default]
    Gone,
    Held(Box<Block>),
    /// The rows are gone; the links are still needed to get to older ones.
    Links(Box<[u32]>),
}

/// Rows that left and lie next to each other in a chain: so many are passed at
/// once. Mostly the older ones left before, and lead past others already.
const HOPS: usize = 32;

const GONE: BlockHead =
    BlockHead { entries: std::ptr::null(), base: 0, greatest: i64::MIN, floor: i64::MAX };

impl Directory {
    /// An empty directory of numbers of `bits` bits under `tag`, for blocks of
    /// so many rows; the first row is number `first`, rounded down to a block.
    pub(in crate::state) fn new<E: EntryKey>(
        tag: u32,
        bits: u32,
        block_rows: usize,
        first: u32,
    ) -> Self {
        let shift = block_rows.next_power_of_two().trailing_zeros();
        let mask = u32::MAX >> (32 - bits);
        assert!(shift + 4 <= bits && tag & mask == 0, "a block is a small part of the numbers");
        let first = first & mask & !((1 << shift) - 1);
        Self {
            mask,
            tag,
            shift,
            entry_words: E::WORDS,
            oldest: first,
            next: first,
            open: None,
            hot: vec![GONE; 4],
            cold: (0..4).map(|_| Cold::Gone).collect(),
            least: vec![i64::MAX; 4],
            link_bytes: 0,
            dead: 0,
        }
    }

    /// What a walk needs to know of the blocks.
    pub(super) fn blocks_by_number(&self) -> Blocks<'_> {
        Blocks {
            heads: &self.hot,
            shift: self.shift,
            mask: self.mask,
            tag: self.tag,
            next: self.next,
            span: self.span(),
            none: self.none(),
        }
    }

    /// The place of the block that a number belongs to.
    #[inline(always)]
    pub(super) fn place(&self, row: u32) -> usize {
        (row >> self.shift) as usize & (self.hot.len() - 1)
    }

    /// The place of a row in its block.
    #[inline(always)]
    pub(in crate::state) fn offset_of(&self, row: u32) -> usize {
        self.offset(row)
    }

    #[inline(always)]
    pub(super) fn offset(&self, row: u32) -> usize {
        (row & ((1 << self.shift) - 1)) as usize
    }

    /// Numbers from `oldest` to before `next`, those that no row got included.
    #[inline(always)]
    pub(in crate::state) fn span(&self) -> u32 {
        self.next.wrapping_sub(self.oldest) & self.mask
    }

    /// How many numbers ago `row` was given, from 0.
    #[inline(always)]
    pub(in crate::state) fn age(&self, row: u32) -> u32 {
        self.next.wrapping_sub(row).wrapping_sub(1) & self.mask
    }

    #[inline(always)]
    pub(in crate::state) fn is_current(&self, row: u32) -> bool {
        self.age(row) < self.span()
    }

    /// A number that names no row, for as long as the oldest block is there and
    /// half of all numbers after that.
    pub(in crate::state) fn none(&self) -> u32 {
        self.oldest.wrapping_sub(1) & self.mask
    }

    /// Most numbers that may be current at once: a quarter of all, so that old
    /// links and heads stay out of reach until they are overwritten.
    pub(in crate::state) fn most(&self) -> u32 {
        self.mask / 4
    }

    /// The number of the first row of the oldest block.
    pub(in crate::state) fn oldest(&self) -> u32 {
        self.oldest
    }

    /// The number of the first row of the newest block; none if there is none.
    fn newest(&self) -> Option<u32> {
        (self.span() > 0).then(|| self.first(self.next.wrapping_sub(1)))
    }

    /// The number of the first row of the block that a row belongs to.
    fn first(&self, row: u32) -> u32 {
        row & self.mask & !((1 << self.shift) - 1)
    }

    /// The first row of the block that rows are appended to, if there is one.
    pub(in crate::state) fn open(&self) -> Option<u32> {
        self.open
    }

    /// The block that rows are appended to, if there is one.
    pub(in crate::state) fn open_block(&self) -> Option<&Block> {
        match &self.cold[self.place(self.open?)] {
            Cold::Held(block) => Some(block),
            _ => None,
        }
    }

    /// The number that the next row gets, unless a new block is put up for it.
    pub(in crate::state) fn next(&self) -> u32 {
        self.next
    }

    /// `number` and so many on.
    #[inline(always)]
    pub(in crate::state) fn plus(&self, number: u32, rows: u32) -> u32 {
        number.wrapping_add(rows) & self.mask
    }

    /// How far `newer` is from `older`.
    #[inline(always)]
    pub(in crate::state) fn distance(&self, newer: u32, older: u32) -> u32 {
        newer.wrapping_sub(older) & self.mask
    }

    /// The first row of the block before or after that of `row`.
    fn neighbour(&self, row: u32, blocks: i32) -> u32 {
        self.first(row).wrapping_add((blocks << self.shift) as u32) & self.mask
    }

    /// A row so many blocks before `row`; it need not be current.
    #[inline]
    pub(in crate::state) fn earlier(&self, row: u32, blocks: u32) -> u32 {
        row.wrapping_sub(blocks << self.shift) & self.mask
    }

    /// The first row of the block after that of `row`.
    pub(in crate::state) fn after(&self, row: u32) -> u32 {
        self.neighbour(row, 1)
    }

    /// Blocks in the span, held or not.
    pub(in crate::state) fn blocks(&self) -> usize {
        (self.span() as usize).div_ceil(1 << self.shift)
    }

    /// The block of a row and the row's place in it; none if it is gone.
    pub(in crate::state) fn locate(&self, row: u32) -> Option<(&Block, usize)> {
        match &self.cold[self.place(row)] {
            Cold::Held(block) if self.is_current(row) => {
                let at = self.offset(row);
                (at < block.rows).then_some((&**block, at))
            }
            _ => None,
        }
    }

    pub(in crate::state) fn block(&self, row: u32) -> Option<&Block> {
        match &self.cold[self.place(row)] {
            Cold::Held(block) if self.is_current(row) => Some(block),
            _ => None,
        }
    }

    pub(in crate::state) fn block_mut(&mut self, row: u32) -> Option<&mut Block> {
        let place = self.place(row);
        let current = self.is_current(row);
        match &mut self.cold[place] {
            Cold::Held(block) if current => Some(block),
            _ => None,
        }
    }

    /// The link of a row; none if it is not current.
    pub(in crate::state) fn link<E: EntryKey>(&self, row: u32) -> Option<u32> {
        if !self.is_current(row) {
            return None;
        }
        match &self.cold[self.place(row)] {
            Cold::Held(block) => Some(block.link::<E>(self.offset(row))),
            Cold::Links(links) => links.get(self.offset(row)).copied(),
            Cold::Gone => None,
        }
    }

    /// The first row of a chain, from `row` on, that is there and not dead, or
    /// one of those before, if they are many; [`none`](Self::none) where the
    /// chain ends, for a number that ended it long ago will come round.
    fn first_there<E: EntryKey>(&self, mut row: u32) -> u32 {
        for _ in 0..HOPS {
            let Some(next) = self.link::<E>(row) else { return self.none() };
            match &self.cold[self.place(row)] {
                Cold::Held(block) if !block.is_dead(self.offset(row)) => break,
                _ => row = next,
            }
        }
        if self.is_current(row) { row } else { self.none() }
    }

    /// Lets a row that is dead lead past others that are.
    pub(in crate::state) fn shorten<E: EntryKey>(&mut self, row: u32) {
        if let Some(next) = self.link::<E>(row) {
            self.set_link::<E>(row, self.first_there::<E>(next));
        }
    }

    /// Links a row to an older one.
    pub(in crate::state) fn set_link<E: EntryKey>(&mut self, row: u32, link: u32) {
        let at = self.offset(row);
        if let Some(block) = self.block_mut(row) {
            block.set_link::<E>(at, link);
        }
    }

    /// Asks for the entry of a row.
    #[inline]
    pub(in crate::state) fn prefetch<E: EntryKey>(&self, row: u32) {
        let entries = self.hot[self.place(row)].entries;
        prefetch_address(entries.wrapping_add(self.offset(row) * E::WORDS));
    }

    /// The first rows of all blocks, held or not, the oldest first.
    pub(in crate::state) fn firsts(&self) -> impl Iterator<Item = u32> + use<> {
        let (oldest, mask, shift) = (self.oldest, self.mask, self.shift);
        (0..self.blocks() as u32).map(move |i| oldest.wrapping_add(i << shift) & mask)
    }

    /// Puts up a new block, for the row that comes next.
    ///
    /// # Panics
    /// If it has not as many entries of this kind as numbers can tell apart:
    /// walks rely on it.
    pub(in crate::state) fn push(&mut self, block: Block) {
        assert!(block.has_entries(self.entry_words << self.shift), "a block of another shape");
        if let Some(newest) = self.newest() {
            self.next = self.after(newest);
        }
        if self.blocks() + 1 > self.hot.len() {
            self.grow();
        }
        let greatest = match self.span() {
            0 => i64::MIN,
            _ => self.hot[self.place(self.neighbour(self.next, -1))].greatest,
        };
        let place = self.place(self.next);
        self.hot[place] =
            BlockHead { entries: block.entries(), greatest, floor: greatest, base: 0 };
        self.least[place] = i64::MAX;
        self.cold[place] = Cold::Held(Box::new(block));
        self.open = Some(self.next);
    }

    /// Lets `append` add so many rows to the open block.
    ///
    /// # Panics
    /// If no block is open, or another number of rows is added.
    pub(in crate::state) fn append(
        &mut self,
        rows: usize,
        timed: bool,
        append: impl FnOnce(&mut Block),
    ) {
        let first = self.open.expect("a block is open");
        let place = self.place(first);
        let Cold::Held(block) = &mut self.cold[place] else { panic!("an open block is held") };
        let before = block.rows;
        append(block);
        assert_eq!(block.rows, before + rows, "rows were added as said");
        let least = block.least;
        let hot = &mut self.hot[place];
        hot.base = block.base;
        if !block.whole_times.is_empty() {
            hot.entries = std::ptr::null();
        }
        hot.greatest = if timed { hot.greatest.max(block.greatest) } else { i64::MAX };
        self.least[place] = self.least[place].min(least);
        self.next = self.plus(self.next, rows as u32);
        // Older blocks have a newer row with this time now.
        let mut row = first;
        while row != self.oldest {
            row = self.neighbour(row, -1);
            let place = self.place(row);
            if self.least[place] <= least {
                break;
            }
            self.least[place] = least;
        }
    }

    /// Whether every row of the block of `row`, held or not, and of all newer
    /// ones is newer than `time`. If it holds for a row, it does for newer ones.
    pub(in crate::state) fn all_newer(&self, row: u32, time: i64) -> bool {
        self.is_current(row) && self.least[self.place(row)] > time
    }

    /// Whether the rows of the block of `row` are there, and none is dead.
    #[inline]
    pub(in crate::state) fn is_plain(&self, row: u32) -> bool {
        self.dead == 0 && self.is_current(row) && !self.hot[self.place(row)].entries.is_null()
    }

    /// Notes that a row, of a block that is held, is dead.
    pub(in crate::state) fn note_dead(&mut self) {
        self.dead += 1;
    }

    /// Takes a block out; its links stay if there are older blocks.
    pub(in crate::state) fn take<E: EntryKey>(&mut self, row: u32) -> Option<Block> {
        self.block(row)?;
        let first = self.first(row);
        if self.open == Some(first) {
            self.open = None;
        }
        let place = self.place(row);
        let hot = &mut self.hot[place];
        hot.entries = std::ptr::null();
        let Cold::Held(block) = std::mem::take(&mut self.cold[place]) else { return None };
        if first != self.oldest {
            let mut links = block.links::<E>();
            // The rows of this block are gone, which later ones lead past.
            for row in 0..links.len() {
                let older = links[row];
                let here = self.is_current(older) && self.first(older) == first;
                links[row] =
                    if here { links[self.offset(older)] } else { self.first_there::<E>(older) };
            }
            self.link_bytes += size_of_val(&*links);
            self.cold[place] = Cold::Links(links);
        }
        self.let_go();
        self.dead -= block.dead_rows();
        Some(*block)
    }

    /// Forgets blocks at the old end that are gone.
    fn let_go(&mut self) {
        while self.span() > 0 {
            let place = self.place(self.oldest);
            if matches!(self.cold[place], Cold::Held(_)) {
                break;
            }
            if let Cold::Links(links) = std::mem::take(&mut self.cold[place]) {
                self.link_bytes -= size_of_val(&*links);
            }
            self.hot[place] = GONE;
            if Some(self.oldest) == self.newest() {
                // The next row opens a block.
                self.next = self.after(self.oldest);
            }
            self.oldest = self.after(self.oldest);
        }
    }

    fn grow(&mut self) {
        let len = self.hot.len() * 2;
        let (mut hot, mut cold): (Vec<BlockHead>, Vec<Cold>) =
            (0..len).map(|_| (GONE, Cold::Gone)).unzip();
        let mut least = vec![i64::MAX; len];
        let mut row = self.oldest;
        for _ in 0..self.blocks() {
            let (from, to) = (self.place(row), (row >> self.shift) as usize & (len - 1));
            hot[to] = self.hot[from];
            cold[to] = std::mem::take(&mut self.cold[from]);
            least[to] = self.least[from];
            row = self.after(row);
        }
        (self.hot, self.cold, self.least) = (hot, cold, least);
    }

    /// Bytes in use and bytes allocated.
    pub(in crate::state) fn bytes(&self) -> (usize, usize) {
        let one = size_of::<BlockHead>() + size_of::<Cold>() + size_of::<i64>();
        (self.blocks() * one + self.link_bytes, self.hot.len() * one + self.link_bytes)
    }
}
