//! Build-side indexes, one a file.
//!
//! Adding an index is one file that implements [`JoinIndex`], one variant of
//! [`IndexKind`] and one arm of [`IndexKind::build`].

mod chained;
mod cursor;
mod kind;
mod nested_loop;
mod row_at_a_time;
mod store;
#[cfg(test)]
mod tests;

use std::fmt;

use arrow::buffer::BooleanBuffer;

pub use cursor::FindCursor;
pub use kind::IndexKind;
pub(crate) use kind::check_build_rows;
pub use nested_loop::NestedLoop;
pub(crate) use store::OwnedKey;

use crate::key::Keys;
use crate::pairs::Pairs;

/// The probe side of a look-up: keys, their hashes, and which rows may match.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    keys: &'a Keys,
    hashes: &'a [u64],
    matchable: Option<&'a BooleanBuffer>,
}

impl<'a> Probe<'a> {
    /// Rows to look up. `hashes` come from the hasher that the table was built
    /// with; rows unset in `matchable` find nothing.
    ///
    /// # Panics
    /// If the lengths differ or there are 2^32 - 1 rows or more.
    #[must_use]
    pub fn new(keys: &'a Keys, hashes: &'a [u64], matchable: Option<&'a BooleanBuffer>) -> Self {
        assert_eq!(keys.len(), hashes.len(), "one hash a key");
        assert!(matchable.is_none_or(|rows| rows.len() == hashes.len()), "one bit a key");
        assert!(hashes.len() < u32::MAX as usize, "a probe is at most 2^32 - 2 rows");
        Self { keys, hashes, matchable }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// The keys.
    #[must_use]
    pub fn keys(&self) -> &'a Keys {
        self.keys
    }

    /// The hashes.
    #[must_use]
    pub fn hashes(&self) -> &'a [u64] {
        self.hashes
    }

    /// Which rows may match; none if all may.
    #[must_use]
    pub fn matchable(&self) -> Option<&'a BooleanBuffer> {
        self.matchable
    }

    /// Whether a row may match.
    #[inline]
    #[must_use]
    pub fn is_matchable(&self, row: usize) -> bool {
        self.matchable.is_none_or(|rows| rows.value(row))
    }
}

/// An index over the rows of a build side, looked up batch by batch.
///
/// Build rows are numbered from 0 in the order in which they were given.
pub trait JoinIndex: fmt::Debug + Send + Sync {
    /// The name, as in reports.
    fn name(&self) -> &'static str;

    /// Build rows that can be found.
    fn rows(&self) -> usize;

    /// Bytes held.
    fn bytes(&self) -> usize;

    /// For each probe row one build row that matches it, or
    /// [`NO_ROW`](crate::pairs::NO_ROW). Which one of several is the same for
    /// equal keys.
    ///
    /// # Panics
    /// If `matches` and the probe differ in length, or the keys are not of the
    /// shape that was built.
    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]);

    /// Appends matching pairs until about `limit` pairs are held or the probe
    /// is at its end, which the cursor tells. Pairs of a probe row need not be
    /// adjacent. `limit` is exceeded only by a cursor that was begun with a
    /// larger one, and by less than a block of rows. As long as the caller
    /// takes the pairs away between calls, each call gets on.
    ///
    /// # Panics
    /// If the keys are not of the shape that was built, or the cursor was used
    /// on another probe.
    fn find(&self, probe: Probe<'_>, cursor: &mut FindCursor, pairs: &mut Pairs, limit: usize);
}
