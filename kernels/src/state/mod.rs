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
//! let mut store = StoreKind::TimeBlocks.build(&StorePlan {
//!     shape: KeyShape::Word,
//!     payload: Vec::new(),
//!     evicts: true,
//!     tracks_matches: false,
//!     timed: false,
//!     hasher: hasher.clone(),
//!     blocks: BlockOptions::default(),
//! })?;
//! let (keys, mut hashes) = ([1, 2], Vec::new());
//! hasher.hash(&keys, &mut hashes);
//! let keys = Probe::new(&keys, &hashes, None);
//! let times: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![10, 20]));
//! let times = EventTimes::new(&times)?;
//! store.insert(NewRows { keys, times: &times, payload: &[], matched: &[false; 2], rows: &[0, 1] })?;
//!
//! assert_eq!(store.evict(10, None).rows, 1);
//! let mut pairs = Pairs::default();
//! let probe = StateProbe { keys, rows: None, interval: None };
//! store.find(probe, &mut FindCursor::default(), &mut pairs, 100);
//! assert_eq!((pairs.probe_rows(), store.rows()), (&[1][..], 1));
//! # Ok(())
//! # }
//! ```

mod block;
mod codec;
mod full_scan;
mod kept;
mod keyed;
pub(crate) mod kind;
mod ordered_map;
mod plain;
mod rows;
mod size;
#[cfg(test)]
mod tests;
mod time_blocks;

use std::fmt;
use std::ops::Add;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;

pub(crate) use kept::by_value;
pub use kept::kept_type;
pub(crate) use kind::StoreKind;
pub use size::StateSize;

use crate::error::Result;
use crate::hash::KeyHasher;
use crate::key::{KeyShape, KeyView};
use crate::pairs::Pairs;
use crate::side::Side;
use crate::table::{FindCursor, Probe};
use crate::time::{EventTimes, IntervalCondition};

/// What a store is for.
#[derive(Clone, Debug)]
pub struct StorePlan {
    /// The shape of the keys.
    pub shape: KeyShape,
    /// The types of the columns that are kept. Dictionaries and run-end encoded
    /// columns are kept by value: see [`kept_type`].
    pub payload: Vec<DataType>,
    /// Whether an eviction line will ever be given.
    pub evicts: bool,
    /// Whether it will be asked which rows never matched: those of a preserved
    /// side. Otherwise a store need not remember.
    pub tracks_matches: bool,
    /// Whether look-ups come with an interval.
    pub timed: bool,
    /// Hashes keys; the hashes that come with rows and look-ups are its.
    pub hasher: KeyHasher,
    /// How a store that keeps blocks cuts them.
    pub blocks: BlockOptions,
}

/// How a store cuts its blocks, if it keeps rows in blocks; it changes no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockOptions {
    /// Rows of a block, 1 to [`MAX_ROWS`](Self::MAX_ROWS).
    pub rows: usize,
    /// The number of the first row. Numbers count up and wrap around; with a start
    /// near the end tests see that soon.
    pub first_row: u32,
}

impl BlockOptions {
    /// The largest block.
    pub const MAX_ROWS: usize = 1 << 15;
}

impl Default for BlockOptions {
    fn default() -> Self {
        // The size was not measured.
        Self { rows: 1024, first_row: 0 }
    }
}

/// Rows that come in together: all columns have one length, of which `rows`
/// names those that are stored.
#[derive(Clone, Copy, Debug)]
pub struct NewRows<'a> {
    /// Keys, hashes, and which rows can be found; a row that cannot is stored
    /// nevertheless, and waits for the eviction line.
    pub keys: Probe<'a>,
    /// Event times, or what stands in for them.
    pub times: &'a EventTimes,
    /// The columns of [`StorePlan::payload`]. Nothing of them is kept alive.
    pub payload: &'a [ArrayRef],
    /// Whether each row has a match already.
    pub matched: &'a [bool],
    /// The rows to store.
    pub rows: &'a [u32],
}

/// Rows of the other side that look for partners.
#[derive(Clone, Copy, Debug)]
pub struct StateProbe<'a> {
    /// Keys, hashes, and which rows may match.
    pub keys: Probe<'a>,
    /// The rows that look, where not all of them do.
    pub rows: Option<&'a [u32]>,
    /// The condition on event times; `None` if it has no bound.
    pub interval: Option<IntervalProbe<'a>>,
}

impl StateProbe<'_> {
    /// Number of rows that look for partners: a cursor is done when it has come
    /// this far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.map_or(self.keys.len(), <[u32]>::len)
    }

    /// Whether no row looks for partners.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number, in the batch, of the row at `position` of those that look.
    #[inline]
    #[must_use]
    pub fn row(&self, position: usize) -> usize {
        self.rows.map_or(position, |rows| rows[position] as usize)
    }
}

/// The event times of the rows that look for partners.
#[derive(Clone, Copy, Debug)]
pub struct IntervalProbe<'a> {
    /// Their times.
    pub times: &'a EventTimes,
    /// The side that they are of.
    pub side: Side,
    /// The condition.
    pub condition: IntervalCondition,
}

