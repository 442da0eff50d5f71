//! The indexes of a sweep by name.

use std::fmt;
use std::str::FromStr;

use streamjoin_kernels::table::auto::{AutoIndex, Candidate};
use streamjoin_kernels::{IndexChoice, IndexKind, JoinError};

use crate::costs::{index_text, parse_index};

/// What a table is looked up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepIndex {
    /// One index, such as `chained`, or `chained+bloom` behind a Bloom filter.
    One(Candidate),
    /// The one that the cost model chooses for ten probes per row: `auto`.
    Auto,
}

impl SweepIndex {
    /// An index behind a Bloom filter.
    pub fn filtered(index: IndexKind) -> Self {
        Self::One(Candidate { index, filtered: true })
    }

    /// Every index, without filters.
    pub fn all() -> Vec<Self> {
        IndexKind::ALL.map(Self::from).to_vec()
    }

    /// What builds it.
    pub fn choice(self) -> IndexChoice {
        match self {
            Self::One(candidate) => candidate.into(),
            Self::Auto => IndexChoice::Auto(AutoIndex::default()),
        }
    }
}

impl From<IndexKind> for SweepIndex {
    fn from(index: IndexKind) -> Self {
        Self::One(Candidate { index, filtered: false })
    }
}

impl fmt::Display for SweepIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(candidate) => f.write_str(&index_text(*candidate)),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl FromStr for SweepIndex {
    type Err = JoinError;

    fn from_str(text: &str) -> Result<Self, JoinError> {
        if text == "auto" { Ok(Self::Auto) } else { parse_index(text).map(Self::One) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let filtered = IndexKind::ALL.map(SweepIndex::filtered);
        for index in SweepIndex::all().into_iter().chain(filtered).chain([SweepIndex::Auto]) {
            assert_eq!(index.to_string().parse::<SweepIndex>().unwrap(), index);
        }
        let unknown = "chaind+bloom".parse::<SweepIndex>().unwrap_err().to_string();
        assert!(unknown.contains("chained"), "{unknown}");
    }
}
