//! The matches of some rows, listed in bounded steps.

use super::KeyTable;
use crate::error::{JoinError, Result};
use crate::key::{Comparison, KeyRows};
use crate::pairs::Pairs;
use crate::table::FindCursor;
use crate::table::key_blocks::KeyBlock;

/// The matches of some rows in a [`KeyTable`], in bounded steps.
#[derive(Debug)]
pub struct Matches<'a, K> {
    table: &'a KeyTable,
    rows: K,
    comparison: Comparison,
    /// First row of the block that is looked up.
    from: usize,
    /// None of its rows before it begins.
    block: KeyBlock,
    cursor: FindCursor,
    /// Whether a step has begun and not ended well.
    failed: bool,
}

impl<'a, K: KeyRows> Matches<'a, K> {
    pub(super) fn new(table: &'a KeyTable, rows: K, comparison: Comparison) -> Self {
        let (block, cursor) = (KeyBlock::default(), FindCursor::default());
        Self { table, rows, comparison, from: 0, block, cursor, failed: false }
    }

    /// Puts the next matches into `pairs`, in place of what is there: at most
    /// `limit`, and at least one, or false if there are no more. A step may return
    /// fewer although more follow. With a smaller `limit` than that of the step
    /// before, it may return a few more than that.
    ///
    /// # Errors
    /// [`JoinError::InvalidPlan`] if an index of the caller's finds what cannot be or
    /// makes no progress. [`JoinError::Unfinished`] from then on, and after a panic of
    /// the index.
    pub fn next_pairs(&mut self, pairs: &mut Pairs, limit: usize) -> Result<bool> {
        pairs.clear();
        if std::mem::replace(&mut self.failed, true) {
            return Err(JoinError::Unfinished);
        }
        let limit = limit.max(1);
        while self.from < self.rows.rows() && pairs.len() < limit {
            if self.block.len() == 0 {
                self.block.take_up(&self.rows, self.from, &self.table.hasher);
            }
            self.look_up(pairs, limit)?;
            if self.cursor.is_done(self.block.len()) {
                self.from += self.block.len();
                self.block.clear();
                self.cursor = FindCursor::default();
            } else if !pairs.is_empty() {
                break;
            }
        }
        self.failed = false;
        Ok(!pairs.is_empty())
    }

    /// Appends matches of the block.
    fn look_up(&mut self, pairs: &mut Pairs, limit: usize) -> Result<()> {
        let Self { table, rows, block, cursor, .. } = self;
        let (held, built) = (pairs.len(), &table.built);
        let stand = |cursor: &FindCursor| (cursor.next_row, cursor.rows.len(), cursor.part);
        let before = stand(cursor);
        block.with(&*rows, self.comparison, |probe| built.index.find(probe, cursor, pairs, limit));
        let wrong = |what: &str| {
            let name = built.index.name();
            Err(JoinError::InvalidPlan(format!("the index `{name}` {what}")))
        };
        if pairs.len() < held {
            return wrong("takes pairs away");
        }
        let stuck = pairs.is_empty() && stand(cursor) == before;
        if stuck && !cursor.is_done(block.len()) {
            return wrong("makes no progress: each `find` must list pairs or move its cursor on");
        }
        built.rows_at(&mut pairs.build_rows_mut()[held..])?;
        let mut largest = 0;
        for row in &mut pairs.probe_rows_mut()[held..] {
            largest = largest.max(*row);
            *row = row.wrapping_add(self.from as u32);
        }
        if pairs.len() > held && largest as usize >= block.len() {
            return wrong("finds matches of rows that it was not asked for");
        }
        Ok(())
    }
}
