//! What rules look at.

use crate::plan::{Plan, Strategy};
use crate::replay::{Evidence, PassOutcome};

/// A run that rules look at.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// What was run.
    pub plan: &'a Plan,
    /// How.
    pub strategy: &'a Strategy,
    /// The outcome of its first pass.
    pub outcome: &'a PassOutcome,
    /// Main memory of the machine in bytes.
    pub memory: Option<u64>,
}

impl Look<'_> {
    /// The evidence of the first pass.
    pub(super) fn evidence(&self) -> &Evidence {
        &self.outcome.evidence
    }
}
