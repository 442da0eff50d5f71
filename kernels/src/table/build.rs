//! From keys to an index.

use std::fmt;
use std::ops::Range;

use super::{FusedRows, JoinIndex, RowWords};
use crate::arch::{CacheSizes, Isa};
use crate::cancellation::Cancellation;
use crate::error::{JoinError, Result};
use crate::key::KeyView;
use crate::pairs::NO_ROW;

/// What an index is built from. The index keeps no reference to it.
#[derive(Clone, Copy, Debug)]
pub struct BuildInput<'a> {
    // Not public: indexes rely on as many hashes as keys.
    pub(crate) keys: KeyView<'a>,
    pub(crate) hashes: &'a [u64],
    pub(crate) isa: Isa,
    pub(crate) caches: CacheSizes,
    pub(crate) beside: Option<&'a dyn RowWords>,
    cancellation: Option<&'a Cancellation>,
}

/// Rows that a build works on between two looks at whether it was cancelled: a
/// fraction of a millisecond. Not measured.
const STRETCH: usize = 1 << 15;

impl<'a> BuildInput<'a> {
    /// Rows to index. `hashes` come from the hasher that probes will use too,
    /// `isa` is the instruction set to look up with.
    ///
    /// # Errors
    /// [`JoinError::TooManyBuildRows`] for 2^32 - 2 rows and more,
    /// [`JoinError::IsaUnavailable`] for a level that this machine lacks,
    /// [`JoinError::InvalidPlan`] if there is not one hash per key.
    pub fn new(keys: impl Into<KeyView<'a>>, hashes: &'a [u64], isa: Isa) -> Result<Self> {
        let keys = keys.into();
        if keys.len() != hashes.len() {
            return Err(JoinError::InvalidPlan(format!(
                "{} hashes of {} keys: there must be one per key",
                hashes.len(),
                keys.len()
            )));
        }
        check_build_rows(keys.len() as u64)?;
        isa.require()?;
        let caches = CacheSizes::detect();
        Ok(Self { keys, hashes, isa, caches, beside: None, cancellation: None })
    }

    /// One key per row.
    #[must_use]
    pub fn keys(&self) -> KeyView<'a> {
        self.keys
    }

    /// The hash of each key.
    #[must_use]
    pub fn hashes(&self) -> &'a [u64] {
        self.hashes
    }

    /// The instruction set to look up with.
    #[must_use]
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Laid out for these caches, in place of those of this machine.
    #[must_use]
    pub fn laid_out_for(self, caches: CacheSizes) -> Self {
        Self { caches, ..self }
    }

    /// The caches to lay out for.
    #[must_use]
    pub fn caches(&self) -> CacheSizes {
        self.caches
    }

    /// With columns that will be gathered for what is found: an index may lay
    /// them out next to its keys, and says so in [`BuiltIndex::fused`].
    #[must_use]
    pub fn with_columns(self, columns: &'a dyn RowWords) -> Self {
        Self { beside: Some(columns), ..self }
    }

    /// The columns that may be laid out next to the keys.
    #[must_use]
    pub fn columns(&self) -> Option<&'a dyn RowWords> {
        self.beside
    }

    /// So that the build can be cancelled.
    #[must_use]
    pub fn with_cancellation(self, cancellation: &'a Cancellation) -> Self {
        Self { cancellation: Some(cancellation), ..self }
    }

    /// Ends a build that was cancelled. An index whose build takes long calls it
    /// every some ten thousand rows.
    ///
    /// # Errors
    /// [`JoinError::Cancelled`], to be returned by [`IndexBuilder::build`].
    pub fn check_cancelled(&self) -> Result<()> {
        self.cancellation.map_or(Ok(()), Cancellation::check)
    }

    /// The rows in stretches, before each of which a build that was cancelled ends.
    pub(crate) fn stretches(&self) -> impl DoubleEndedIterator<Item = Result<Range<usize>>> {
        stretches(self.hashes.len()).map(|stretch| self.check_cancelled().map(|()| stretch))
    }
}

