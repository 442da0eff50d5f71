//! Indexes in use. One of the caller's own may say and find anything: what it does is
//! checked here, once per call, so that a wrong one is an error that names it.

use super::build::{BuildInput, BuiltIndex, IndexBuilder, rows_at};
use super::{FindCursor, FusedRows, JoinIndex, Probe, RowWords};
use crate::error::{JoinError, Result};
use crate::key::KeyView;
use crate::pairs::{NO_ROW, Pairs};

/// What builds an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedBuilder<'a> {
    builder: &'a dyn IndexBuilder,
    own: bool,
}

impl<'a> CheckedBuilder<'a> {
    /// One of this crate, whose indexes are not checked.
    pub(crate) fn trusted(builder: &'a dyn IndexBuilder) -> Self {
        Self { builder, own: false }
    }

    /// One of the caller's.
    pub(crate) fn own(builder: &'a dyn IndexBuilder) -> Self {
        Self { builder, own: true }
    }

    /// As [`IndexBuilder::estimated_bytes`].
    pub(crate) fn estimated_bytes(self, keys: KeyView<'_>) -> usize {
        self.builder.estimated_bytes(keys)
    }

    /// Builds an index over the rows of `input`.
    ///
    /// # Errors
    /// The builder's; [`JoinError::FaultyIndex`] for an index that does not fit
    /// the rows.
    pub(crate) fn build(self, input: BuildInput<'_>) -> Result<CheckedBuilt> {
        let BuiltIndex { index, order, fallback, fused } = self.builder.build(input)?;
        let (name, rows, positions) = (index.name(), index.rows(), index.positions());
        let index =
            CheckedIndex { unique: index.unique(), own: self.own, name, rows, positions, index };
        index.check_shape(input.hashes.len(), order.as_deref())?;
        if let Some(fused) = &fused {
            index.check_fused(fused, input.beside)?;
        }
        Ok(CheckedBuilt { index, order, fallback, fused })
    }
}

/// An index, and where it put each row, as [`BuiltIndex`] says.
#[derive(Debug)]
pub(crate) struct CheckedBuilt {
    pub(crate) index: CheckedIndex,
    pub(crate) order: Option<Vec<u32>>,
    pub(crate) fallback: Option<String>,
    pub(crate) fused: Option<FusedRows>,
}

impl CheckedBuilt {
    /// As [`BuiltIndex::rows_at`].
    pub(crate) fn rows_at(&self, positions: &mut [u32]) -> Result<()> {
        match &self.order {
            Some(order) => rows_at(order, positions, || self.index.name),
            None => Ok(()),
        }
    }
}

/// An index to look up in.
#[derive(Debug)]
pub(crate) struct CheckedIndex {
    index: Box<dyn JoinIndex>,
    /// Whether it is the caller's.
    own: bool,
    // What it said when it was built: it may say something else each time.
    name: &'static str,
    rows: usize,
    positions: usize,
    unique: Option<bool>,
}

/// A look-up that is carried out in steps.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    cursor: FindCursor,
    /// Pairs found so far, and calls since the last that found one or took up or left a row;
    /// of the caller's indexes.
    found: usize,
    idle: usize,
}

impl Scan {
    /// Whether all of `rows` probe rows have been looked up.
    pub(crate) fn is_done(&self, rows: usize) -> bool {
        self.cursor.is_done(rows)
    }

    /// As [`FindCursor::retain`].
    pub(crate) fn retain(&mut self, keep: impl FnMut(u32) -> bool) {
        self.cursor.retain(keep);
    }
}

impl CheckedIndex {
    /// One of this crate.
    pub(crate) fn trusted(index: impl JoinIndex + 'static) -> Self {
        Self {
            own: false,
            name: index.name(),
            rows: index.rows(),
            positions: index.positions(),
            unique: index.unique(),
            index: Box::new(index),
        }
    }

    /// The name.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Build rows that can be found.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Positions, which are more than rows where the index leaves holes.
    pub(crate) fn positions(&self) -> usize {
        self.positions
    }

    /// Whether no two rows have the same key; `None`: not known.
    pub(crate) fn unique(&self) -> Option<bool> {
        self.unique
    }

    /// Bytes held, as the index says.
    pub(crate) fn bytes(&self) -> usize {
        self.index.bytes()
    }

