//! A listener for passes that nobody observes.

use crate::error::Result;
use crate::record::Progress;
use crate::replay::ProgressListener;

/// Ignores everything.
pub(super) struct Blind;

impl ProgressListener for Blind {
    fn wants_progress(&self) -> bool {
        false
    }

    fn progress(&mut self, _: &Progress) -> Result<()> {
        Ok(())
    }
}
