//! Rows leave: those that expire, those that are drained.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;

use super::ring::Ring;
use crate::state::Leaving;
use crate::state::block::{EntryKey, RowNumber};

impl<E: EntryKey> Ring<E> {
    /// Takes out the rows at or before `line`. Visits blocks that hold such rows
    /// and no others: one that lies before the line goes as a whole, of the
    /// others only the rows that expire are touched.
    pub(super) fn evict(&mut self, line: i64, leaving: &mut Leaving<'_>) {
        if self.line.is_some_and(|old| line <= old) {
            return;
        }
        self.expire_late(line, leaving);
        while let Some(&Reverse((due, row))) = self.due.peek()
            && due <= line
        {
            let left = self.visit(row, line, leaving);
            match (left, self.due.peek_mut()) {
                (Some(left), Some(mut next)) => *next = Reverse((left, row)),
                (_, next) => drop(next.map(PeekMut::pop)),
            }
        }
        if let Some(open) = self.directory.open()
            && self.open_due.is_some_and(|due| due <= line)
        {
            self.open_due = self.visit(open, line, leaving);
        }
        self.line = Some(line);
    }

    /// Takes the rows at or before `line` out of a block, except late ones;
    /// returns the time of the next.
    fn visit(&mut self, first: RowNumber, line: i64, leaving: &mut Leaving<'_>) -> Option<i64> {
        let id = self.directory.numbers.id(first);
        let open = self.directory.open();
        let block = self.directory.block_mut(first)?;
        leaving.eviction.blocks += 1;
        let before = block.live();
        let mut expired = block.expire::<E>(self.line, line, id, leaving.unmatched.as_deref_mut());
        let live = block.live();
        if open != Some(first) && block.wants_order(expired) {
            self.bytes.remove(block.bytes::<E>(&self.plan.shape));
            let late = &mut self.late;
            expired.left = block.put_in_order::<E>(Some(line), |at, time| {
                late.push(time, RowNumber(first.0 + at as u32));
            });
            self.bytes.add(block.bytes::<E>(&self.plan.shape));
        }
        leaving.eviction.rows += expired.rows as u64;
        leaving.eviction.visited += expired.visited as u64;
        self.live -= expired.rows;
        self.changed += expired.rows;
        self.thinned(first, before, live);
        expired.left
    }

    fn expire_late(&mut self, line: i64, leaving: &mut Leaving<'_>) {
        let Self { late, directory, live, .. } = self;
        late.expire(line, |time, row| {
            leaving.eviction.visited += 1;
            let mut is_matched = true;
            // Rows that were moved have another number now.
            if !directory.is_plain(row) || leaving.unmatched.is_some() {
                let Some((block, at)) = directory.locate(row) else { return };
                if block.is_dead(at) {
                    return;
                }
                is_matched = block.is_matched(at);
            }
            *live -= 1;
            leaving.note(directory.numbers.id(row), Some(time), is_matched);
        });
    }

    /// Takes out, one by one, the rows whose time is at most `line`, or without
    /// a line all rows.
    pub(super) fn take_out(&mut self, line: Option<i64>, leaving: &mut Leaving<'_>) {
        for first in self.directory.numbers.firsts() {
            let rows = self.directory.block(first).map_or(0, |block| block.rows() as u32);
            leaving.eviction.blocks += u64::from(rows > 0);
            for row in (first.0..first.0 + rows).map(RowNumber) {
                leaving.eviction.visited += 1;
                let Some((block, at)) = self.directory.locate(row) else { continue };
                let time = self.plan.timed.then(|| block.time::<E>(at));
                let is_due = line.is_none_or(|line| time.is_some_and(|time| time <= line));
                let is_matched = block.is_matched(at);
                if is_due && self.remove(row) {
                    leaving.note(self.directory.numbers.id(row), time, is_matched);
                }
            }
        }
    }
}
