//! Rows in time-ordered blocks and the chains of their keys.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::marker::PhantomData;

use super::heads::Heads;
use super::hot_keys::HotKeys;
use super::late::LateRows;
use crate::error::{JoinError, Result};
use crate::hash::KeyHasher;
use crate::state::block::{
    Arena, Block, BlockBytes, BlockShape, Directory, EntryKey, Incoming, RowNumber,
};
use crate::state::{NewRows, StateSize, Upkeep};

/// Buckets that are moved during a resize whenever rows come in, at least. Not
/// measured.
const MOVES: usize = 64;
/// In a smaller state even the longest chain is short. Not measured.
pub(super) const LONG_CHAINS: usize = 4096;

/// How a ring is made.
#[derive(Clone, Debug)]
pub(super) struct RingPlan {
    /// Blocks as they are opened now.
    pub(super) shape: BlockShape,
    /// Rows of the largest.
    pub(super) most_rows: usize,
    pub(super) hasher: KeyHasher,
    /// Whether its rows have event times.
    pub(super) timed: bool,
    /// Whether look-ups come with an interval.
    pub(super) interval: bool,
    /// Upper bits that tell its row numbers from those of other rings.
    pub(super) tag: u32,
    /// Bits below the tag.
    pub(super) bits: u32,
    pub(super) first_row: u32,
}

/// Rows of the smallest block. Not measured.
const LEAST_ROWS: usize = 64;

impl RingPlan {
    /// Rows of a block where there are `rows` rows: a few blocks hold them, so
    /// that little is empty, and those of a large state are of full size.
    pub(super) fn block_rows(&self, rows: usize) -> usize {
        let most = self.most_rows;
        (rows / 2).next_power_of_two().clamp(LEAST_ROWS.min(most), most)
    }

    /// The days of late rows in blocks of the present size, at most.
    pub(super) fn days(&self) -> usize {
        LateRows::days(self.shape.rows)
    }
}

/// Blocks of rows, the newest rows by key, and which block is due when.
#[derive(Debug)]
pub(super) struct Ring<E> {
    pub(super) plan: RingPlan,
    pub(super) directory: Directory,
    pub(super) heads: Heads,
    pub(super) hot_keys: HotKeys,
    pub(super) arena: Arena,
    /// Blocks, except the open one, by the event time of the first row that has
    /// not expired.
    pub(super) due: BinaryHeap<Reverse<(i64, RowNumber)>>,
    /// That of the open block.
    pub(super) open_due: Option<i64>,
    /// Rows that do not expire in the order of their block.
    pub(super) late: LateRows,
    /// Rows at or before it have expired.
    pub(super) line: Option<i64>,
    pub(super) live: usize,
    /// Rows of blocks that are held.
    pub(super) held: usize,
    /// Blocks without a live row, and with few.
    pub(super) empty: Vec<RowNumber>,
    pub(super) thin: Vec<RowNumber>,
    /// Rows that came or left since memory was last reclaimed.
    pub(super) changed: usize,
    /// Rows that were lately in state or came at once; it fades.
    pub(super) demand: usize,
    /// The next number when old ones were last looked after, and how many were
    /// given since all of them were.
    pub(super) seen: RowNumber,
    pub(super) given: u32,
    /// What the blocks that are held hold.
    pub(super) bytes: BlockBytes,
    /// The least and the greatest event time of all rows since the ring was
    /// empty.
    pub(super) least: i64,
    pub(super) greatest: i64,
    /// What was done since memory was last reclaimed.
    pub(super) upkeep: Upkeep,
    pub(super) links: Vec<RowNumber>,
    key: PhantomData<E>,
}

impl<E: EntryKey> Ring<E> {
    pub(super) fn new(mut plan: RingPlan) -> Self {
        plan.shape.rows = plan.block_rows(0);
        let shape = &plan.shape;
        let directory = Directory::new::<E>(plan.tag, plan.bits, shape.rows, plan.first_row);
        Self {
            heads: Heads::new(0, directory.numbers.none()),
            hot_keys: HotKeys::new(),
            arena: Arena::new(shape.words::<E>()),
            due: BinaryHeap::new(),
            open_due: None,
            late: LateRows::new(plan.days()),
            line: None,
            live: 0,
            held: 0,
            empty: Vec::new(),
            thin: Vec::new(),
            changed: 0,
            demand: 0,
            seen: directory.numbers.next(),
            given: 0,
            bytes: BlockBytes::default(),
            least: i64::MAX,
            greatest: i64::MIN,
            upkeep: Upkeep::default(),
            links: Vec::new(),
            key: PhantomData,
            directory,
            plan,
        }
    }