impl IntervalProbe<'_> {
    /// The event times that the partners of `row` have, ends included; `None` if
    /// it can have no partner.
    #[inline]
    #[must_use]
    pub fn around(&self, row: usize) -> Option<(i64, i64)> {
        self.condition.around(self.side, self.times.get(row)?)
    }
}

/// Rows that left the state.
#[derive(Clone, Debug, Default)]
pub struct Departed {
    /// Their ids.
    pub rows: Vec<u32>,
    /// The event times of those that have one, in the same order.
    pub times: Vec<i64>,
}

impl Departed {
    /// Notes one row.
    pub fn push(&mut self, row: u32, time: Option<i64>) {
        self.rows.push(row);
        self.times.extend(time);
    }
}

/// What an eviction did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Eviction {
    /// Rows that left.
    pub rows: u64,
    /// Rows that were read.
    pub visited: u64,
    /// Blocks that were read, in a store that has blocks.
    pub blocks: u64,
}

/// An eviction under way.
struct Leaving<'a> {
    eviction: Eviction,
    /// Rows that leave and never matched, if they are asked for.
    unmatched: Option<&'a mut Departed>,
}

impl<'a> Leaving<'a> {
    fn new(unmatched: Option<&'a mut Departed>) -> Self {
        Self { eviction: Eviction::default(), unmatched }
    }

    /// Notes a row that left.
    fn note(&mut self, row: u32, time: Option<i64>, is_matched: bool) {
        self.eviction.rows += 1;
        if let Some(unmatched) = &mut self.unmatched
            && !is_matched
        {
            unmatched.push(row, time);
        }
    }
}

/// What a store did to keep itself in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// Rows that were copied from one place of the store to another.
    pub moved: u64,
    /// Times that the index began to grow or to shrink.
    pub resizes: u64,
}

impl Add for Upkeep {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { moved: self.moved + other.moved, resizes: self.resizes + other.resizes }
    }
}

/// The stored rows of one side.
///
/// An id names a row up to the next [`reclaim`], after which it may have another.
/// Rows that were taken out are not found any more and do not count, but can be
/// gathered until then; ids and the positions of cursors stay as they are in
/// between.
///
/// [`reclaim`]: Self::reclaim
pub trait StateStore: fmt::Debug + Send + Sync {
    /// The name, as in reports.
    fn name(&self) -> &'static str;

    /// Rows in state.
    fn rows(&self) -> u64;

    /// Bytes held.
    fn size(&self) -> StateSize;

    /// Stores rows.
    ///
    /// # Errors
    /// [`JoinError::TooManyStateRows`](crate::JoinError::TooManyStateRows) if
    /// ids run out, Arrow's; nothing is stored then.
    ///
    /// # Panics
    /// If columns differ in length or are not as planned.
    fn insert(&mut self, rows: NewRows<'_>) -> Result<()>;

    /// Appends pairs of probe rows and stored rows with equal keys and times
    /// inside the interval, until about `limit` pairs are held or the probe is
    /// finished, which the cursor says; returns how many stored rows were read. As
    /// long as the caller removes the pairs between calls, each call makes progress. No row may be stored or reclaimed between the calls
    /// of one cursor.
    ///
    /// # Panics
    /// If the keys are not of the planned shape, or the cursor was used on
    /// another probe.
    fn find(
        &self,
        probe: StateProbe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64;

    /// Notes that rows have a match.
    ///
    /// # Panics
    /// If an id names no row.
    fn set_matched(&mut self, rows: &[u32]);

    /// Takes rows out, those that are in state; returns how many there were.
    ///
    /// # Panics
    /// If an id names no row.
    fn remove(&mut self, rows: &[u32]) -> u64;

    /// Takes out every row whose time is at most `line`; rows without a time
    /// stay. Those that never matched are noted in `unmatched`, if given.
    fn evict(&mut self, line: i64, unmatched: Option<&mut Departed>) -> Eviction;

    /// Takes out every row, with or without a time.
    fn drain(&mut self, unmatched: Option<&mut Departed>) -> Eviction;

    /// The kept columns `wanted`, by position in the plan, of `rows`; nulls
    /// where a row is [`NO_ROW`](crate::pairs::NO_ROW).
    ///
    /// # Errors
    /// Arrow's, such as an offset overflow.
    ///
    /// # Panics
    /// If another id names no row.
    fn gather(&self, wanted: &[usize], rows: &[u32]) -> Result<Vec<ArrayRef>>;

    /// How many of the first of `rows` fit into `bytes`, roughly; at
    /// least one, if there is one.
    fn rows_within(&self, rows: &[u32], bytes: usize) -> usize;

    /// Frees what rows that were taken out still hold. Returns the upkeep since
    /// the last call, as far as the store keeps account of it.
    fn reclaim(&mut self) -> Upkeep;
}

/// Compares the shape of keys with the planned one.
fn check_shape(planned: KeyShape, keys: KeyView<'_>) {
    assert_eq!(keys.shape(), planned, "keys of another shape than the store was planned for");
}
