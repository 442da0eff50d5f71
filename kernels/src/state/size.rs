//! How large a store is.

use std::ops::Add;

/// Bytes that a store holds, by what they are for. Exact: as many as were
/// allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateSize {
    /// Rows in state.
    pub rows: u64,
    /// The kept columns of rows, those that were taken out and not reclaimed
    /// included.
    pub payload: usize,
    /// What finds and evicts rows: keys, event times, links.
    pub index: usize,
    /// Marks: matched, dead.
    pub bitmap: usize,
    /// Room that was allocated and is not in use.
    pub slack: usize,
    /// Freed blocks that are kept for reuse.
    pub pool: usize,
}

impl StateSize {
    /// All bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.payload + self.index + self.bitmap + self.slack + self.pool
    }
}

impl Add for StateSize {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            payload: self.payload + other.payload,
            index: self.index + other.index,
            bitmap: self.bitmap + other.bitmap,
            slack: self.slack + other.slack,
            pool: self.pool + other.pool,
        }
    }
}
