//! Blocks by the numbers of their rows. Links lead from newer rows to older ones,
//! so that a chain ends.

use super::entry::EntryKey;
use super::numbers::{Numbers, RowNumber};
use super::rows::Block;
use crate::arch::{BlockHead, Blocks, prefetch_address};

/// Blocks in the order of their rows.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) numbers: Numbers,
    /// Words of an entry.
    pub(super) entry_words: usize,
    /// The first row of the block that rows are appended to.
    open: Option<RowNumber>,
    /// By block number, modulo their length, a power of two.
    pub(super) hot: Vec<BlockHead>,
    pub(super) cold: Vec<Cold>,
    /// The least event time in a block and all newer ones, or less.
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
    Links(Box<[RowNumber]>),
}

/// Rows that left and are neighbours in a chain: at most this many are skipped at
/// once. The older ones mostly left earlier and already skip others. Not measured.
const HOPS: usize = 32;

const GONE: BlockHead =
    BlockHead { entries: std::ptr::null(), base: 0, greatest: i64::MIN, floor: i64::MAX };

impl Directory {
    /// An empty directory of numbers of `bits` bits under `tag`, for blocks of
    /// `block_rows` rows; the first row is number `first`, rounded down to a block.
    pub(crate) fn new<E: EntryKey>(tag: u32, bits: u32, block_rows: usize, first: u32) -> Self {
        Self {
            numbers: Numbers::new(tag, bits, block_rows, first),
            entry_words: E::WORDS,
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
        let numbers = &self.numbers;
        Blocks {
            heads: &self.hot,
            shift: numbers.shift,
            mask: numbers.mask,
            tag: numbers.tag,
            next: numbers.next.0,
            span: numbers.span(),
            none: numbers.none().0,
        }
    }

    /// Where the block that a row belongs to is in the vectors.
    #[inline(always)]
    pub(super) fn place(&self, row: RowNumber) -> usize {
        (row.0 >> self.numbers.shift) as usize & (self.hot.len() - 1)
    }

    /// The first row of the block that rows are appended to, if there is one.
    pub(crate) fn open(&self) -> Option<RowNumber> {
        self.open
    }

    /// The block that rows are appended to, if there is one.
    pub(crate) fn open_block(&self) -> Option<&Block> {
        match &self.cold[self.place(self.open?)] {
            Cold::Held(block) => Some(block),
            _ => None,
        }
    }

    /// The block of a row and where the row lies in it; `None` if it is gone.
    pub(crate) fn locate(&self, row: RowNumber) -> Option<(&Block, usize)> {
        let at = self.numbers.offset(row);
        self.block(row).filter(|block| at < block.rows).map(|block| (block, at))
    }

    pub(crate) fn block(&self, row: RowNumber) -> Option<&Block> {
        match &self.cold[self.place(row)] {
            Cold::Held(block) if self.numbers.is_current(row) => Some(block),
            _ => None,
        }
    }

    pub(crate) fn block_mut(&mut self, row: RowNumber) -> Option<&mut Block> {
        let place = self.place(row);
        let current = self.numbers.is_current(row);
        match &mut self.cold[place] {
            Cold::Held(block) if current => Some(block),
            _ => None,
        }
    }

    /// The link of a row; `None` if it is not current.
    pub(crate) fn link<E: EntryKey>(&self, row: RowNumber) -> Option<RowNumber> {
        if !self.numbers.is_current(row) {
            return None;
        }
        match &self.cold[self.place(row)] {
            Cold::Held(block) => {
                let at = self.numbers.offset(row);
                (at < block.rows).then(|| block.link::<E>(at))
            }
            Cold::Links(links) => links.get(self.numbers.offset(row)).copied(),
            Cold::Gone => None,
        }
    }

    /// Whether a row has this number, as far as blocks tell: no entry is read.
    pub(crate) fn names_row(&self, row: RowNumber) -> bool {
        let at = self.numbers.offset(row);
        self.numbers.is_current(row)
            && match &self.cold[self.place(row)] {
                Cold::Held(block) => at < block.rows,
                Cold::Links(links) => at < links.len(),
                Cold::Gone => false,
            }
    }

    /// The first row of a chain, from `row` on, that is there and not dead, or
    /// one of those before, if they are many; [`none`](Self::none) where the
    /// chain ends, because a number that ended it long ago will be used again.
    fn first_there<E: EntryKey>(&self, mut row: RowNumber) -> RowNumber {
        for _ in 0..HOPS {
            let Some(next) = self.link::<E>(row) else { return self.numbers.none() };
            match &self.cold[self.place(row)] {
                Cold::Held(block) if !block.is_dead(self.numbers.offset(row)) => break,
                _ => row = next,
            }
        }
        if self.numbers.is_current(row) { row } else { self.numbers.none() }
    }

    /// Links a dead row past others that are dead.
    pub(crate) fn shorten<E: EntryKey>(&mut self, row: RowNumber) {
        if let Some(next) = self.link::<E>(row) {
            self.set_link::<E>(row, self.first_there::<E>(next));
        }
    }

    /// Links a row to an older one.
    pub(crate) fn set_link<E: EntryKey>(&mut self, row: RowNumber, link: RowNumber) {
        let at = self.numbers.offset(row);
        if let Some(block) = self.block_mut(row) {
            block.set_link::<E>(at, link);
        }
    }

    /// Prefetches the entry of a row.
    #[inline]
    pub(crate) fn prefetch<E: EntryKey>(&self, row: RowNumber) {
        let entries = self.hot[self.place(row)].entries;
        prefetch_address(entries.wrapping_add(self.numbers.offset(row) * E::WORDS));
    }

    /// Opens a new block, for the row that comes next.
    ///
    /// # Panics
    /// If it does not have as many entries of this kind as a block's numbers can
    /// tell apart: walks rely on it.
    pub(crate) fn push(&mut self, block: Block) {
        assert!(
            block.has_entries(self.entry_words << self.numbers.shift),
            "a block of another shape"
        );
        if let Some(newest) = self.numbers.newest() {
            self.numbers.next = self.numbers.after(newest);
        }
        if self.numbers.blocks() + 1 > self.hot.len() {
            self.grow();
        }
        let greatest = match self.numbers.span() {
            0 => i64::MIN,
            _ => self.hot[self.place(self.numbers.before(self.numbers.next))].greatest,
        };
        let place = self.place(self.numbers.next);
        let entries = block.entries();
        // Walks keep addresses in vectors.
        entries.expose_provenance();
        self.hot[place] = BlockHead { entries, greatest, floor: greatest, base: 0 };
        self.least[place] = i64::MAX;
        self.cold[place] = Cold::Held(Box::new(block));
        self.open = Some(self.numbers.next);
    }

    /// Lets `append` add this many rows to the open block.
    ///
    /// # Panics
    /// If no block is open, or another number of rows is added.
    pub(crate) fn append(&mut self, rows: usize, timed: bool, append: impl FnOnce(&mut Block)) {
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
        self.numbers.next = self.numbers.plus(self.numbers.next, rows as u32);
        // Older blocks have a newer row with this time now.
        let mut row = first;
        while row != self.numbers.oldest {
            row = self.numbers.before(row);
            let place = self.place(row);
            if self.least[place] <= least {
                break;
            }
            self.least[place] = least;
        }
    }

    /// Whether every row of the block of `row`, held or not, and of all newer
    /// ones is newer than `time`. If it holds for a row, it does for newer ones.
    pub(crate) fn all_newer(&self, row: RowNumber, time: i64) -> bool {
        self.numbers.is_current(row) && self.least[self.place(row)] > time
    }

    /// Whether the rows of the block of `row` are there, and none is dead.
    #[inline]
    pub(crate) fn is_plain(&self, row: RowNumber) -> bool {
        self.dead == 0
            && self.numbers.is_current(row)
            && !self.hot[self.place(row)].entries.is_null()
    }

    /// Notes that a row, of a block that is held, is dead.
    pub(crate) fn note_dead(&mut self) {
        self.dead += 1;
    }

    /// Takes a block out; its links stay if there are older blocks.
    pub(crate) fn take<E: EntryKey>(&mut self, row: RowNumber) -> Option<Block> {
        self.block(row)?;
        let first = self.numbers.first(row);
        if self.open == Some(first) {
            self.open = None;
        }
        let place = self.place(row);
        let hot = &mut self.hot[place];
        hot.entries = std::ptr::null();
        let Cold::Held(block) = std::mem::take(&mut self.cold[place]) else { return None };
        if first != self.numbers.oldest {
            let mut links = block.links::<E>();
            // Links into this block skip its rows, which are gone.
            for row in 0..links.len() {
                let older = links[row];
                let here = self.numbers.is_current(older) && self.numbers.first(older) == first;
                links[row] = if here {
                    links[self.numbers.offset(older)]
                } else {
                    self.first_there::<E>(older)
                };
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
        while self.numbers.span() > 0 {
            let place = self.place(self.numbers.oldest);
            if matches!(self.cold[place], Cold::Held(_)) {
                break;
            }
            if let Cold::Links(links) = std::mem::take(&mut self.cold[place]) {
                self.link_bytes -= size_of_val(&*links);
            }
            self.hot[place] = GONE;
            if Some(self.numbers.oldest) == self.numbers.newest() {
                // The next row opens a block.
                self.numbers.next = self.numbers.after(self.numbers.oldest);
            }
            self.numbers.oldest = self.numbers.after(self.numbers.oldest);
        }
    }

    fn grow(&mut self) {
        let len = self.hot.len() * 2;
        let (mut hot, mut cold): (Vec<BlockHead>, Vec<Cold>) =
            (0..len).map(|_| (GONE, Cold::Gone)).unzip();
        let mut least = vec![i64::MAX; len];
        let mut row = self.numbers.oldest;
        for _ in 0..self.numbers.blocks() {
            let (from, to) = (self.place(row), (row.0 >> self.numbers.shift) as usize & (len - 1));
            hot[to] = self.hot[from];
            cold[to] = std::mem::take(&mut self.cold[from]);
            least[to] = self.least[from];
            row = self.numbers.after(row);
        }
        (self.hot, self.cold, self.least) = (hot, cold, least);
    }

    /// The most bytes that this many more blocks add.
    pub(crate) fn growth(&self, blocks: usize) -> usize {
        let needed = (self.numbers.blocks() + blocks).next_power_of_two();
        let one = size_of::<BlockHead>() + size_of::<Cold>() + size_of::<i64>();
        needed.saturating_sub(self.hot.len()) * one
    }

    /// Bytes in use and bytes allocated.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        let one = size_of::<BlockHead>() + size_of::<Cold>() + size_of::<i64>();
        (self.numbers.blocks() * one + self.link_bytes, self.hot.len() * one + self.link_bytes)
    }
}
