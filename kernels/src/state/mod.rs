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
use crate::key::KeyShape;
use crate::pairs::Pairs;
use crate::side::Side;
use crate::table::{FindCursor, Probe};
use crate::time::{EventTimes, IntervalCondition};

/// The longest value that every store keeps: in blocks, 32 bits say where a value
/// ends, and a key has its length before it.
pub(crate) const MOST_VALUE_BYTES: usize = u32::MAX as usize - size_of::<u32>();

/// What a store is for.
#[derive(Clone, Debug)]
#[non_exhaustive]
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

impl StorePlan {
    /// A store of rows without columns, which never leave, are looked up without
    /// an interval and need not be known as matched.
    #[must_use]
    pub fn new(shape: KeyShape, hasher: KeyHasher) -> Self {
        Self {
            shape,
            payload: Vec::new(),
            evicts: false,
            tracks_matches: false,
            timed: false,
            hasher,
            blocks: BlockOptions::default(),
        }
    }

    /// With columns of these types.
    #[must_use]
    pub fn with_payload(self, payload: Vec<DataType>) -> Self {
        Self { payload, ..self }
    }

    /// With eviction lines to come, or none.
    #[must_use]
    pub fn with_evicts(self, evicts: bool) -> Self {
        Self { evicts, ..self }
    }

    /// With rows that are known as matched, or need not be.
    #[must_use]
    pub fn with_tracks_matches(self, tracks_matches: bool) -> Self {
        Self { tracks_matches, ..self }
    }

    /// With look-ups that come with an interval, or without.
    #[must_use]
    pub fn with_timed(self, timed: bool) -> Self {
        Self { timed, ..self }
    }

    /// With blocks cut in this way.
    #[must_use]
    pub fn with_blocks(self, blocks: BlockOptions) -> Self {
        Self { blocks, ..self }
    }
}

/// How a store cuts its blocks, if it keeps rows in blocks; it changes no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

    /// With as many rows per block.
    #[must_use]
    pub fn with_rows(self, rows: usize) -> Self {
        Self { rows, ..self }
    }

    /// With a first row of this number.
    #[must_use]
    pub fn with_first_row(self, first_row: u32) -> Self {
        Self { first_row, ..self }
    }
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
#[non_exhaustive]
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

impl<'a> NewRows<'a> {
    /// Those of the rows that `rows` names, without a match so far where `matched`
    /// is unset.
    #[must_use]
    pub fn new(
        keys: Probe<'a>,
        times: &'a EventTimes,
        payload: &'a [ArrayRef],
        matched: &'a [bool],
        rows: &'a [u32],
    ) -> Self {
        Self { keys, times, payload, matched, rows }
    }
}

/// Rows of the other side that look for partners.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StateProbe<'a> {
    /// Keys, hashes, and which rows may match.
    pub keys: Probe<'a>,
    /// The rows that look, where not all of them do.
    pub rows: Option<&'a [u32]>,
    /// The condition on event times; `None` if it has no bound.
    pub interval: Option<IntervalProbe<'a>>,
}

impl<'a> StateProbe<'a> {
    /// All of these rows look, without a condition on event times.
    #[must_use]
    pub fn new(keys: Probe<'a>) -> Self {
        Self { keys, rows: None, interval: None }
    }

    /// With these of the rows, or all.
    #[must_use]
    pub fn with_rows(self, rows: impl Into<Option<&'a [u32]>>) -> Self {
        Self { rows: rows.into(), ..self }
    }

    /// With this condition on event times, or none.
    #[must_use]
    pub fn with_interval(self, interval: impl Into<Option<IntervalProbe<'a>>>) -> Self {
        Self { interval: interval.into(), ..self }
    }

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
#[non_exhaustive]
pub struct IntervalProbe<'a> {
    /// Their times.
    pub times: &'a EventTimes,
    /// The side that they are of.
    pub side: Side,
    /// The condition.
    pub condition: IntervalCondition,
}

impl<'a> IntervalProbe<'a> {
    /// The condition, for rows of this side with these times.
    #[must_use]
    pub fn new(times: &'a EventTimes, side: Side, condition: IntervalCondition) -> Self {
        Self { times, side, condition }
    }

    /// The event times, in microseconds and ends included, that the partners of
    /// `row` have; `None` if it can have no partner.
    #[inline]
    #[must_use]
    pub fn around(&self, row: usize) -> Option<(i64, i64)> {
        self.condition.around(self.side, self.times.micros_at(row)?)
    }
}

/// Rows that left the state.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Departed {
    /// Their ids.
    pub rows: Vec<u32>,
    /// The event times of those that have one, in microseconds and in the same
    /// order.
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
#[non_exhaustive]
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
#[non_exhaustive]
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
