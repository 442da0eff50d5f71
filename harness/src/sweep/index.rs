//! The indexes of a sweep by name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use streamjoin_kernels::table::FilteredBuilder;
use streamjoin_kernels::{AutoIndex, IndexChoice, IndexKind, JoinError};

/// What a table is looked up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepIndex {
    /// One index.
    Kind(IndexKind),
    /// One behind a Bloom filter: its name with `+bloom` after it.
    Filtered(IndexKind),
    /// The one that the cost model chooses for ten probes a row: `auto`.
    Auto,
}

/// What is put after the name of an index that has a filter in front.
const BLOOM: &str = "+bloom";

impl SweepIndex {
    /// Every index, without filters.
    #[must_use]
    pub fn all() -> Vec<Self> {
        IndexKind::ALL.map(Self::Kind).to_vec()
    }

    /// What builds it.
    #[must_use]
    pub fn choice(self) -> IndexChoice {
        match self {
            Self::Kind(kind) => kind.into(),
            Self::Filtered(kind) => {
                IndexChoice::Own(Arc::new(FilteredBuilder { inner: kind.into() }))
            }
            Self::Auto => IndexChoice::Auto(AutoIndex::default()),
        }
    }
}

impl From<IndexKind> for SweepIndex {
    fn from(kind: IndexKind) -> Self {
        Self::Kind(kind)
    }
}

impl fmt::Display for SweepIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) => kind.fmt(f),
            Self::Filtered(kind) => write!(f, "{kind}{BLOOM}"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl FromStr for SweepIndex {
    type Err = JoinError;

    fn from_str(text: &str) -> Result<Self, JoinError> {
        match text.strip_suffix(BLOOM) {
            Some(inner) => inner.parse().map(Self::Filtered),
            None if text == "auto" => Ok(Self::Auto),
            None => text.parse().map(Self::Kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let filtered = IndexKind::ALL.map(SweepIndex::Filtered);
        for index in SweepIndex::all().into_iter().chain(filtered).chain([SweepIndex::Auto]) {
            assert_eq!(index.to_string().parse::<SweepIndex>().unwrap(), index);
        }
        let unknown = "chaind+bloom".parse::<SweepIndex>().unwrap_err().to_string();
        assert!(unknown.contains("chained"), "{unknown}");
    }
}
