//! Memory of rows that left, and what keeps it in proportion to those that live.

use std::cmp::Reverse;

use super::heads::{Heads, Move};
use super::late::LateRows;
use super::ring::Ring;
use crate::state::block::{Arena, Block, BlockBytes, Directory, EntryKey, RowNumber};

/// Rows that one call copies out of thinned-out blocks, about, in addition to as
/// many as came and left since the call before. Not measured.
const COPIES: usize = 1024;
/// How far ahead of its move a bucket's row is prefetched.
/// The prototype of this crate found 16 to 64 best; not measured here.
const AHEAD: usize = 16;
/// Buckets that a call moves when no rows come in. Not measured.
const MOVES: usize = 1024;

impl<E: EntryKey> Ring<E> {
    /// Frees blocks without live rows, and of the others some if the rows that
    /// left hold much more memory than those that live.
    pub(super) fn reclaim(&mut self) {
        if self.live == 0 {
            // Also a ring that gave its rows away.
            if !self.arena.is_empty() {
                self.reset(self.plan.block_rows(0), 0);
            }
            self.demand = 0;
            return;
        }
        self.free_empty();
        self.fit_blocks();
        self.compact();
        self.left_behind();
        self.fit_heads();
        self.move_buckets(MOVES);
        self.arena.trim();
    }

    /// Cleans up the numbers that rows and blocks which left have left in lists:
    /// there must not be too many, and none by the time that the numbers are used
    /// again.
    pub(super) fn left_behind(&mut self) {
        let Self { directory, heads, late, due, hot_keys, .. } = self;
        let given = directory.numbers.distance(directory.numbers.next(), self.seen);
        (self.seen, self.given) = (directory.numbers.next(), self.given + given);
        let is_current = |row| directory.numbers.is_current(row);
        heads.sweep(given as usize, directory.numbers.most(), directory.numbers.none(), is_current);
        let all = self.given >= directory.numbers.most() / 2;
        if all {
            self.given = 0;
            hot_keys.forget(is_current);
        }
        if all || late.len() > 2 * self.live + self.plan.shape.rows {
            late.retain(|row| directory.locate(row).is_some_and(|(block, at)| !block.is_dead(at)));
        }
        let is_held = |row: RowNumber| directory.block(row).is_some();
        if all || due.len() > 2 * directory.numbers.blocks() + 64 {
            due.retain(|&Reverse((_, row))| is_held(row));
        }
        if all || self.thin.len() > 2 * directory.numbers.blocks() + 64 {
            self.thin.retain(|&row| is_held(row));
            self.thin.sort_unstable();
            self.thin.dedup();
        }
    }

    /// Lets blocks have the size that suits the rows: a state that has grown or
    /// shrunk by much is copied into others. Rows that come at once count like
    /// those that are there, so that a large batch does not meet small blocks.
    fn fit_blocks(&mut self) {
        let fading = self.demand - self.demand.div_ceil(8);
        self.demand = self.live.max(self.changed / 2).max(fading);
        let (rows, most) = (self.plan.shape.rows, self.plan.most_rows);
        let grows = self.demand > 4 * rows && rows < most;
        let shrinks = self.demand < rows / 4 && rows > self.plan.block_rows(0);
        if grows || shrinks {
            self.refill(self.plan.block_rows(self.demand), |ring, block, at, _| {
                ring.copy_in(block, at);
            });
        }
    }

    /// Empties the ring, for blocks of `block_rows` rows and heads of `rows`; its
    /// numbers continue.
    pub(super) fn reset(&mut self, block_rows: usize, rows: usize) {
        self.plan.shape.rows = block_rows;
        let (plan, last) = (&self.plan, self.directory.numbers.next());
        let next = self.directory.numbers.after(last);
        self.directory = Directory::new::<E>(plan.tag, plan.bits, plan.shape.rows, next.0);
        self.heads = Heads::new(rows, self.directory.numbers.none());
        self.hot_keys.clear();
        self.arena = Arena::new(plan.shape.words::<E>());
        (self.due, self.open_due, self.line) = (Default::default(), None, None);
        self.late = LateRows::new(plan.days());
        (self.empty, self.thin, self.links) = (Vec::new(), Vec::new(), Vec::new());
        (self.seen, self.given, self.changed) = (self.directory.numbers.next(), 0, 0);
        (self.held, self.bytes) = (0, BlockBytes::default());
        (self.least, self.greatest) = (i64::MAX, i64::MIN);
    }

