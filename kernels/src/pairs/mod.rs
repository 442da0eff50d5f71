//! What a probe finds: pairs of row numbers.

#[cfg(test)]
mod tests;

use std::ops::Range;

use arrow::buffer::BooleanBuffer;

use crate::error::{JoinError, Result};

/// The build row of a probe row that matched nothing.
pub const NO_ROW: u32 = u32::MAX;

/// Matching rows, as two columns of row numbers that are always equally long:
/// `probe_rows()[i]` matches `build_rows()[i]`. A build row of [`NO_ROW`] stands
/// for a row of nulls.
///
/// ```
/// use streamjoin_kernels::Pairs;
/// use streamjoin_kernels::table::KeyTable;
///
/// let mut pairs = Pairs::new();
/// KeyTable::new(&[10, 20]).unwrap().pairs(&[20, 30], &mut pairs).unwrap();
/// assert_eq!((pairs.probe_rows(), pairs.build_rows()), (&[0][..], &[1][..]));
/// assert_eq!(pairs.iter().next(), Some((0, 1)));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    // Not public: indexes write into both by one length.
    probe_rows: Vec<u32>,
    build_rows: Vec<u32>,
}

impl Pairs {
    /// No pairs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// No pairs, with memory for `pairs` of them.
    #[must_use]
    pub fn with_capacity(pairs: usize) -> Self {
        Self { probe_rows: Vec::with_capacity(pairs), build_rows: Vec::with_capacity(pairs) }
    }

    /// The pairs of a column of probe rows and one of build rows.
    ///
    /// # Errors
    /// [`JoinError::UnevenPairs`] if one is longer than the other.
    pub fn from_columns(probe_rows: Vec<u32>, build_rows: Vec<u32>) -> Result<Self> {
        let (probe, build) = (probe_rows.len(), build_rows.len());
        if probe != build {
            return Err(JoinError::UnevenPairs { probe, build });
        }
        Ok(Self { probe_rows, build_rows })
    }

    /// The column of probe rows and that of build rows.
    #[must_use]
    pub fn into_columns(self) -> (Vec<u32>, Vec<u32>) {
        (self.probe_rows, self.build_rows)
    }

    /// Number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.probe_rows.len()
    }

    /// Whether there are no pairs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.probe_rows.is_empty()
    }

    /// The row of the probe side of each pair.
    #[must_use]
    pub fn probe_rows(&self) -> &[u32] {
        &self.probe_rows
    }

    /// The row of the build side of each pair.
    #[must_use]
    pub fn build_rows(&self) -> &[u32] {
        &self.build_rows
    }

    /// As [`probe_rows`](Self::probe_rows), to be changed in place.
    pub fn probe_rows_mut(&mut self) -> &mut [u32] {
        &mut self.probe_rows
    }

    /// As [`build_rows`](Self::build_rows), to be changed in place, for example
    /// by [`BuiltIndex::rows_at`](crate::table::BuiltIndex::rows_at).
    pub fn build_rows_mut(&mut self) -> &mut [u32] {
        &mut self.build_rows
    }

    /// Appends a pair.
    #[inline]
    pub fn push(&mut self, probe_row: u32, build_row: u32) {
        self.probe_rows.push(probe_row);
        self.build_rows.push(build_row);
    }

    /// The pairs: a row of the probe side, and one of the build side.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.probe_rows.iter().copied().zip(self.build_rows.iter().copied())
    }

    /// Removes all pairs and keeps the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Keeps the pairs from `start` on for which `keep` is set, in order;
    /// `keep[i]` speaks of pair `start + i`. Pairs that it does not speak of are
    /// dropped.
    pub fn retain_from(&mut self, start: usize, keep: &BooleanBuffer) {
        let (len, mut kept) = (self.len(), start);
        let of_pairs = keep.set_indices().map(|i| start.saturating_add(i));
        for from in of_pairs.take_while(|&from| from < len) {
            self.probe_rows[kept] = self.probe_rows[from];
            self.build_rows[kept] = self.build_rows[from];
            kept += 1;
        }
        self.truncate(kept);
    }

    /// Keeps the pairs from `start` on that `keep` wants, in order.
    pub(crate) fn retain_if(&mut self, start: usize, mut keep: impl FnMut(u32, u32) -> bool) {
        let mut kept = start;
        for from in start..self.len() {
            let (probe_row, build_row) = (self.probe_rows[from], self.build_rows[from]);
            (self.probe_rows[kept], self.build_rows[kept]) = (probe_row, build_row);
            kept += usize::from(keep(probe_row, build_row));
        }
        self.truncate(kept);
    }

    /// Keeps the first `len` pairs.
    #[inline(always)]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.probe_rows.truncate(len);
        self.build_rows.truncate(len);
    }

    /// Appends the pairs of one probe row with neighbouring build rows.
    #[inline]
    pub(crate) fn push_run(&mut self, probe_row: u32, build_rows: Range<u32>) {
        self.build_rows.extend(build_rows);
        self.probe_rows.resize(self.build_rows.len(), probe_row);
    }

    /// Appends pairs, column by column.
    ///
    /// # Panics
    /// If the columns differ in length.
    #[inline]
    pub(crate) fn extend_from_columns(&mut self, probe_rows: &[u32], build_rows: &[u32]) {
        assert_eq!(probe_rows.len(), build_rows.len(), "a build row for each probe row");
        self.probe_rows.extend_from_slice(probe_rows);
        self.build_rows.extend_from_slice(build_rows);
    }

    /// Appends `count` pairs of zeros, to be overwritten: their two columns.
    #[inline(always)]
    pub(crate) fn push_zeros(&mut self, count: usize) -> (&mut [u32], &mut [u32]) {
        let held = self.len();
        self.probe_rows.resize(held + count, 0);
        self.build_rows.resize(held + count, 0);
        (&mut self.probe_rows[held..], &mut self.build_rows[held..])
    }

    /// Both columns, with memory for `count` more pairs each.
    pub(crate) fn reserve(&mut self, count: usize) -> Columns<'_> {
        self.probe_rows.reserve(count);
        self.build_rows.reserve(count);
        Columns { probe_rows: &mut self.probe_rows, build_rows: &mut self.build_rows }
    }
}

/// The columns of [`Pairs`] while they are appended to: when this ends, by a
/// panic or otherwise, the longer one is cut to the shorter.
pub(crate) struct Columns<'a> {
    pub(crate) probe_rows: &'a mut Vec<u32>,
    pub(crate) build_rows: &'a mut Vec<u32>,
}

impl Drop for Columns<'_> {
    #[inline]
    fn drop(&mut self) {
        let len = self.probe_rows.len().min(self.build_rows.len());
        self.probe_rows.truncate(len);
        self.build_rows.truncate(len);
    }
}
