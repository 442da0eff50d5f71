//! Observing while a strategy is measured, after Spark's
//! `StreamingQueryListener`.

use serde::{Deserialize, Serialize};

use crate::error::{Failure, Result};
use crate::record::{Idle, Progress, Summary};

/// Observes while a strategy is measured; its time is not the run's.
///
/// Calls come in this order: [`started`](Self::started), then any number of the
/// others, then [`terminated`](Self::terminated) whatever the end was. Only the
/// first pass over a recording is observed; the repeated ones are alike. An error
/// ends the run and is what the run ends with.
pub trait ProgressListener {
    /// A strategy is about to read its first row.
    ///
    /// # Errors
    /// Ends the run.
    fn started(&mut self, _run: &Started) -> Result<()> {
        Ok(())
    }

    /// Whether batches are to be described.
    fn wants_progress(&self) -> bool {
        true
    }

    /// Some rows were read.
    ///
    /// # Errors
    /// Ends the run.
    fn rows(&mut self, _rows: u64) -> Result<()> {
        Ok(())
    }

    /// Something is suspicious, but the run continues.
    ///
    /// # Errors
    /// Ends the run.
    fn warning(&mut self, _warning: &str) -> Result<()> {
        Ok(())
    }

    /// A batch is done.
    ///
    /// # Errors
    /// Ends the run.
    fn progress(&mut self, progress: &Progress) -> Result<()>;

    /// A trigger was due and no row had arrived.
    ///
    /// # Errors
    /// Ends the run.
    fn idle(&mut self, _idle: &Idle) -> Result<()> {
        Ok(())
    }

    /// The strategy is measured, or was cut short, or failed; nothing follows.
    ///
    /// # Errors
    /// Ends the run, unless it has failed already.
    fn terminated(&mut self, _end: &Terminated<'_>) -> Result<()> {
        Ok(())
    }
}

/// A run that begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    /// Name of the strategy.
    pub strategy: String,
    /// Rows that a pass reads, where it is known.
    pub rows: Option<u64>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub struct Terminated<'a> {
    /// What was measured; of a run that was cut short, up to its last whole
    /// batch; `None` of one that failed.
    pub summary: Option<&'a Summary>,
    /// Why it was cut short, or failed.
    pub failure: Option<&'a Failure>,
}
