//! What a pass measured.

use std::time::Duration;

use super::clock::{Latencies, PaceOutcome};
use super::observe::{Evidence, StateOutcome};
use crate::error::Failure;
use crate::record::{Checksum, Dropped, Work};

/// What a pass measured.
#[derive(Clone, Debug, Default)]
pub struct PassOutcome {
    /// Stream rows read.
    pub rows_in: u64,
    /// Rows emitted.
    pub rows_out: u64,
    /// Rows emitted that are unmatched in at least one join.
    pub rows_unmatched: u64,
    /// Matched and unmatched rows of each join.
    pub joins: Vec<(u64, u64)>,
    /// Rows that were dropped, by reason.
    pub dropped: Dropped,
    /// How large the state was; `None` without a join of two streams.
    pub state: Option<StateOutcome>,
    /// Event-time delays of rows that were emitted unmatched, before the end.
    pub outer_delay: Latencies,
    /// Executed batches.
    pub batches: u64,
    /// First read to last flush, without observing.
    pub elapsed: Duration,
    /// Keys, hash, probe and gather alone.
    pub join_time: Duration,
    /// Index and payload builds.
    pub build_time: Duration,
    /// Bytes of the tables at their largest.
    pub table_bytes: u64,
    /// Of the batches: from their due time to their end if the pass is paced,
    /// else service times.
    pub latencies: Latencies,
    /// How a paced pass kept its pace.
    pub pace: Option<PaceOutcome>,
    /// A hash of the sizes of the batches, if time cuts them.
    pub borders: Option<u64>,
    /// Whether the replay's time was over before the recording was.
    pub out_of_time: bool,
    /// Checksum of the rows emitted; `None` where nothing is counted.
    pub checksum: Option<Checksum>,
    /// Rows that the eviction line took out of state; `None` without state.
    pub evicted: Option<u64>,
    /// How much was done.
    pub work: Work,
    /// What findings are made of.
    pub evidence: Evidence,
    /// Why the pass was cut short: everything here is as it was after its last
    /// whole batch.
    pub cut_short: Option<Failure>,
}
