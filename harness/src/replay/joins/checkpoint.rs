//! What a pass had counted when its last batch was whole.

use super::table_joins::JoinCounts;
use crate::error::Result;
use crate::record::{Checksum, Dropped};
use crate::replay::outcome::PassOutcome;

/// The counts that move within a batch, as they were at its border.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checkpoint {
    rows_in: u64,
    rows_out: u64,
    rows_unmatched: u64,
    counts: Vec<JoinCounts>,
    dropped: Dropped,
    checksum: Option<Checksum>,
}

impl Checkpoint {
    pub(crate) fn of(outcome: &PassOutcome, counts: &[JoinCounts]) -> Self {
        Self {
            rows_in: outcome.rows_in,
            rows_out: outcome.rows_out,
            rows_unmatched: outcome.rows_unmatched,
            counts: counts.to_vec(),
            dropped: outcome.dropped,
            checksum: outcome.checksum.clone(),
        }
    }

    /// Ends a pass: as it is, or cut short at this mark if it was asked to end.
    ///
    /// # Errors
    /// The failure of a pass that was not asked to end.
    pub(crate) fn close(
        self,
        ended: Result<()>,
        outcome: &mut PassOutcome,
        counts: &mut Vec<JoinCounts>,
    ) -> Result<()> {
        let Err(failure) = ended else { return Ok(()) };
        if !failure.kind.was_asked_for() {
            return Err(failure);
        }
        outcome.rows_in = self.rows_in;
        outcome.rows_out = self.rows_out;
        outcome.rows_unmatched = self.rows_unmatched;
        outcome.dropped = self.dropped;
        outcome.checksum = self.checksum;
        *counts = self.counts;
        let message = format!("{failure} after {} whole batches", outcome.batches);
        outcome.cut_short = Some(failure.saying(message));
        Ok(())
    }
}
