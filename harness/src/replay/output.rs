//! Joined rows on their way to the sink.

use std::time::{Duration, Instant};

use arrow::array::{Array, RecordBatch};
use arrow::buffer::NullBuffer;

use crate::error::{Failure, Result};
use crate::plan::{OutputPlan, Unmatched, keep_where};
use crate::replay::clock::Timeline;
use crate::replay::observe::Counted;
use crate::replay::outcome::PassOutcome;
use crate::sink::Sink;

/// Joined rows that are written: as they were joined, and as `select` makes
/// them.
pub(crate) fn selected(
    output: &OutputPlan,
    joined: RecordBatch,
) -> Result<(RecordBatch, RecordBatch)> {
    let joined = match &output.filter {
        Some(filter) => keep_where(joined, filter).map_err(Failure::run)?,
        None => joined,
    };
    let rows = output.columns.apply(&joined).map_err(Failure::run)?;
    Ok((joined, rows))
}

/// Takes joined rows to the sink.
pub(crate) struct Output<'o, 'p> {
    pub(crate) output: &'o OutputPlan,
    pub(crate) batch_id: u64,
    pub(crate) sink: &'o mut dyn Sink,
    pub(crate) outcome: &'o mut PassOutcome,
    pub(crate) counted: Counted,
    pub(crate) timeline: &'o mut Timeline<'p>,
    /// Time of `select`, `where` and the sink.
    pub(crate) time: Duration,
}

impl Output<'_, '_> {
    pub(crate) fn emit(&mut self, joined: RecordBatch) -> Result<()> {
        let start = Instant::now();
        self.outcome.evidence.rows_joined += joined.num_rows() as u64;
        let (joined, rows) = selected(self.output, joined)?;
        if rows.num_rows() > 0 {
            self.sink.batch(self.batch_id, &rows)?;
        }
        self.time += start.elapsed();
        let start = self.timeline.now();
        self.outcome.rows_out += rows.num_rows() as u64;
        if self.counted == Counted::All {
            self.outcome.rows_unmatched += self.unmatched(&joined);
            if let Some(checksum) = &mut self.outcome.checksum {
                checksum.update(&rows);
            }
        }
        self.timeline.set_aside(start);
        Ok(())
    }

    /// Rows that are unmatched in at least one join, where each row shows it.
    fn unmatched(&self, joined: &RecordBatch) -> u64 {
        let unmatched = match self.output.unmatched {
            Unmatched::None | Unmatched::AsJoined => 0,
            Unmatched::All => joined.num_rows(),
            Unmatched::ByMarkers => {
                let markers = self.output.markers.iter();
                let matched = markers.fold(None, |matched: Option<NullBuffer>, &marker| {
                    NullBuffer::union(
                        matched.as_ref(),
                        joined.column(marker).logical_nulls().as_ref(),
                    )
                });
                matched.map_or(0, |matched| matched.null_count())
            }
        };
        unmatched as u64
    }
}
