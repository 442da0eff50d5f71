//! What a measuring process tells the one that started it, a JSON line each.

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
        cut_short: Option<ToldFailure>,
        /// What it found out.
        findings: Vec<Finding>,
    },
    /// It failed; nothing follows.
    Failure {
        /// How.
        failure: ToldFailure,
    },
}

/// A failure on its way to another process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ToldFailure {
    /// The exit code that tells the kind.
    code: u8,
    /// What went wrong.
    message: String,
}

impl From<&Failure> for ToldFailure {
    fn from(failure: &Failure) -> Self {
        Self { code: failure.kind.exit_code(), message: failure.message.clone() }
    }
}

impl From<ToldFailure> for Failure {
    fn from(told: ToldFailure) -> Self {
        Self { kind: FailureKind::of_exit_code(told.code), message: told.message }
    }
}
