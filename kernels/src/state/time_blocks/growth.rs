//! How many bytes rows that come in add to a ring, at most.

use std::cmp::Reverse;

use super::hot_keys::HotKeys;
use super::late::LateRows;
use super::ring::{LONG_CHAINS, Ring};
use crate::state::block::{Arena, Block, BlockShape, EntryKey, Incoming, Lengths, RowNumber};
use crate::state::{NewRows, capacity};

/// What rows that come in need in the blocks of any ring.
#[derive(Debug)]
pub(super) struct Needs {
    /// Bytes in the heap of keys.
    keys: Lengths,
    /// Bytes in each heap of kept columns.
    columns: Vec<Lengths>,
    /// Bitmaps of a block that they may fill.
    bitmaps: usize,
    /// The least and the greatest event time.
    times: Option<(i64, i64)>,
    /// Whether some may have a lower time than one before them.
    disordered: bool,
}

impl Needs {
    pub(super) fn new<E: EntryKey>(
        shape: &BlockShape,
        new: NewRows<'_>,
        incoming: &Incoming<'_>,
    ) -> Self {
        let times = || new.rows.iter().filter_map(|&row| new.times.micros_at(row as usize));
        Self {
            keys: E::lengths(E::keys(new.keys.keys()), new.rows),
            columns: incoming.lengths(new.rows).collect(),
            // Matches, what cannot be found, validity.
            bitmaps: usize::from(shape.tracks_matches)
                + usize::from(new.keys.matchable().is_some())
                + incoming.nullable(),
            times: times().min().zip(times().max()),
            disordered: !times().is_sorted(),
        }
    }

    fn heap_bytes(&self) -> usize {
        self.columns.iter().fold(self.keys.total, |sum, column| sum + column.total)
    }
}

impl<E: EntryKey> Ring<E> {
    /// The most bytes that appending this many of the rows adds, if a ring without
    /// blocks is prepared for `prepared` rows.
    pub(super) fn growth(&self, needs: &Needs, rows: usize, prepared: usize) -> usize {
        if rows == 0 {
            return 0;
        }
        let shape = BlockShape { rows: self.first_rows(prepared), ..self.plan.shape.clone() };
        let begun = Arena::new(shape.words::<E>());
        let arena = if shape.rows == self.plan.shape.rows { &self.arena } else { &begun };
        let open = self.directory.open_block();
        let held = open.map_or(0, Block::rows);
        let room = open.map_or(0, |open| shape.rows - open.rows());
        let blocks = rows.saturating_sub(room).div_ceil(shape.rows) + self.cut_short(needs, open);
        let closed = (blocks + usize::from(open.is_some())).saturating_sub(1);
        // Of a block, with what a vector of words begins with.
        let bitmap = (2 * shape.rows.div_ceil(64)).max(4) * size_of::<u64>();
        let late = if closed > 0 && self.may_be_late(needs, open) { (rows + held) / 4 } else { 0 };
        let hot = self.plan.interval && self.live + rows >= LONG_CHAINS;
        let noted = (rows / 2 + rows / HotKeys::EVERY as usize + shape.rows).min(rows);
        let fit = open.map_or(needs.times, |open| span(needs.times, open));
        let whole =
            fit.filter(|&(least, greatest)| self.plan.timed && !Block::times_fit(least, greatest));
        arena.growth(blocks)
            + blocks * Block::own_bytes(&shape)
            + ((blocks + 1) * needs.bitmaps + closed) * bitmap
            + heaps(needs, open, blocks, rows)
            + whole.map_or(0, |_| (2 * (rows + held) + 4 * (blocks + 1)) * size_of::<i64>())
            + self.directory.growth(blocks)
            + self.heads.growth(self.live, rows)
            + capacity::of_vec::<Reverse<(i64, RowNumber)>>(
                self.due.len(),
                self.due.capacity(),
                closed,
            )
            + self.late.growth(late, LateRows::days(shape.rows))
            + if hot { self.hot_keys.growth(noted) } else { 0 }
            + capacity::of_vec::<RowNumber>(0, self.links.capacity(), rows.min(shape.rows))
    }

    /// Blocks that are closed early because a heap is full, at most.
    fn cut_short(&self, needs: &Needs, open: Option<&Block>) -> usize {
        let most = self.plan.shape.most_heap;
        let held = open.map_or(0, |open| {
            let columns = open.columns_rooms().map(|[(bytes, _), _]| bytes);
            columns.fold(open.key_room().0, usize::max)
        });
        if held + needs.heap_bytes() <= most {
            return 0;
        }
        // Two neighbours never fit together.
        let heaps = std::iter::once(&needs.keys).chain(&needs.columns);
        heaps.map(|heap| 2 * heap.total / most + 2).sum()
    }

    fn may_be_late(&self, needs: &Needs, open: Option<&Block>) -> bool {
        let before = |open: &Block| needs.times.is_some_and(|(least, _)| least < open.times().1);
        needs.disordered || open.is_some_and(|open| open.has_late() || before(open))
    }
}

/// The times of rows and of the block that they are appended to.
fn span(times: Option<(i64, i64)>, open: &Block) -> Option<(i64, i64)> {
    let (least, greatest) = open.times();
    times.map(|times| (times.0.min(least), times.1.max(greatest)))
}

/// Growth of the heaps of the open block and of those that follow it.
fn heaps(needs: &Needs, open: Option<&Block>, blocks: usize, rows: usize) -> usize {
    let keys = (open.map_or((0, 0), Block::key_room), needs.keys.total, 1);
    let columns = needs.columns.iter().enumerate().flat_map(|(at, column)| {
        let rooms = open.and_then(|open| open.columns_rooms().nth(at));
        let [bytes, ends] = rooms.unwrap_or_default();
        [(bytes, column.total, 1), (ends, rows, size_of::<u32>())]
    });
    let growth = |((len, room), more, element): ((usize, usize), usize, usize)| {
        if more == 0 || blocks == 0 && len + more <= room {
            return 0;
        }
        // Each may have doubled; eight is what a vector of bytes begins with.
        ((2 * len).saturating_sub(room) + 2 * more + 8 * (blocks + 1)) * element
    };
    std::iter::once(keys).chain(columns).map(growth).sum()
}
