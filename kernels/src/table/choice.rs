//! Which index: chosen by cost, by name, or one of the caller's own.

use std::sync::Arc;

use super::auto::{AutoIndex, Candidate};
use super::build::IndexBuilder;
use super::checked::CheckedBuilder;
use super::kind::IndexKind;

/// Which index a join builds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum IndexChoice {
    /// Whatever costs least for the keys and what is known of the probes.
    Auto(AutoIndex),
    /// One of this crate.
    Kind(IndexKind),
    /// One of the caller's own.
    Own(Arc<dyn IndexBuilder>),
}

impl IndexChoice {
    /// The builder.
    #[must_use]
    pub fn builder(&self) -> &dyn IndexBuilder {
        match self {
            Self::Auto(auto) => auto,
            Self::Kind(kind) => kind,
            Self::Own(builder) => &**builder,
        }
    }

    /// The builder of an index to look up in.
    pub(crate) fn checked(&self) -> CheckedBuilder<'_> {
        match self {
            Self::Auto(_) | Self::Kind(_) => CheckedBuilder::trusted(self.builder()),
            Self::Own(builder) => CheckedBuilder::own(&**builder),
        }
    }
}

impl Default for IndexChoice {
    fn default() -> Self {
        Self::Kind(IndexKind::default())
    }
}

impl From<IndexKind> for IndexChoice {
    fn from(kind: IndexKind) -> Self {
        Self::Kind(kind)
    }
}

impl From<AutoIndex> for IndexChoice {
    fn from(auto: AutoIndex) -> Self {
        Self::Auto(auto)
    }
}

impl From<Candidate> for IndexChoice {
    fn from(candidate: Candidate) -> Self {
        if candidate.filtered {
            Self::Own(Arc::from(candidate.builder()))
        } else {
            Self::Kind(candidate.index)
        }
    }
}
