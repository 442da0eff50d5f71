//! What a push did.

use std::time::Duration;

/// Counts and times of a push. Times are wall time, measured on each thread and
/// summed over the threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Stream rows that were joined.
    pub rows_in: u64,
    /// Output rows.
    pub rows_out: u64,
    /// Stream rows with at least one match.
    pub rows_matched: u64,
    /// Stream rows without one.
    pub rows_unmatched: u64,
    /// Key slots that look-ups in the table examined, as its index counts them;
    /// the same on every instruction set.
    pub keys_compared: u64,
    /// Pairs of equal keys that the residual condition was evaluated on.
    pub residual_pairs: u64,
    /// Values copied from the stream and the table, for output and residual
    /// conditions: rows times columns.
    pub values_gathered: u64,
    /// Encoding, hashing and partitioning of keys.
    pub keys: Duration,
    /// Look-ups and residual conditions.
    pub probe: Duration,
    /// Gathering of output columns.
    pub materialise: Duration,
}

impl Stats {
    /// Adds what another push or thread did.
    pub fn add(&mut self, other: &Self) {
        self.rows_in += other.rows_in;
        self.rows_out += other.rows_out;
        self.rows_matched += other.rows_matched;
        self.rows_unmatched += other.rows_unmatched;
        self.keys_compared = self.keys_compared.saturating_add(other.keys_compared);
        self.residual_pairs += other.residual_pairs;
        self.values_gathered += other.values_gathered;
        self.keys += other.keys;
        self.probe += other.probe;
        self.materialise += other.materialise;
    }
}
