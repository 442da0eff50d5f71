//! What is shown to those that follow a recording.

use arrow::array::RecordBatch;
use streamjoin_kernels::{Result, Side, Sides};

/// Follows a recording, batch by batch.
pub(crate) trait Follower {
    /// A batch: the rows that a join would be given, the event time that opens
    /// it, whether a stream is at its end.
    fn data(
        &mut self,
        sides: Sides<&[RecordBatch]>,
        opens_at: Option<i64>,
        ended: bool,
    ) -> Result<()>;

    /// A side leaves the global watermark, or comes back.
    fn set_taking_part(&mut self, side: Side, takes_part: bool);

    /// The batch without input runs where it is due.
    fn no_data(&mut self) -> Result<()>;
}
