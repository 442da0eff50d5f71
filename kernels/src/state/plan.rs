//! What a store is for, and how it cuts blocks.

use arrow::datatypes::DataType;

use crate::hash::KeyHasher;
use crate::key::KeyShape;

/// What a store is for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StorePlan {
    /// The shape of the keys.
    pub shape: KeyShape,
    /// The types of the columns that are kept. Dictionaries and run-end encoded
    /// columns are kept by value: see [`kept_type`](super::kept_type).
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