    /// Whether there are numbers for this many more rows.
    ///
    /// # Errors
    /// [`JoinError::TooManyStateRows`] if not.
    pub(super) fn check_room(&self, rows: usize) -> Result<()> {
        let block = self.plan.most_rows;
        let numbers = (rows.div_ceil(block) + 1).saturating_mul(block.next_power_of_two());
        let most = self.directory.numbers.most() as usize;
        if numbers.saturating_add(self.directory.numbers.span() as usize) > most {
            return Err(JoinError::TooManyStateRows { limit: most as u64 });
        }
        Ok(())
    }

    /// Chooses the size of the first block, for `rows` rows that come in.
    pub(super) fn prepare(&mut self, rows: usize) {
        let fitting = self.first_rows(rows);
        if fitting != self.plan.shape.rows {
            let line = self.line;
            self.reset(fitting, 0);
            self.line = line;
        }
    }

    /// Rows of the next block, if [`prepare`](Self::prepare) is told that this many
    /// rows come in.
    pub(super) fn first_rows(&self, rows: usize) -> usize {
        let is_new = self.directory.numbers.span() == 0 && self.directory.open().is_none();
        if is_new { self.plan.block_rows(rows) } else { self.plan.shape.rows }
    }

    /// Appends rows, of which the first is number `first` of those that come in.
    pub(super) fn insert(
        &mut self,
        new: NewRows<'_>,
        incoming: &Incoming<'_>,
        first: usize,
        rows: &[u32],
    ) {
        let mut done = 0;
        while done < rows.len() {
            let left = &rows[done..];
            let open = self.directory.open_block();
            let shape = &self.plan.shape;
            let room = open.map_or(0, |b| b.room::<E>(shape, new, incoming, first + done, left));
            if room == 0 {
                self.open_block();
                continue;
            }
            self.append(new, incoming, first + done, &left[..room]);
            // Block by block, so that a large batch does not meet a small table.
            self.fit_heads();
            self.move_buckets(2 * room + MOVES);
            done += room;
        }
        self.left_behind();
    }

    pub(super) fn open_block(&mut self) {
        if let Some(open) = self.directory.open()
            && self.open_due.take().is_some()
            && let Some(block) = self.directory.block_mut(open)
        {
            self.bytes.remove(block.bytes::<E>(&self.plan.shape));
            let late = &mut self.late;
            let due = block
                .close::<E>(self.line, |at, time| late.push(time, RowNumber(open.0 + at as u32)));
            self.bytes.add(block.bytes::<E>(&self.plan.shape));
            self.due.extend(due.map(|due| Reverse((due, open))));
        }
        let block = Block::new::<E>(&self.plan.shape, &mut self.arena);
        self.bytes.add(block.bytes::<E>(&self.plan.shape));
        self.directory.push(block);
    }

    fn append(&mut self, new: NewRows<'_>, incoming: &Incoming<'_>, first: usize, rows: &[u32]) {
        self.link(new, rows);
        let Self { directory, plan, links, bytes, .. } = self;
        let mut times = (i64::MAX, i64::MIN);
        directory.append(rows.len(), plan.timed, |block| {
            bytes.remove(block.bytes::<E>(&plan.shape));
            block.append::<E>(&plan.shape, new, incoming, first, rows, links);
            bytes.add(block.bytes::<E>(&plan.shape));
            times = block.times();
        });
        self.live += rows.len();
        self.held += rows.len();
        self.changed += rows.len();
        self.noted(times);
    }

    /// Updates the least and the greatest time from those of the open block.
    pub(super) fn noted(&mut self, (least, greatest): (i64, i64)) {
        if self.plan.timed {
            // At most when its next row is due: a visit finds the rest out.
            self.open_due = Some(self.open_due.map_or(least, |due| due.min(least)));
            self.least = self.least.min(least);
            self.greatest = self.greatest.max(greatest);
        }
    }