/// An index, and where it put each row.
#[derive(Debug)]
#[non_exhaustive]
pub struct BuiltIndex {
    /// The index.
    pub index: Box<dyn JoinIndex>,
    /// The build row at each position, each row once; `None` if a position is a
    /// row's number. [`NO_ROW`] at a hole, which is never found.
    pub order: Option<Vec<u32>>,
    /// Why it is not the index that was asked for, if it is another one.
    pub fallback: Option<String>,
    /// The rows with the columns of [`BuildInput::columns`] in them, if the index
    /// laid them out. They belong to the index, which counts their bytes.
    pub fused: Option<FusedRows>,
}

impl BuiltIndex {
    /// An index whose positions are row numbers.
    #[must_use]
    pub fn in_row_order(index: impl JoinIndex + 'static) -> Self {
        Self { index: Box::new(index), order: None, fallback: None, fused: None }
    }

    /// With the reason why it is not the index that was asked for.
    #[must_use]
    pub fn with_fallback(self, why: impl Into<String>) -> Self {
        Self { fallback: Some(why.into()), ..self }
    }

    /// An index that lays rows out in an order of its own, of as many entries as it has
    /// positions.
    #[must_use]
    pub fn ordered(index: impl JoinIndex + 'static, order: Vec<u32>) -> Self {
        Self { index: Box::new(index), order: Some(order), fallback: None, fused: None }
    }

    /// The build rows at `positions`, in place; [`NO_ROW`] stays what it is.
    ///
    /// # Errors
    /// [`JoinError::FaultyIndex`] for a position that is not one of this index.
    pub fn rows_at(&self, positions: &mut [u32]) -> Result<()> {
        match &self.order {
            Some(order) => rows_at(order, positions, || self.index.name()),
            None => Ok(()),
        }
    }
}

/// The build rows at `positions` of an order, in place; [`NO_ROW`] stays what it is.
///
/// # Errors
/// [`JoinError::FaultyIndex`] for a position that is not one of the order.
pub(super) fn rows_at(
    order: &[u32],
    positions: &mut [u32],
    index: impl Fn() -> &'static str,
) -> Result<()> {
    for position in positions.iter_mut().filter(|row| **row != NO_ROW) {
        *position = *order.get(*position as usize).ok_or_else(|| JoinError::FaultyIndex {
            index: index(),
            what: format!("names position {position} of {}", order.len()),
        })?;
    }
    Ok(())
}

/// Builds indexes: an [`IndexKind`](super::IndexKind), or one of your own.
pub trait IndexBuilder: fmt::Debug + Send + Sync {
    /// The name, as in reports.
    fn name(&self) -> &'static str;

    /// Bytes that building over `keys` takes at its peak, the index included:
    /// what a caller reserves before. A generous guess by default.
    fn estimated_bytes(&self, keys: KeyView<'_>) -> usize {
        // Not measured.
        const BYTES_PER_ROW: usize = 40;
        keys.bytes() + keys.len() * BYTES_PER_ROW
    }

    /// Builds the index over the rows of `input`. Where it cannot serve them it
    /// builds another one and says why in [`BuiltIndex::fallback`].
    ///
    /// # Errors
    /// Those of the implementation; the ones here have only
    /// [`JoinError::Cancelled`], from [`BuildInput::check_cancelled`].
    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex>;
}

/// `0..rows` in stretches.
pub(crate) fn stretches(rows: usize) -> impl DoubleEndedIterator<Item = Range<usize>> {
    (0..rows).step_by(STRETCH).map(move |start| start..rows.min(start + STRETCH))
}

/// Refuses more build rows than a 32-bit number, counted from 1, can name.
///
/// # Errors
/// [`JoinError::TooManyBuildRows`].
pub(crate) fn check_build_rows(rows: u64) -> Result<()> {
    let limit = u64::from(u32::MAX) - 2;
    if rows > limit { Err(JoinError::TooManyBuildRows { rows, limit }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_ids_that_do_not_fit_are_refused_early() {
        assert!(check_build_rows(u64::from(u32::MAX) - 2).is_ok());
        for rows in [u64::from(u32::MAX) - 1, u64::from(u32::MAX) + 1, u64::MAX] {
            assert!(matches!(check_build_rows(rows), Err(JoinError::TooManyBuildRows { .. })));
        }
    }
}
