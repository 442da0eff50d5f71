//! What rules are applied to.

use crate::plan::{Plan, Strategy};
use crate::replay::{Evidence, PassOutcome};

/// What rules are applied to.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun<'a> {
    /// What was run.
    pub plan: &'a Plan,
    /// The strategy that it was run with.
    pub strategy: &'a Strategy,
    /// The outcome of the first pass.
    pub outcome: &'a PassOutcome,
    /// Main memory of the machine in bytes.
    pub memory: Option<u64>,
}

impl FinishedRun<'_> {
    /// What was observed.
    pub(super) fn evidence(&self) -> &Evidence {
        &self.outcome.evidence
    }
}
