//! The matches of some rows, listed in bounded steps.

use super::KeyTable;
use crate::error::{JoinError, Result};
use crate::key::{Comparison, KeyRows};
use crate::pairs::Pairs;
use crate::table::checked::Scan;
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
    scan: Scan,
    /// Whether a step has begun and not ended well.
    failed: bool,
}

impl<'a, K: KeyRows> Matches<'a, K> {
    pub(super) fn new(table: &'a KeyTable, rows: K, comparison: Comparison) -> Self {
        let (block, scan) = (KeyBlock::default(), Scan::default());
        Self { table, rows, comparison, from: 0, block, scan, failed: false }
    }

    /// Puts the next matches into `pairs`, in place of what is there: at most
    /// `limit`, and at least one, or false if there are no more. A step may return
    /// fewer although more follow. With a smaller `limit` than that of the step
    /// before, it may return a few more than that.
    ///
    /// # Errors
    /// [`JoinError::FaultyIndex`] if an index of the caller's finds what cannot be or
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
            if self.scan.is_done(self.block.len()) {
                self.from += self.block.len();
                self.block.clear();
                self.scan = Scan::default();
            } else if !pairs.is_empty() {
                break;
            }
        }
        self.failed = false;
        Ok(!pairs.is_empty())
    }

    /// Appends matches of the block.
    fn look_up(&mut self, pairs: &mut Pairs, limit: usize) -> Result<()> {
        let Self { table, rows, block, scan, .. } = self;
        let (held, built) = (pairs.len(), &table.built);
        block.with(&*rows, self.comparison, |probe| built.index.find(probe, scan, pairs, limit))?;
        built.rows_at(&mut pairs.build_rows_mut()[held..])?;
        let probe_rows = &mut pairs.probe_rows_mut()[held..];
        probe_rows.iter_mut().for_each(|row| *row += self.from as u32);
        Ok(())
    }
}
