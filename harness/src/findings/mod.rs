//! What a run found out beside its numbers: each finding has evidence and a
//! remedy.
//!
//! `RULES` is the registry: a new finding is one line there and one file here.
//! Rules look at the plan and at what the first pass noticed; the time and
//! memory of a second look at data are bounded, and no measurement has them.

mod backlog;
mod broadcast;
mod empty;
mod growth;
mod held;
mod key_look;
mod keys;
mod late;
mod nothing_out;
mod stuck;
mod time_unit;
mod unused;

#[cfg(test)]
mod tests;

use crate::plan::{Plan, Strategy};
use crate::record::Finding;
use crate::replay::{Evidence, PassOutcome};

/// What rules look at.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// What was run.
    pub plan: &'a Plan,
    /// How.
    pub strategy: &'a Strategy,
    /// What became of it in the first pass.
    pub outcome: &'a PassOutcome,
    /// Main memory of the machine in bytes.
    pub memory: Option<u64>,
}

impl Look<'_> {
    /// What was noticed.
    fn evidence(&self) -> &Evidence {
        &self.outcome.evidence
    }
}

type Rule = fn(&Look<'_>) -> Vec<Finding>;

/// Every finding, in the order in which they are told.
const RULES: [Rule; 11] = [
    nothing_out::look,
    empty::look,
    keys::look,
    time_unit::look,
    stuck::look,
    held::look,
    late::look,
    growth::look,
    backlog::look,
    broadcast::look,
    unused::look,
];

/// What there is to tell, the weightiest first.
#[must_use]
pub fn find(look: &Look<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(look)).collect();
    findings.sort_by_key(|finding| finding.severity);
    findings
}
