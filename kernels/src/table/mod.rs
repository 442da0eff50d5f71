//! Build-side indexes, one per file.
//!
//! Adding an index is one file, whose index implements [`JoinIndex`] and whose
//! `Kind` builds it, and one line in [`IndexKind`].
//!
//! # Example
//! Most callers take a [`KeyTable`]. This is what it does, by hand:
//!
//! ```
//! use streamjoin_kernels::{IndexKind, Isa, KeyHasher, Pairs};
//! use streamjoin_kernels::table::{BuildInput, FindCursor, IndexBuilder, Probe};
//!
//! # fn main() -> streamjoin_kernels::Result<()> {
//! let (build, probe) = ([3, 1, 3], [3, 4]);
//! let hasher = KeyHasher::with_seed(Isa::detect(), 42);
//! let (mut build_hashes, mut probe_hashes) = (Vec::new(), Vec::new());
//! hasher.hash(&build, &mut build_hashes);
//! hasher.hash(&probe, &mut probe_hashes);
//!
//! let input = BuildInput::new(&build, &build_hashes, hasher.isa())?;
//! let built = IndexKind::Contiguous.build(input)?;
//! let probe = Probe::new(&probe, &probe_hashes, None);
//! let (mut cursor, mut pairs) = (FindCursor::default(), Pairs::default());
//! let mut found = Vec::new();
//! while !cursor.is_done(probe.len()) {
//!     pairs.clear();
//!     built.index.find(probe, &mut cursor, &mut pairs, 1024);
//!     built.rows_at(pairs.build_rows_mut())?; // positions become rows
//!     found.extend(pairs.iter());
//! }
//! assert_eq!(found, [(0, 0), (0, 2)]);
//! # Ok(())
//! # }
//! ```
//!
//! An index behind a Bloom filter, for rows that mostly match nothing:
//!
//! ```
//! use std::sync::Arc;
//! use streamjoin_kernels::{IndexChoice, IndexKind};
//! use streamjoin_kernels::table::{FilteredBuilder, KeyTable};
//!
//! # fn main() -> streamjoin_kernels::Result<()> {
//! let choice = IndexChoice::Own(Arc::new(FilteredBuilder::new(IndexKind::Linear)));
//! let table = KeyTable::builder().with_index(choice).build(&[1, 2])?;
//! let mut found = Vec::new();
//! table.exists(&[5, 6, 2], &mut found)?;
//! assert_eq!(found, [0b100]);
//! # Ok(())
//! # }
//! ```
//!
//! An index of one's own is in `examples/own_index.rs`.

pub mod auto;
mod build;
mod byte_entries;
mod chained;
mod checked;
pub(crate) mod choice;
mod contiguous;
mod cursor;
mod direct;
#[cfg(test)]
mod edge_tests;
mod filter;
mod fused;
mod grouped;
mod hashbrown;
mod index_kind;
mod inline_keys;
mod interner;
mod key_blocks;
mod key_table;
pub(crate) mod kind;
mod linear;
mod nested_loop;
mod perfect;
mod row_at_a_time;
mod store;
#[cfg(test)]
mod tests;

use std::fmt;

use arrow::buffer::BooleanBuffer;

pub(crate) use build::check_build_rows;
pub use build::{BuildInput, BuiltIndex, IndexBuilder};
pub(crate) use checked::{CheckedBuilder, CheckedBuilt, CheckedIndex, Scan};
pub(crate) use choice::IndexChoice;
pub use cursor::FindCursor;
pub use filter::FilteredBuilder;
pub use fused::{FusedRows, RowWords};
pub use interner::KeyInterner;
pub use key_table::{KeyTable, KeyTableBuilder, Matches};
pub(crate) use kind::IndexKind;
pub use nested_loop::NestedLoop;
pub(crate) use store::OwnedKey;

use crate::arch::{Isa, found_bits};
use crate::key::KeyView;
use crate::pairs::{NO_ROW, Pairs};