    /// Puts rows that are about to be appended in front of their chains, and
    /// notes the older row of each in `links`.
    fn link(&mut self, new: NewRows<'_>, rows: &[u32]) {
        let Self { directory, heads, hot_keys, links, live, plan, .. } = self;
        let hashes = new.keys.hashes();
        let (next, span, none) =
            (directory.numbers.next(), directory.numbers.span(), directory.numbers.none());
        links.clear();
        links.resize(rows.len(), none);
        let matchable = new.keys.matchable();
        // The older row of a bucket, if it is of this call or current: between
        // row `i` and the oldest.
        let older = |i: usize, older: RowNumber| {
            let gap = directory.numbers.distance(directory.numbers.plus(next, i as u32), older);
            if gap.wrapping_sub(1) < span + i as u32 { older } else { none }
        };
        heads.replace_all(
            rows.iter().map(|&row| hashes[row as usize]),
            |i| directory.numbers.plus(next, i as u32),
            |i| matchable.is_none_or(|matchable| matchable.value(rows[i] as usize)),
            matchable.is_some(),
            |i, row| links[i] = older(i, row),
        );
        if !plan.interval || *live < LONG_CHAINS {
            return;
        }
        let mut note = |i: usize| {
            let number = directory.numbers.plus(next, i as u32);
            let is_current = |row| directory.numbers.distance(number, row) <= span + i as u32;
            hot_keys.note(number, hashes[rows[i] as usize], is_current);
        };
        let gap =
            |i: usize| directory.numbers.distance(directory.numbers.plus(next, i as u32), links[i]);
        // The first row of a key in this block, where it has several a block: one
        // without an older row seems to be further from it than half a block.
        let (at, near) = (directory.numbers.offset(next), plan.shape.rows as u32 / 2);
        for i in 0..rows.len().min((near as usize).saturating_sub(at)) {
            if gap(i) > (at + i) as u32 && gap(i) < near {
                note(i);
            }
        }
        // Now and then one of a key that has many rows nevertheless.
        for i in HotKeys::in_range(next, rows.len() as u32) {
            let i = i as usize;
            if links[i] != none && gap(i) >= near && HotKeys::is_hot(gap(i), *live) {
                note(i);
            }
        }
    }

    /// Whether a row that this ring numbered is in state.
    pub(super) fn is_live(&self, row: RowNumber) -> bool {
        self.directory.locate(row).is_some_and(|(block, at)| {
            let line = self.line.filter(|_| self.plan.timed);
            !block.is_dead(at) && line.is_none_or(|line| block.time::<E>(at) > line)
        })
    }

    /// Takes a row out, if it is in state.
    pub(super) fn remove(&mut self, row: RowNumber) -> bool {
        if !self.is_live(row) {
            return false;
        }
        let Self { directory, plan, bytes, .. } = self;
        let at = directory.numbers.offset(row);
        let Some(block) = directory.block_mut(row) else { return false };
        bytes.remove(block.bytes::<E>(&plan.shape));
        let live = block.remove(at);
        bytes.add(block.bytes::<E>(&plan.shape));
        directory.note_dead();
        directory.shorten::<E>(row);
        self.live -= 1;
        self.changed += 1;
        self.thinned(row, live + 1, live);
        true
    }

    /// Notes that a block has lost rows.
    pub(super) fn thinned(&mut self, row: RowNumber, before: usize, live: usize) {
        let few = self.plan.shape.rows / 4;
        if live == 0 {
            self.empty.push(row);
        } else if before > few && live <= few {
            self.thin.push(row);
        }
    }

    /// Notes that a row has a match; false if there is no such row.
    pub(super) fn set_matched(&mut self, row: RowNumber) -> bool {
        let at = self.directory.numbers.offset(row);
        let tracks_matches = self.plan.shape.tracks_matches;
        let block = self.directory.block_mut(row).filter(|block| at < block.rows());
        let Some(block) = block else { return false };
        // A block that does not track matches would grow by them.
        if tracks_matches {
            block.set_matched(at);
        }
        true
    }

    /// Rows in state whose time is after `line`, and those without a time.
    pub(super) fn rows_after(&self, line: i64) -> u64 {
        if !self.plan.timed || self.live == 0 {
            return self.live as u64;
        }
        let line = self.line.map_or(line, |expired| expired.max(line));
        let blocks =
            self.directory.numbers.firsts().filter_map(|first| self.directory.block(first));
        let after = blocks.map(|block| {
            let stays = |&at: &usize| !block.is_dead(at) && block.time::<E>(at) > line;
            (0..block.rows()).filter(stays).count() as u64
        });
        after.sum()
    }

    pub(super) fn size(&self) -> StateSize {
        let (directory, allocated) = self.directory.bytes();
        let due = self.due.len() * size_of::<(i64, RowNumber)>();
        let lists = (self.empty.capacity() + self.thin.capacity() + self.links.capacity())
            * size_of::<RowNumber>();
        let (late, late_allocated) = self.late.bytes();
        let spare =
            self.due.capacity() * size_of::<(i64, RowNumber)>() - due + late_allocated - late;
        let books = [
            self.heads.bytes(),
            self.hot_keys.bytes(),
            self.arena.book_bytes(),
            directory,
            due,
            late,
        ];
        let books: usize = books.iter().sum();
        let is_empty = self.held == 0;
        let (index, slack) =
            (self.bytes.index + books, self.bytes.slack + allocated - directory + spare + lists);
        StateSize {
            rows: self.live as u64,
            payload: self.bytes.payload,
            // An empty index is room for rows to come.
            index: if is_empty { 0 } else { index },
            bitmap: self.bytes.bitmap,
            slack: if is_empty { index + slack } else { slack },
            pool: self.arena.free_bytes(),
        }
    }
}
