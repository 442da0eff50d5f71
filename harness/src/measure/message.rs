//! The messages from a measuring process to its parent, one JSON line each.

use serde::{Deserialize, Serialize};

use crate::error::{Failure, FailureKind};
use crate::record::{Finding, Idle, Progress, Summary};

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "camelCase")]
pub(super) enum Message {
    /// Rows were read since the last such line.
    Rows {
        /// How many.
        rows: u64,
    },
    /// Something is odd, though the measurement goes on.
    Warning {
        /// What.
        message: String,
    },
    /// A batch is done.
    Progress {
        /// Its record.
        progress: Box<Progress>,
    },
    /// A trigger was due and no row had arrived.
    Idle {
        /// When.
        idle: Idle,
    },
    /// The strategy is measured; nothing follows.
    Measured {
        /// Its record.
        summary: Box<Summary>,
        /// Why it was cut short.
        cut_short: Option<SentFailure>,
        /// Its findings.
        findings: Vec<Finding>,
    },
    /// It failed; nothing follows.
    Failure {
        /// How.
        failure: SentFailure,
    },
}

/// A failure on its way to another process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SentFailure {
    /// The exit code of the failure's kind.
    code: u8,
    /// What went wrong.
    message: String,
}

impl From<&Failure> for SentFailure {
    fn from(failure: &Failure) -> Self {
        Self { code: failure.kind.exit_code(), message: failure.message.clone() }
    }
}

impl From<SentFailure> for Failure {
    fn from(sent: SentFailure) -> Self {
        Self::new(FailureKind::of_exit_code(sent.code), sent.message)
    }
}
