//! What a measuring process tells the one that started it, a JSON line each.

use serde::{Deserialize, Serialize};

use crate::error::{Failure, FailureKind};
use crate::record::{Progress, Summary};

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
    /// The strategy is measured; nothing follows.
    Summary {
        /// Its record.
        summary: Box<Summary>,
    },
    /// It failed; nothing follows.
    Failure {
        /// The exit code that tells the kind.
        code: u8,
        /// What went wrong.
        message: String,
    },
}

impl Message {
    pub(super) fn of_failure(failure: &Failure) -> Self {
        Self::Failure { code: failure.kind.exit_code(), message: failure.message.clone() }
    }

    pub(super) fn failure(code: u8, message: String) -> Failure {
        Failure { kind: FailureKind::of_exit_code(code), message }
    }
}
