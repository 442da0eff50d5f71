//! What a consumer is promised about rows that came out.

use crate::named::named;

/// What a downstream consumer is promised about rows that came out.
// Closed: Spark has these three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OutputMode {
    /// A row that came out stays.
    #[default]
    Append,
    /// A later row may replace it.
    Update,
    /// Each batch outputs the whole result.
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

named!(OutputMode, "output mode");
