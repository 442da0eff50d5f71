//! The lines of `--format jsonl`.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Finding, Idle, Progress, Summary};

/// One line of `--format jsonl`: what happened, to which strategy, and the
/// fields of the record, flat.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "camelCase")]
pub enum Line<'a> {
    /// A batch is done.
    Progress {
        /// Name of the strategy.
        strategy: &'a str,
        /// The batch.
        #[serde(flatten)]
        progress: &'a Progress,
    },
    /// A trigger was due and no row had arrived.
    Idle {
        /// Name of the strategy.
        strategy: &'a str,
        /// When.
        #[serde(flatten)]
        idle: &'a Idle,
    },
    /// Something is odd, though the run goes on.
    Warning {
        /// Name of the strategy.
        strategy: &'a str,
        /// What.
        message: &'a str,
    },
    /// A finding of the run, reported before its summary.
    Finding {
        /// Name of the strategy.
        strategy: &'a str,
        /// The finding.
        #[serde(flatten)]
        finding: &'a Finding,
    },
    /// The strategy is measured.
    Summary {
        /// Name of the strategy.
        strategy: &'a str,
        /// The run as a whole.
        #[serde(flatten)]
        summary: &'a Summary,
    },
}

impl Line<'_> {
    /// The line, without its end.
    pub fn json(&self) -> String {
        // Plain structs of numbers and strings always serialise.
        serde_json::to_string(self)
            .unwrap_or_else(|error| format!("{{\"event\":\"error\",\"message\":\"{error}\"}}"))
    }
}
