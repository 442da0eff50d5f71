//! The result of measuring one strategy.

use crate::error::{Failure, Result};
use crate::record::{Finding, Summary};
use crate::replay::{ProgressListener, Terminated};

/// The result of measuring a strategy.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The record; of a run that was cut short, up to its last whole batch.
    pub summary: Summary,
    /// Why it was cut short, and where its rows are kept.
    pub cut_short: Option<Failure>,
    /// Its findings, in addition to its numbers.
    pub findings: Vec<Finding>,
}

impl Measured {
    /// The record of a run that was not cut short.
    ///
    /// # Errors
    /// Why it was.
    pub fn whole(self) -> Result<Summary> {
        self.cut_short.map_or(Ok(self.summary), Err)
    }
}

/// Tells the listener how a run ended; the listener's own failure counts if there is no other.
pub(super) fn tell_end(
    listener: &mut dyn ProgressListener,
    measured: Result<Measured>,
) -> Result<Measured> {
    let end = match &measured {
        Ok(measured) => {
            Terminated { summary: Some(&measured.summary), failure: measured.cut_short.as_ref() }
        }
        Err(failure) => Terminated { summary: None, failure: Some(failure) },
    };
    let told = listener.terminated(&end);
    let measured = measured?;
    told.map(|()| measured)
}