    /// As [`JoinIndex::first_match`].
    ///
    /// # Errors
    /// [`JoinError::FaultyIndex`] for a position that is not there.
    pub(crate) fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) -> Result<u64> {
        let looked_at = self.index.first_match(probe, matches);
        if self.own {
            // `NO_ROW` becomes 0.
            let last = matches.iter().fold(0, |last, row| last.max(row.wrapping_add(1)));
            if last as usize > self.positions {
                return Err(self.beyond("position", last - 1, self.positions));
            }
        }
        Ok(looked_at)
    }

    /// As [`JoinIndex::exists`].
    pub(crate) fn exists(&self, probe: Probe<'_>, found: &mut [u64]) {
        self.index.exists(probe, found);
        if self.own
            && let Some(last) = found.last_mut()
            && !probe.len().is_multiple_of(64)
        {
            *last &= (1 << (probe.len() % 64)) - 1;
        }
    }

    /// As [`JoinIndex::find`].
    ///
    /// # Errors
    /// [`JoinError::FaultyIndex`] for rows or positions that are not there, pairs
    /// without end, and a call that leaves the cursor where it was or goes back.
    pub(crate) fn find(
        &self,
        probe: Probe<'_>,
        scan: &mut Scan,
        pairs: &mut Pairs,
        limit: usize,
    ) -> Result<u64> {
        if !self.own {
            return Ok(self.index.find(probe, &mut scan.cursor, pairs, limit));
        }
        // It is not shown the pairs of others.
        let held = if pairs.is_empty() { Pairs::new() } else { std::mem::take(pairs) };
        let before = scan.cursor.clone();
        let limit = limit.saturating_sub(held.len()).max(1);
        let looked_at = self.index.find(probe, &mut scan.cursor, pairs, limit);
        self.check_pairs(probe, pairs)?;
        self.check_progress(probe, scan, &before, pairs.len())?;
        if !held.is_empty() {
            let found = std::mem::replace(pairs, held);
            pairs.extend_from_columns(found.probe_rows(), found.build_rows());
        }
        Ok(looked_at)
    }

    fn check_pairs(&self, probe: Probe<'_>, pairs: &Pairs) -> Result<()> {
        if pairs.is_empty() {
            return Ok(());
        }
        let largest = |rows: &[u32]| rows.iter().fold(0, |largest, &row| largest.max(row));
        let (row, position) = (largest(pairs.probe_rows()), largest(pairs.build_rows()));
        if row as usize >= probe.len() {
            return Err(self.beyond("probe row", row, probe.len()));
        }
        if position as usize >= self.positions {
            return Err(self.beyond("position", position, self.positions));
        }
        Ok(())
    }

    fn check_progress(
        &self,
        probe: Probe<'_>,
        scan: &mut Scan,
        before: &FindCursor,
        found: usize,
    ) -> Result<()> {
        let cursor = &scan.cursor;
        scan.found = scan.found.saturating_add(found);
        if scan.found > probe.len().saturating_mul(self.positions) {
            return Err(self.faulty(format!(
                "finds more pairs than {} probe rows and {} positions make",
                probe.len(),
                self.positions
            )));
        }
        if cursor.is_done(probe.len()) {
            return Ok(());
        }
        if cursor.rows.len() != cursor.candidates.len() {
            return Err(self.faulty(format!(
                "leaves {} rows and {} candidates in the cursor",
                cursor.rows.len(),
                cursor.candidates.len()
            )));
        }
        if cursor == before || cursor.next_row < before.next_row {
            return Err(self.faulty("returns from `find` without getting on".to_owned()));
        }
        let moved = cursor.next_row > before.next_row || cursor.rows.len() < before.rows.len();
        scan.idle = if found > 0 || moved { 0 } else { scan.idle + 1 };
        // A chain has no more links than there are positions.
        if scan.idle > self.positions {
            return Err(self.faulty("goes on finding nothing in `find`".to_owned()));
        }
        Ok(())
    }

    /// Compares what it says with the rows that it was built from.
    fn check_shape(&self, rows: usize, order: Option<&[u32]>) -> Result<()> {
        let (held, positions) = (self.rows, self.positions);
        if held != rows {
            return Err(self.faulty(format!("says that it has {held} rows of {rows}")));
        }
        match order {
            None if positions == rows => Ok(()),
            None => {
                Err(self.faulty(format!("has {positions} positions, no order and {rows} rows")))
            }
            Some(order) if order.len() != positions => {
                let entries = order.len();
                Err(self.faulty(format!("has {positions} positions and an order of {entries}")))
            }
            Some(order) if self.own => self.check_order(rows, order),
            Some(order) => {
                debug_assert!(self.check_order(rows, order).is_ok());
                Ok(())
            }
        }
    }

    /// Whether an order names each row once.
    fn check_order(&self, rows: usize, order: &[u32]) -> Result<()> {
        let mut named = vec![0u64; rows.div_ceil(64)];
        let mut count = 0;
        for &row in order.iter().filter(|&&row| row != NO_ROW) {
            if row as usize >= rows {
                return Err(self.beyond("row", row, rows));
            }
            let (word, bit) = (&mut named[row as usize / 64], 1 << (row % 64));
            if *word & bit != 0 {
                return Err(self.faulty(format!("names row {row} twice in its order")));
            }
            *word |= bit;
            count += 1;
        }
        if count < rows {
            return Err(self.faulty(format!("names {count} of {rows} rows in its order")));
        }
        Ok(())
    }

    /// Whether rows with columns in them are of these columns, one for each position.
    fn check_fused(&self, fused: &FusedRows, columns: Option<&dyn RowWords>) -> Result<()> {
        let words = columns.map_or(usize::MAX, RowWords::words);
        let wanted = self.positions.checked_mul(fused.stride);
        if fused.stride <= words || wanted != Some(fused.words.len()) {
            return Err(self.faulty("has the columns of another table beside its keys".to_owned()));
        }
        Ok(())
    }

    fn beyond(&self, what: &str, number: u32, count: usize) -> JoinError {
        self.faulty(format!("names {what} {number} of {count}"))
    }

    fn faulty(&self, what: String) -> JoinError {
        JoinError::FaultyIndex { index: self.name, what }
    }
}
