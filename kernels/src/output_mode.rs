//! What a consumer is promised about rows that came out.

use std::fmt;
use std::str::FromStr;

use crate::error::{JoinError, Result};

/// What a downstream consumer is promised about rows that came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OutputMode {
    /// A row that came out stays.
    #[default]
    Append,
    /// A later row may replace it.
    Update,
    /// Each batch gives out the whole result.
    Complete,
}

impl OutputMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Append, Self::Update, Self::Complete];

    /// The name, such as `append`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Update => "update",
            Self::Complete => "complete",
        }
    }
}

impl fmt::Display for OutputMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for OutputMode {
    type Err = JoinError;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == text).ok_or_else(|| {
            JoinError::UnknownName {
                what: "output mode",
                name: text.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            }
        })
    }
}
