//! What a stream-stream join remembers of one side.
//!
//! A [`StateStore`] holds rows by key and event time until the eviction line
//! passes them. All calls take batches of rows; a store is free to lay them out
//! as it likes and names them by 32-bit ids of its own.
//!
//! Adding a store is one file that implements the trait, one variant of
//! [`StoreKind`] and one arm of its `build`.
//!
//! ```
//! use streamjoin_kernels::arrow::array::{ArrayRef, TimestampMicrosecondArray};
//! use std::sync::Arc;
//! use streamjoin_kernels::{Isa, KeyHasher, Pairs, StoreKind};
//! use streamjoin_kernels::key::KeyShape;
//! use streamjoin_kernels::state::{BlockOptions, NewRows, StateProbe, StorePlan};
//! use streamjoin_kernels::table::{FindCursor, Probe};
//! use streamjoin_kernels::time::EventTimes;
//!
//! # fn main() -> streamjoin_kernels::Result<()> {
//! let hasher = KeyHasher::with_seed(Isa::detect(), 1);
//! let plan = StorePlan::new(KeyShape::Word, hasher.clone()).with_evicts(true);
//! let mut store = StoreKind::TimeBlocks.build(&plan)?;
//! let (keys, mut hashes) = ([1, 2], Vec::new());
//! hasher.hash(&keys, &mut hashes);
//! let keys = Probe::new(&keys, &hashes, None);
//! let times: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![10, 20]));
//! let times = EventTimes::new(&times)?;
//! store.insert(NewRows::new(keys, &times, &[], &[false; 2], &[0, 1]))?;
//!
//! assert_eq!(store.evict(10, None)?.rows, 1);
//! let mut pairs = Pairs::default();
//! let probe = StateProbe::new(keys);
//! store.find(probe, &mut FindCursor::default(), &mut pairs, 100)?;
//! assert_eq!((pairs.probe_rows(), store.rows()), (&[1][..], 1));
//! # Ok(())
//! # }
//! ```

mod block;
mod capacity;
mod checked;
#[cfg(test)]
mod checked_tests;
mod codec;
mod full_scan;
mod kept;
mod keyed;
pub(crate) mod kind;
mod ordered_map;
mod outcome;
mod plain;
mod plan;
mod request;
mod rows;
mod size;
#[cfg(test)]
mod tests;
mod time_blocks;

use std::fmt;

use arrow::array::ArrayRef;

pub(crate) use kept::by_value;
pub use kept::kept_type;
pub(crate) use kind::StoreKind;
use outcome::Leaving;
pub use outcome::{Departed, Eviction, Upkeep};
pub use plan::{BlockOptions, StorePlan};
pub use request::{IntervalProbe, NewRows, StateProbe};
pub use size::StateSize;

use crate::error::Result;
use crate::pairs::Pairs;
use crate::table::FindCursor;

/// The longest value that every store keeps: in blocks, 32 bits say where a value
/// ends, and a key has its length before it.
pub(crate) const MOST_VALUE_BYTES: usize = u32::MAX as usize - size_of::<u32>();

/// The stored rows of one side.
///
/// An id names a row up to the next [`reclaim`], after which it may have another.
/// Rows that were taken out are not found any more and do not count, but can be
/// gathered until then; ids and the positions of cursors stay as they are in
/// between.
///
/// Wrong input is an error that changes nothing, unless a method says otherwise. A
/// store that something left half-changed, such as a panic that the caller has
/// caught, has failed: all it returns from then on is
/// [`JoinError::Unfinished`](crate::JoinError::Unfinished).
///
/// [`reclaim`]: Self::reclaim
pub trait StateStore: fmt::Debug + Send + Sync {
    /// The name, as in reports.
    fn name(&self) -> &'static str;

    /// Rows in state.
    fn rows(&self) -> u64;

    /// Rows in state whose time is after `line`, and those without a time. It may
    /// look at every row.
    ///
    /// # Errors
    /// [`JoinError::Unfinished`](crate::JoinError::Unfinished) from a store that
    /// failed.
    fn rows_after(&self, line: i64) -> Result<u64>;

