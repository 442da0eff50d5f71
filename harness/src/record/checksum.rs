//! An order-free checksum over output rows.

use std::fmt;

use arrow::array::RecordBatch;

use super::digest::{self, ROW_SEED};

/// Wrapping sum of a 64-bit hash of each row.
///
/// A sum and not an exclusive or: two equal rows must not cancel. Values count
/// in a canonical form (ints as i64, times in microseconds, one NaN, null
/// tagged), so names, batch borders, row order, integer widths, time units,
/// dictionary and view encodings make no difference; column order, nulls and
/// multiplicity do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    sum: u64,
    rows: u64,
    /// Hash so far of each row, and digest of each value: kept for their storage.
    scratch: Scratch,
}

#[derive(Debug, Default)]
struct Scratch {
    rows: Vec<u64>,
    values: Vec<u64>,
}

/// A copy needs no scratch space before it is used.
impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Scratch space is not part of a checksum's value.
impl PartialEq for Scratch {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Scratch {}

impl Checksum {
    /// A checksum of no rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds every row of `batch`, column by column.
    pub fn update(&mut self, batch: &RecordBatch) {
        let Scratch { rows, values } = &mut self.scratch;
        rows.clear();
        rows.resize(batch.num_rows(), ROW_SEED);
        for column in batch.columns() {
            digest::values(column.as_ref(), values);
            for (row, value) in rows.iter_mut().zip(values.iter()) {
                *row = digest::combine(*row, *value);
            }
        }
        let sum = rows.iter().fold(0_u64, |sum, row| sum.wrapping_add(digest::finish(*row)));
        self.sum = self.sum.wrapping_add(sum);
        self.rows += batch.num_rows() as u64;
    }

    /// Adds `other` `times` times, as if its rows had occurred that often.
    pub fn merge(&mut self, other: &Self, times: u64) {
        self.sum = self.sum.wrapping_add(other.sum.wrapping_mul(times));
        self.rows += other.rows * times;
    }

    /// The sum.
    pub fn value(&self) -> u64 {
        self.sum
    }

    /// Rows added so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.sum)
    }
}
