//! The candidates of the choice.

use std::fmt;

use crate::table::build::IndexBuilder;
use crate::table::filter::FilteredBuilder;
use crate::table::kind::IndexKind;

/// An index that could be built, with a Bloom filter in front or without.
// Closed: it names two things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// The index.
    pub index: IndexKind,
    /// Whether there is a Bloom filter in front of it.
    pub filtered: bool,
}

impl Candidate {
    /// What builds it.
    #[must_use]
    pub fn builder(self) -> Box<dyn IndexBuilder> {
        if self.filtered {
            Box::new(FilteredBuilder { inner: self.index })
        } else {
            Box::new(self.index)
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.index, if self.filtered { " behind a Bloom filter" } else { "" })
    }
}
