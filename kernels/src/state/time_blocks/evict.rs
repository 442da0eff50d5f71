//! Rows leave: those that expire, those that are drained.

use std::cmp::Reverse;

use super::ring::Ring;
use crate::state::block::EntryKey;
use crate::state::{Departed, Eviction};

impl<E: EntryKey> Ring<E> {
    /// Takes out the rows at or before `line`. Visits blocks that hold such rows
    /// and no others: one that lies before the line goes as a whole, of the
    /// others only the rows that expire are touched.
    pub(super) fn evict(
        &mut self,
        line: i64,
        mut unmatched: Option<&mut Departed>,
        eviction: &mut Eviction,
    ) {
        if self.line.is_some_and(|old| line <= old) {
            return;
        }
        while let Some(&Reverse((due, row))) = self.due.peek()
            && due <= line
        {
            self.due.pop();
            let left = self.visit(row, line, unmatched.as_deref_mut(), eviction);
            self.due.extend(left.map(|left| Reverse((left, row))));
        }
        if let Some(open) = self.directory.open()
            && self.open_due.is_some_and(|due| due <= line)
        {
            self.open_due = self.visit(open, line, unmatched, eviction);
        }
        self.line = Some(line);
    }

    /// Takes the rows at or before `line` out of a block; the least time that
    /// is left.
    fn visit(
        &mut self,
        first: u32,
        line: i64,
        unmatched: Option<&mut Departed>,
        eviction: &mut Eviction,
    ) -> Option<i64> {
        let (old, tag, plan) = (self.line, self.directory.tag, &self.plan);
        let block = self.directory.block_mut(first)?;
        self.bytes.remove(block.bytes::<E>(&plan.shape));
        eviction.blocks += 1;
        let before = block.live();
        let left = if block.times().1 <= line {
            eviction.visited += if unmatched.is_some() { block.rows() as u64 } else { 0 };
            block.expire_all::<E>(old, first | tag, unmatched);
            None
        } else {
            let (_, visited, left) = block.expire::<E>(line, first | tag, unmatched);
            eviction.visited += visited;
            left
        };
        let live = block.live();
        self.bytes.add(block.bytes::<E>(&plan.shape));
        self.live -= before - live;
        eviction.rows += (before - live) as u64;
        self.thinned(first, before, live);
        left
    }

    /// Takes out, one by one, the rows whose time is at most `line`, or without
    /// a line all rows.
    pub(super) fn take_out(
        &mut self,
        line: Option<i64>,
        mut unmatched: Option<&mut Departed>,
        eviction: &mut Eviction,
    ) {
        let tag = self.directory.tag;
        for first in self.directory.firsts() {
            let rows = self.directory.block(first).map_or(0, |block| block.rows() as u32);
            eviction.blocks += u64::from(rows > 0);
            for row in first..first + rows {
                eviction.visited += 1;
                let Some((block, at)) = self.directory.locate(row) else { continue };
                let time = self.plan.timed.then(|| block.time::<E>(at));
                let is_due = line.is_none_or(|line| time.is_some_and(|time| time <= line));
                let is_matched = block.is_matched(at);
                if is_due && self.remove(row) {
                    eviction.rows += 1;
                    if let Some(unmatched) = &mut unmatched
                        && !is_matched
                    {
                        unmatched.push(row | tag, time);
                    }
                }
            }
        }
    }
}
