//! Time-ordered blocks with one index: the fast store.
//!
//! Rows lie in blocks in the order in which they come, which is nearly that of
//! event time. A table of heads names the newest row of each bucket of keys; each
//! row names the next older one of its bucket.
//!
//! ```text
//!          | block 0: gone      | block 1               | block 2, open
//! number   | 0    1    2    3   | 4    5    6    7      | 8    9
//! key      |                    | B    A    A    C      | A    B
//! time     |                    | 10   11   12   12     | 13   14
//! link     |                    | 0    1    5    2      | 6    4
//! floor    |                    | 9                     | 12          greatest time before
//!
//! heads      A -> 8    B -> 9    C -> 7
//! ```
//!
//! * *Insert* A at 15: number 10 in block 2; it links to the head of A, 8, and
//!   becomes the head.
//! * *Look up* A from 12 to 13: 8 (time 13) matches, 6 (12) matches, 5 (11) is
//!   before 12, and so is the floor of its block, 9: no older row can match, and
//!   the walk stops.
//! * *Evict* up to 12: look-ups compare times with the line from now on, so no row
//!   is touched. All rows of block 1 are due: it goes as a whole. The links 6 and
//!   4 then lead to numbers that are not current, which ends their chains; the
//!   heads need not be cleaned.
//!
//! Blocks are sized by the rows: a few of them hold a small state. Where there are
//! many more or fewer rows than before, or many come at once, a reclaim copies
//! them into blocks of another size.
//!
//! What does not fit into the order of time would hold it up, and lies in rings
//! of its own: rows far *ahead* of the others, until the others have come so
//! far; rows that were *overdue* when they came, which leave with the next
//! eviction; rows *untimed*, which never leave.

mod evict;
mod find;
mod front;
mod growth;
mod heads;
mod hot_keys;
mod late;
mod reclaim;
mod ring;
#[cfg(test)]
mod tests;
mod windows;

use std::sync::Arc;

use arrow::array::ArrayRef;

use self::front::{Front, Span};
use self::growth::Needs;
use self::ring::{Ring, RingPlan};
use self::windows::{AnyTime, Around, Between};
use super::block::{BlockShape, EntryKey, Incoming, Located, PayloadPlan, RowNumber};
use super::checked::no_such_row;
use super::{
    BlockOptions, Departed, Eviction, Leaving, NewRows, StateProbe, StateSize, StateStore,
    StorePlan, Upkeep,
};
use crate::error::{JoinError, Result};
use crate::pairs::{NO_ROW, Pairs};
use crate::table::FindCursor;

const MAIN: usize = 0;
const OVERDUE: usize = 1;
const AHEAD: usize = 2;
const UNTIMED: usize = 3;

/// Bits of the row numbers of the main ring: the upper one is not set.
const MAIN_BITS: u32 = 31;
/// Bits of the row numbers of the others, after three that tell them apart.
const OTHER_BITS: u32 = 29;
/// The most bytes of one heap of a block, whose offsets have 32 bits.
pub(super) const MOST_HEAP: usize = u32::MAX as usize;
/// Blocks of rows ahead that one call moves to the main ring, at most. Not
/// measured.
const CAUGHT_UP: usize = 4;

/// See the [module](self).
#[derive(Debug)]
pub(super) struct TimeBlocks<E> {
    /// The largest blocks.
    shape: BlockShape,
    rings: [Ring<E>; 4],
    front: Front,
}

impl<E: EntryKey> TimeBlocks<E> {
    pub(super) fn new(plan: &StorePlan) -> Result<Self> {
        Self::with_limits(plan, MAIN_BITS, OTHER_BITS, MOST_HEAP)
    }