    /// Bytes held.
    fn size(&self) -> StateSize;

    /// Whether there are ids for this many more rows.
    ///
    /// # Errors
    /// [`JoinError::TooManyStateRows`](crate::JoinError::TooManyStateRows) if
    /// not, [`JoinError::Unfinished`](crate::JoinError::Unfinished) from a store
    /// that failed.
    fn check_room(&self, rows: usize) -> Result<()>;

    /// The most bytes that storing these rows adds to those held. It may prepare
    /// the rows as [`insert`](Self::insert) does.
    ///
    /// # Errors
    /// Those of [`insert`](Self::insert).
    fn growth(&self, rows: NewRows<'_>) -> Result<usize>;

    /// Stores rows, or none of them if it returns an error: the store goes on
    /// then.
    ///
    /// # Errors
    /// [`JoinError::Schema`](crate::JoinError::Schema) if keys or columns are not
    /// as planned or differ in length, [`JoinError::InvalidPlan`](crate::JoinError::InvalidPlan)
    /// for row numbers beyond them and values too large to be kept, those of
    /// [`check_room`](Self::check_room), Arrow's.
    fn insert(&mut self, rows: NewRows<'_>) -> Result<()>;

    /// Appends pairs of probe rows and stored rows with equal keys and times
    /// inside the interval, until about `limit` pairs are held or the probe is
    /// finished, which the cursor says; returns how many stored rows were read. As
    /// long as the caller removes the pairs between calls, each call makes progress. No row may be stored or reclaimed between the calls
    /// of one cursor.
    ///
    /// # Errors
    /// [`JoinError::Schema`](crate::JoinError::Schema) if keys are not as planned
    /// or times differ in number, [`JoinError::InvalidPlan`](crate::JoinError::InvalidPlan)
    /// for row numbers beyond the keys and cursors of another probe or store, as
    /// far as they can be told, [`JoinError::Unfinished`](crate::JoinError::Unfinished)
    /// from a store that failed.
    fn find(
        &self,
        probe: StateProbe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> Result<u64>;

    /// Notes that rows have a match.
    ///
    /// # Errors
    /// [`JoinError::InvalidPlan`](crate::JoinError::InvalidPlan) if an id names
    /// no row: the store has failed then, and
    /// [`JoinError::Unfinished`](crate::JoinError::Unfinished) follows.
    fn set_matched(&mut self, rows: &[u32]) -> Result<()>;

    /// Takes rows out, those that are in state; returns how many there were.
    ///
    /// # Errors
    /// [`JoinError::Unfinished`](crate::JoinError::Unfinished) from a store that
    /// failed.
    fn remove(&mut self, rows: &[u32]) -> Result<u64>;

    /// Takes out every row whose time, in microseconds, is at most `line`; rows without a time
    /// stay. Those that never matched are noted in `unmatched`, if given.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    fn evict(&mut self, line: i64, unmatched: Option<&mut Departed>) -> Result<Eviction>;

    /// Takes out every row, with or without a time.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    fn drain(&mut self, unmatched: Option<&mut Departed>) -> Result<Eviction>;

    /// The kept columns `wanted`, by position in the plan, of `rows`; nulls
    /// where a row is [`NO_ROW`](crate::pairs::NO_ROW).
    ///
    /// # Errors
    /// Arrow's, such as an offset overflow; [`JoinError::InvalidPlan`](crate::JoinError::InvalidPlan)
    /// if another id names no row, or a column was not planned.
    fn gather(&self, wanted: &[usize], rows: &[u32]) -> Result<Vec<ArrayRef>>;

    /// How many of the first of `rows` fit into `bytes`, roughly; at
    /// least one, if there is one.
    ///
    /// # Errors
    /// As [`gather`](Self::gather).
    fn rows_within(&self, rows: &[u32], bytes: usize) -> Result<usize>;

    /// Frees what rows that were taken out still hold. Returns the upkeep since
    /// the last call, as far as the store keeps account of it.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    fn reclaim(&mut self) -> Result<Upkeep>;
}
