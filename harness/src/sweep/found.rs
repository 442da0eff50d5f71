//! The pairs that a contender found, in any order.

use std::fmt;
use std::ops::AddAssign;

use streamjoin_kernels::arch::mix;

/// Counts and checksum of row pairs. The sum wraps and does not depend on the
/// order, and pairs that occur twice count twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Pairs, or rows that exist.
    pub count: u64,
    /// Sum of a hash of each.
    pub checksum: u64,
}

impl Found {
    /// Adds a pair: the number of a probe row, counted over all batches, and
    /// that of a table row.
    pub fn pair(&mut self, probe_row: u64, build_row: u64) {
        self.count += 1;
        self.checksum = self.checksum.wrapping_add(mix(mix(probe_row) ^ build_row));
    }

    /// Adds a probe row that has a match.
    pub fn row(&mut self, probe_row: u64) {
        self.count += 1;
        self.checksum = self.checksum.wrapping_add(mix(probe_row));
    }
}

impl AddAssign for Found {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.checksum = self.checksum.wrapping_add(other.checksum);
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with checksum {:016x}", self.count, self.checksum)
    }
}