/// The probe side of a look-up: keys, their hashes, and which rows may match.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    keys: KeyView<'a>,
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
    pub fn new(
        keys: impl Into<KeyView<'a>>,
        hashes: &'a [u64],
        matchable: Option<&'a BooleanBuffer>,
    ) -> Self {
        let keys = keys.into();
        assert_eq!(keys.len(), hashes.len(), "one hash per key");
        assert!(matchable.is_none_or(|rows| rows.len() == hashes.len()), "one bit per key");
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
    pub fn keys(&self) -> KeyView<'a> {
        self.keys
    }

    /// The hashes.
    #[must_use]
    pub fn hashes(&self) -> &'a [u64] {
        self.hashes
    }

    /// Which rows may match; `None` if all may.
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
/// What a look-up finds is a *position*, counted from 0. Where a [`BuiltIndex`] has no order, a
/// position is the number of a build row, counted from 0 in the order in which
/// they were given; else the order names the build row at each position, and
/// what belongs to the rows is best laid out in that order once.
///
/// # An index that does something wrong
/// One of the caller's own ([`IndexChoice::Own`]) is checked once when it is built and
/// once per call. It is an error that names the index
/// ([`JoinError::FaultyIndex`](crate::JoinError::FaultyIndex)) if numbers of rows or
/// positions do not fit what it was built from, if an order does not name each row
/// once, if it finds a row or a position that is not there or more pairs than there can
/// be, and if [`find`](Self::find) does not get on. What it said of itself when it was
/// built holds, whatever it says later. What cannot be seen is a wrong answer and no
/// more: matches that are none or are left out, keys that are said to be unique, bytes.
/// A panic goes through to the caller.
pub trait JoinIndex: fmt::Debug + Send + Sync {
    /// The name, as in reports.
    fn name(&self) -> &'static str;

    /// Build rows that can be found.
    fn rows(&self) -> usize;

    /// Positions, which are more than rows where the index leaves holes.
    fn positions(&self) -> usize {
        self.rows()
    }

    /// Bytes held.
    fn bytes(&self) -> usize;

    /// Bytes of each array that a look-up which hits must touch at one random
    /// place: what memory allows is the sum of those touches.
    fn touched_arrays(&self) -> Vec<usize> {
        vec![self.bytes()]
    }

    /// Whether no two rows have the same key; `None`: not known, and then found out
    /// by a look-up of each row. If it is, only [`first_match`](Self::first_match) is asked.
    fn unique(&self) -> Option<bool>;

    /// For each probe row, the position of one match, or [`NO_ROW`]. Which one
    /// of several is the same for equal keys. Returns how many places for a key
    /// were read: the work, which is the same on every instruction set.
    ///
    /// # Panics
    /// If `matches` and the probe differ in length, or the keys are not of the
    /// shape that was built.
    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) -> u64;

    /// Sets bit `i % 64` of `found[i / 64]` if probe row `i` has a match and
    /// clears it if not, as a semi join asks.
    ///
    /// # Panics
    /// If `found` is not one word per 64 rows, the last ones included, or the keys are not
    /// of the shape that was built.
    fn exists(&self, probe: Probe<'_>, found: &mut [u64]) {
        assert_eq!(found.len(), probe.len().div_ceil(64), "one bit per probe row");
        let mut matches = vec![NO_ROW; probe.len()];
        self.first_match(probe, &mut matches);
        found_bits(Isa::Portable, &matches, found);
    }

    /// Appends matching pairs until about `limit` pairs are held or the
    /// probe is finished, which the cursor says. Pairs of a probe row need not be
    /// adjacent. `limit` is exceeded only by a cursor that was started with a
    /// larger one, and by less than a block of rows. As long as the caller
    /// removes the pairs between calls, each call makes progress: `next_row` grows, a
    /// row leaves the cursor, or a candidate changes. Returns how many
    /// places for a key were read, as [`first_match`](Self::first_match)
    /// does.
    ///
    /// # Panics
    /// If the keys are not of the shape that was built, or the cursor was used
    /// on another probe.
    fn find(
        &self,
        probe: Probe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64;
}
