//! What was measured.

use super::candidate::Candidate;
use crate::key::KeyShape;

/// What one index cost at one size, measured with the instruction set and the
/// pages that it will run with.
// Closed: a model needs every figure of a point, so another one is another model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostPoint {
    /// The index, and whether a Bloom filter was in front of it.
    pub candidate: Candidate,
    /// The shape of the keys.
    pub shape: KeyShape,
    /// Rows of the table.
    pub rows: f64,
    /// Rows per key.
    pub rows_per_key: f64,
    /// Nanoseconds to build a row.
    pub build_ns: f64,
    /// Nanoseconds for a probe row with matches, all pairs listed.
    pub hit_ns: f64,
    /// Nanoseconds for a probe row without a match.
    pub miss_ns: f64,
    /// Nanoseconds for a probe row of which only existence is asked.
    pub exists_ns: f64,
    /// Nanoseconds to gather one column for the matches of a probe row.
    pub gather_ns: f64,
    /// Bytes per row.
    pub bytes: f64,
}
