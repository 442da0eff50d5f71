//! What comes out of a store: rows that left, and what upkeep did.

use std::ops::Add;

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
pub(super) struct Leaving<'a> {
    pub(super) eviction: Eviction,
    /// Rows that leave and never matched, if they are asked for.
    pub(super) unmatched: Option<&'a mut Departed>,
}

impl<'a> Leaving<'a> {
    pub(super) fn new(unmatched: Option<&'a mut Departed>) -> Self {
        Self { eviction: Eviction::default(), unmatched }
    }

    /// Notes a row that left.
    pub(super) fn note(&mut self, row: u32, time: Option<i64>, is_matched: bool) {
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