    /// A store whose row numbers have so few bits that they soon come round, and
    /// whose heaps hold `most_heap` bytes at most.
    fn with_limits(plan: &StorePlan, main: u32, others: u32, most_heap: usize) -> Result<Self> {
        if !(1..=BlockOptions::MAX_ROWS).contains(&plan.blocks.rows) {
            return Err(JoinError::InvalidPlan(format!(
                "blocks have 1 to {} rows, not {}",
                BlockOptions::MAX_ROWS,
                plan.blocks.rows
            )));
        }
        let shape = BlockShape {
            rows: plan.blocks.rows,
            payload: Arc::new(PayloadPlan::new(&plan.payload)?),
            tracks_matches: plan.tracks_matches,
            most_heap,
        };
        let ring = |number: usize| {
            Ring::new(RingPlan {
                shape: shape.clone(),
                most_rows: shape.rows,
                hasher: plan.hasher.clone(),
                timed: number != UNTIMED,
                interval: plan.timed,
                tag: if number == MAIN { 0 } else { (3 + number as u32) << OTHER_BITS },
                bits: if number == MAIN { main } else { others },
                first_row: plan.blocks.first_row,
            })
        };
        Ok(Self {
            rings: [MAIN, OVERDUE, AHEAD, UNTIMED].map(ring),
            front: Front::default(),
            shape,
        })
    }

    /// The ring of a row and the row's number in it, by the id that has both; one id
    /// in eight is of no ring.
    fn ring_of(id: u32) -> (usize, RowNumber) {
        match id >> OTHER_BITS {
            0..=3 => (MAIN, RowNumber(id)),
            tag => (tag as usize - 3, RowNumber(id & (u32::MAX >> (32 - OTHER_BITS)))),
        }
    }

    /// Where a row is; nowhere if it is [`NO_ROW`].
    ///
    /// # Errors
    /// [`JoinError::InvalidPlan`] if there is no such row.
    #[inline(always)]
    fn locate(&self, id: u32) -> Result<Option<Located<'_>>> {
        if id == NO_ROW {
            return Ok(None);
        }
        let (ring, number) = Self::ring_of(id);
        let located = self.rings.get(ring).and_then(|ring| ring.directory.locate(number));
        let (block, row) = located.ok_or_else(|| no_such_row(id))?;
        Ok(Some(Located { block, row }))
    }

    /// # Errors
    /// [`JoinError::ValueTooLarge`] if a row fits no block.
    fn check_values(&self, new: NewRows<'_>, incoming: &Incoming<'_>) -> Result<()> {
        let most = self.shape.most_heap;
        let check = |what: &str, longest: usize| match longest <= most {
            true => Ok(()),
            false => Err(JoinError::ValueTooLarge {
                what: what.to_owned(),
                bytes: longest as u64,
                limit: most as u64,
            }),
        };
        check("a key", E::lengths(E::keys(new.keys.keys()), new.rows).longest)?;
        let mut columns = incoming.lengths(new.rows);
        columns.try_for_each(|column| check("a kept value", column.longest))
    }

    fn span(&self) -> Span {
        let main = &self.rings[MAIN];
        let from = main.line.map_or(main.least, |line| line.max(main.least));
        Span { rows: main.live, from, to: main.greatest }
    }

    /// Which ring a row goes to; `limit` is the last time that is not ahead.
    fn ring_for(&self, time: Option<i64>, limit: i64) -> usize {
        match time {
            None => UNTIMED,
            Some(time) if self.rings[MAIN].line.is_some_and(|line| time <= line) => OVERDUE,
            Some(time) if time <= limit => MAIN,
            // A line that only the rows ahead remember must not hide this one.
            Some(time) if self.rings[AHEAD].line.is_some_and(|line| time <= line) => MAIN,
            Some(_) => AHEAD,
        }
    }

    /// Whether all rows go to the main ring, as they mostly do: seen in one
    /// pass, without a look at any of them.
    fn all_in_order(&self, new: NewRows<'_>) -> bool {
        if new.times.nulls().is_some() {
            return false;
        }
        let span = self.span();
        let line = self.rings[MAIN].line;
        let in_order = |least: i64, greatest: i64| {
            line.is_none_or(|line| least > line) && greatest <= span.to.saturating_add(span.width())
        };
        let of_batch = new.times.span_micros();
        if span.rows == 0 || of_batch.is_none_or(|(least, greatest)| in_order(least, greatest)) {
            return span.rows > 0;
        }
        // Those that are not stored need not be.
        let times = || new.rows.iter().map(|&row| new.times.micros()[row as usize]);
        let stored = times().min().zip(times().max());
        new.rows.len() < new.times.len()
            && stored.is_none_or(|(least, greatest)| in_order(least, greatest))
    }

    fn insert_by_ring(&mut self, new: NewRows<'_>, incoming: &Incoming<'_>) {
        let limit = self.front.limit(self.span(), new.times, new.rows);
        let mut first = 0;
        let ring_for = |store: &Self, i: usize| {
            store.ring_for(new.times.micros_at(new.rows[i] as usize), limit)
        };
        while first < new.rows.len() {
            if self.rings[MAIN].held == 0 {
                // Nothing is left that a line would have to tell apart.
                self.rings[MAIN].forget_line();
                self.rings[MAIN].prepare(new.rows.len());
            }
            let ring = ring_for(self, first);
            let more = (first + 1..new.rows.len()).take_while(|&i| ring_for(self, i) == ring);
            let rows = &new.rows[first..=first + more.count()];
            self.rings[ring].insert(new, incoming, first, rows);
            first += rows.len();
        }
    }

    /// Puts rows that were ahead in order, once the others have come so far.
    fn catch_up(&mut self) {
        for _ in 0..CAUGHT_UP {
            let span = self.span();
            let Some((due, row)) = self.rings[AHEAD].next_due() else { return };
            if span.rows == 0 || due > span.to {
                return;
            }
            let limit = span.to.saturating_add(span.width());
            let [main, _, ahead, _] = &mut self.rings;
            ahead.give_away(row, |ahead, block, at, time| {
                if time <= limit { main.copy_in(block, at) } else { ahead.copy_in(block, at) }
            });
        }
    }
}

