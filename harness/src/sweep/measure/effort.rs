//! How long a sweep measures.

use std::time::Duration;

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Interleaved repetitions; medians are reported.
    pub repetitions: u32,
    /// Time of one measurement.
    pub slice: Duration,
}

impl Effort {
    /// Calls of `tick` per contender and workload.
    pub fn ticks(self) -> u64 {
        u64::from(self.repetitions) * FORMS
    }
}

/// Pairs, sum, existence and payload.
pub(super) const FORMS: u64 = 4;