    fn free_empty(&mut self) {
        let mut empty = std::mem::take(&mut self.empty);
        // The oldest first: those need not leave their links behind.
        empty.sort_unstable_by_key(|&row| Reverse(self.directory.numbers.age(row)));
        for row in empty.drain(..) {
            let block = self.directory.block(row);
            if block.is_some_and(|block| block.live() == 0) && !self.is_open(row) {
                let block = self.take(row).expect("the block was just seen");
                block.free(&mut self.arena);
            }
        }
        self.empty = empty;
    }

    /// Whether a row is of the block that rows are appended to, which has room.
    fn is_open(&self, row: RowNumber) -> bool {
        let block = self.directory.block(row);
        let open = self.directory.open_block();
        block.zip(open).is_some_and(|(block, open)| {
            std::ptr::eq(block, open) && open.rows() < self.plan.shape.rows
        })
    }

    /// Takes a block out of the ring.
    pub(super) fn take(&mut self, row: RowNumber) -> Option<Block> {
        let block = self.directory.take::<E>(row)?;
        if self.directory.open().is_none() {
            self.open_due = None;
        }
        self.bytes.remove(block.bytes::<E>(&self.plan.shape));
        self.held -= block.rows();
        Some(block)
    }

    /// Moves the rows of thinned-out blocks to the newest one, while those that
    /// left hold more than half as much as those that live; and those of the
    /// oldest block, if the numbers in use are many more than the rows.
    fn compact(&mut self) {
        let block = self.plan.shape.rows;
        let most = COPIES + std::mem::take(&mut self.changed);
        let (mut copies, mut open) = (0, None);
        while copies < most && self.held - self.live > self.live / 2 + 4 * block {
            let Some(row) = self.thin.pop() else { break };
            let live = self.directory.block(row).map_or(0, Block::live);
            if self.is_open(row) {
                open = Some(row);
            } else if live > 0 && live <= block / 4 {
                copies += live;
                self.move_rows(row);
            }
        }
        self.thin.extend(open);
        while copies < most && self.directory.numbers.blocks() > 4 * (self.live / block) + 64 {
            let oldest = self.directory.numbers.oldest();
            if self.is_open(oldest) {
                break;
            }
            copies += self.directory.block(oldest).map_or(1, Block::live).max(1);
            self.move_rows(oldest);
        }
    }

    /// Moves the live rows of a block to the open one.
    fn move_rows(&mut self, row: RowNumber) {
        self.give_away(row, |ring, block, at, _| ring.copy_in(block, at));
    }

    /// Takes a block out; calls `each` with each of its live rows and its time.
    pub(super) fn give_away(
        &mut self,
        row: RowNumber,
        mut each: impl FnMut(&mut Self, &Block, usize, i64),
    ) {
        let line = self.line.filter(|_| self.plan.timed);
        let Some(block) = self.take(row) else { return };
        for at in 0..block.rows() {
            let time = block.time::<E>(at);
            if !block.is_dead(at) && line.is_none_or(|line| time > line) {
                self.live -= 1;
                each(self, &block, at, time);
            }
        }
        block.free(&mut self.arena);
    }

    /// The times of one in `step` rows.
    pub(super) fn sample(&self, step: usize) -> Vec<i64> {
        let rows = self.directory.numbers.firsts().filter_map(|first| self.directory.block(first));
        let rows = rows.flat_map(|block| (0..block.rows()).map(move |at| (block, at)));
        rows.step_by(step).map(|(block, at)| block.time::<E>(at)).collect()
    }

    /// Moves the rows after `limit` into another ring and appends all others again,
    /// so that no trace of the far ones is left.
    pub(super) fn part(&mut self, limit: i64, others: &mut Self) {
        self.refill(self.plan.shape.rows, |ring, block, at, time| {
            if time > limit { others.copy_in(block, at) } else { ring.copy_in(block, at) }
        });
    }

    /// Takes all blocks out and begins anew with blocks of `block_rows` rows; calls `each`
    /// with each live row and its time.
    fn refill(&mut self, block_rows: usize, mut each: impl FnMut(&mut Self, &Block, usize, i64)) {
        let firsts = self.directory.numbers.firsts();
        let blocks: Vec<Block> = firsts.filter_map(|first| self.take(first)).collect();
        let (line, live) = (self.line, std::mem::take(&mut self.live));
        self.reset(block_rows, live);
        self.line = line;
        let line = line.filter(|_| self.plan.timed);
        for block in blocks {
            for at in 0..block.rows() {
                let time = block.time::<E>(at);
                if !block.is_dead(at) && line.is_none_or(|line| time > line) {
                    each(self, &block, at, time);
                }
            }
            self.fit_heads();
            self.move_buckets(2 * block.rows() + MOVES);
        }
    }