impl<E: EntryKey> StateStore for TimeBlocks<E> {
    fn name(&self) -> &'static str {
        "time-blocks"
    }

    fn rows(&self) -> u64 {
        self.rings.iter().map(|ring| ring.live as u64).sum()
    }

    fn rows_after(&self, line: i64) -> Result<u64> {
        Ok(self.rings.iter().map(|ring| ring.rows_after(line)).sum())
    }

    fn size(&self) -> StateSize {
        self.rings.iter().map(Ring::size).fold(StateSize::default(), |a, b| a + b)
    }

    fn check_room(&self, rows: usize) -> Result<()> {
        self.rings.iter().try_for_each(|ring| ring.check_room(rows))
    }

    fn growth(&self, new: NewRows<'_>) -> Result<usize> {
        self.check_room(new.rows.len())?;
        let payload = self.shape.payload.by_value(new.payload)?;
        let incoming = self.shape.payload.incoming(&payload, new.rows)?;
        self.check_values(new, &incoming)?;
        let needs = Needs::new::<E>(&self.shape, new, &incoming);
        if self.all_in_order(new) {
            return Ok(self.rings[MAIN].growth(&needs, new.rows.len(), new.rows.len()));
        }
        let times = || new.rows.iter().map(|&row| new.times.micros_at(row as usize));
        let timed = times().flatten().count();
        let line = self.rings[MAIN].line;
        let overdue = times().flatten().filter(|&time| line.is_some_and(|line| time <= line));
        // Which of the others are ahead depends on all of them.
        let counts = [timed, overdue.count(), timed, new.rows.len() - timed];
        // Of the others nobody knows how many rows they will get.
        let prepared = [new.rows.len(), 0, 0, 0];
        let rings = self.rings.iter().zip(counts).zip(prepared);
        Ok(rings.map(|((ring, rows), prepared)| ring.growth(&needs, rows, prepared)).sum())
    }

    fn insert(&mut self, new: NewRows<'_>) -> Result<()> {
        if new.rows.is_empty() {
            return Ok(());
        }
        self.check_room(new.rows.len())?;
        let plan = Arc::clone(&self.shape.payload);
        let payload = plan.by_value(new.payload)?;
        let incoming = plan.incoming(&payload, new.rows)?;
        self.check_values(new, &incoming)?;
        if self.all_in_order(new) {
            self.rings[MAIN].insert(new, &incoming, 0, new.rows);
        } else {
            self.insert_by_ring(new, &incoming);
        }
        Ok(())
    }

    fn find(
        &self,
        probe: StateProbe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> Result<u64> {
        let mut walked = 0;
        while let Some(ring) = self.rings.get(cursor.part as usize) {
            // A ring may lose its last row between two calls.
            if ring.live > 0 && (ring.plan.timed || probe.interval.is_none()) {
                walked += find_in(ring, probe, cursor, pairs, limit)?;
                if !cursor.rows.is_empty() || cursor.next_row < probe.len() {
                    cursor.more_parts = true;
                    return Ok(walked);
                }
            }
            cursor.rows.clear();
            cursor.candidates.clear();
            (cursor.part, cursor.next_row) = (cursor.part + 1, 0);
        }
        // Also one whose part is none of these.
        cursor.rows.clear();
        cursor.candidates.clear();
        (cursor.next_row, cursor.more_parts) = (probe.len(), false);
        Ok(walked)
    }

    fn set_matched(&mut self, rows: &[u32]) -> Result<()> {
        for &row in rows {
            let (ring, number) = Self::ring_of(row);
            if !self.rings.get_mut(ring).is_some_and(|ring| ring.set_matched(number)) {
                return Err(no_such_row(row));
            }
        }
        Ok(())
    }

    fn remove(&mut self, rows: &[u32]) -> Result<u64> {
        let removed = rows.iter().map(|&row| {
            let (ring, number) = Self::ring_of(row);
            u64::from(self.rings.get_mut(ring).is_some_and(|ring| ring.remove(number)))
        });
        Ok(removed.sum())
    }

    fn evict(&mut self, line: i64, unmatched: Option<&mut Departed>) -> Result<Eviction> {
        let mut leaving = Leaving::new(unmatched);
        let [main, overdue, ahead, _] = &mut self.rings;
        main.evict(line, &mut leaving);
        ahead.evict(line, &mut leaving);
        if overdue.live > 0 {
            overdue.take_out(Some(line), &mut leaving);
        }
        Ok(leaving.eviction)
    }

    fn drain(&mut self, unmatched: Option<&mut Departed>) -> Result<Eviction> {
        let mut leaving = Leaving::new(unmatched);
        self.rings.iter_mut().for_each(|ring| ring.take_out(None, &mut leaving));
        Ok(leaving.eviction)
    }

    fn gather(&self, wanted: &[usize], rows: &[u32]) -> Result<Vec<ArrayRef>> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let mut located = Vec::with_capacity(rows.len());
        for &row in rows {
            located.push(self.locate(row)?);
        }
        self.shape.payload.gather(wanted, &located)
    }

    fn rows_within(&self, rows: &[u32], bytes: usize) -> Result<usize> {
        self.shape.payload.within(rows.len(), |i| self.locate(rows[i]), bytes)
    }

    fn reclaim(&mut self) -> Result<Upkeep> {
        self.catch_up();
        let span = self.span();
        let [main, _, ahead, _] = &mut self.rings;
        if let Some(limit) = self.front.settle(span, |step| main.sample(step)) {
            main.part(limit, ahead);
        }
        self.rings.iter_mut().for_each(Ring::reclaim);
        let upkeep = self.rings.iter_mut().map(|ring| std::mem::take(&mut ring.upkeep));
        Ok(upkeep.fold(Upkeep::default(), |a, b| a + b))
    }
}

fn find_in<E: EntryKey>(
    ring: &Ring<E>,
    probe: StateProbe<'_>,
    cursor: &mut FindCursor,
    pairs: &mut Pairs,
    limit: usize,
) -> Result<u64> {
    // What is not after the line has expired.
    let from = ring.line.map_or(i64::MIN, |line| line.saturating_add(1));
    let Some(interval) = probe.interval else {
        let windows = AnyTime { rows: probe.keys.len(), from };
        return ring.find(probe, &windows, cursor, pairs, limit);
    };
    match Between::new(&interval, from) {
        Some(windows) => ring.find(probe, &windows, cursor, pairs, limit),
        None => ring.find(probe, &Around { interval, from }, cursor, pairs, limit),
    }
}
