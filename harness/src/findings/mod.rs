//! What a run found in addition to its numbers: each finding has evidence and a
//! remedy.
//!
//! `RULES` is the registry: a new finding is one line there and one file here.
//! Rules look at the plan and at the evidence of the first pass; the time and
//! memory of reading data again are bounded, and are part of no measurement.

mod backlog;
mod broadcast;
mod empty;
mod growth;
mod held;
mod key_look;
mod keys;
mod late;
mod look;
mod nothing_out;
mod stuck;
mod time_unit;
mod unused;

#[cfg(test)]
mod tests;

use crate::record::Finding;

pub use look::Look;

type Rule = fn(&Look<'_>) -> Vec<Finding>;

/// Every finding, in the order in which they are reported.
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

/// The findings of a run, the most severe first.
#[must_use]
pub fn find(look: &Look<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(look)).collect();
    findings.sort_by_key(|finding| finding.severity);
    findings
}