    /// The block whose row expires next and, at most, when.
    pub(super) fn next_due(&mut self) -> Option<(i64, RowNumber)> {
        // Blocks that were taken out are forgotten here.
        while let Some(&Reverse((_, row))) = self.due.peek()
            && self.directory.block(row).is_none()
        {
            self.due.pop();
        }
        let first = self.due.peek().map(|&Reverse(next)| next);
        first.into_iter().chain(self.open_due.zip(self.directory.open())).min()
    }

    /// Forgets the line of a ring without blocks.
    pub(super) fn forget_line(&mut self) {
        assert_eq!(self.held, 0, "the line decides what has expired");
        if self.line.is_some() {
            self.reset(self.plan.shape.rows, 0);
        }
    }

    /// Appends a row of a block that is not in the ring.
    pub(super) fn copy_in(&mut self, from: &Block, at: usize) {
        let open = self.directory.open_block();
        let shape = &self.plan.shape;
        if !open.is_some_and(|open| open.has_room_for::<E>(shape, from, at)) {
            self.open_block();
        }
        let Self { directory, heads, plan, bytes, .. } = self;
        let mut link = directory.numbers.none();
        if from.is_linked(at) {
            let number = directory.numbers.next();
            let older = heads.replace(from.hash::<E>(at, &plan.hasher), number);
            if directory.numbers.is_current(older) {
                link = older;
            }
        }
        let mut times = (0, 0);
        directory.append(1, plan.timed, |block| {
            bytes.remove(block.bytes::<E>(&plan.shape));
            block.append_from::<E>(&plan.shape, from, at, link);
            bytes.add(block.bytes::<E>(&plan.shape));
            times = block.times();
        });
        self.live += 1;
        self.held += 1;
        self.upkeep.moved += 1;
        self.noted(times);
    }

    /// Begins to resize the heads if the rows call for it.
    pub(super) fn fit_heads(&mut self) {
        let begun = self.heads.fit(self.live, self.directory.numbers.none());
        self.upkeep.resizes += u64::from(begun);
    }

    /// Continues a resize of the heads, by this many buckets.
    pub(super) fn move_buckets(&mut self, buckets: usize) {
        for _ in 0..buckets {
            match self.heads.next_move(AHEAD) {
                Some(Move::Split { head, .. }) => self.directory.prefetch::<E>(head),
                Some(Move::Merge { heads, .. }) => {
                    heads.iter().for_each(|&head| self.directory.prefetch::<E>(head));
                }
                None => {}
            }
            match self.heads.next_move(0) {
                Some(Move::Split { bucket, head }) => {
                    let heads = self.split(head);
                    self.heads.split(bucket, heads);
                }
                Some(Move::Merge { bucket, heads }) => {
                    let head = self.merge(heads);
                    self.heads.merged(bucket, head);
                }
                None => return,
            }
        }
    }

    /// Cuts a chain into two, by one more bit of the hash. Rows that are gone or
    /// dead drop out of it.
    fn split(&mut self, head: RowNumber) -> [RowNumber; 2] {
        let none = self.directory.numbers.none();
        let (mut firsts, mut lasts) = ([none; 2], [None; 2]);
        let mut row = head;
        while let Some(next) = self.directory.link::<E>(row) {
            if let Some((block, at)) = self.directory.locate(row)
                && !block.is_dead(at)
            {
                let half = self.heads.half(block.hash::<E>(at, &self.plan.hasher));
                match lasts[half].replace(row) {
                    Some(last) => self.directory.set_link::<E>(last, row),
                    None => firsts[half] = row,
                }
            }
            row = next;
        }
        for last in lasts.into_iter().flatten() {
            self.directory.set_link::<E>(last, none);
        }
        firsts
    }

    /// Makes one chain of two, newest rows first. Rows that are gone or dead drop
    /// out.
    fn merge(&mut self, heads: [RowNumber; 2]) -> RowNumber {
        let none = self.directory.numbers.none();
        let (mut first, mut last) = (none, None);
        let mut rows = heads;
        loop {
            let ages = rows.map(|row| {
                if self.directory.numbers.is_current(row) {
                    self.directory.numbers.age(row)
                } else {
                    u32::MAX
                }
            });
            let newer = usize::from(ages[1] < ages[0]);
            let row = rows[newer];
            let Some(next) = self.directory.link::<E>(row) else { break };
            if self.directory.locate(row).is_some_and(|(block, at)| !block.is_dead(at)) {
                match last.replace(row) {
                    Some(last) => self.directory.set_link::<E>(last, row),
                    None => first = row,
                }
            }
            rows[newer] = next;
        }
        if let Some(last) = last {
            self.directory.set_link::<E>(last, none);
        }
        first
    }
}
