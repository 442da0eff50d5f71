//! The indexes by name.

use std::fmt;
use std::str::FromStr;

use super::build::{BuildInput, BuiltIndex, IndexBuilder};
use super::chained::Chained;
use super::perfect::{ByteSlots, Perfect, SlotKeys, WideSlots, WordSlots};
use super::row_at_a_time::RowAtATime;
use super::store::{KeyStore, StoredBytes, StoredWide, StoredWords};
use crate::error::{JoinError, Result};
use crate::key::KeyView;

/// How a build side is looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexKind {
    /// Heads and next-row links, probed with selection vectors and prefetch:
    /// the cheapest to build.
    #[default]
    Chained,
    /// A perfect hash: one slot a key, no loop and no branch, the keys in slot
    /// order. The fastest to probe and slow to build; distinct keys only, else
    /// another index serves.
    Perfect,
    /// A hashbrown map looked up row by row, as a hand-written program would:
    /// the baseline that the others are compared with.
    RowAtATime,
}

impl IndexKind {
    /// Every index.
    pub const ALL: [Self; 3] = [Self::Chained, Self::Perfect, Self::RowAtATime];

    /// The name, such as `row-at-a-time`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Chained => "chained",
            Self::Perfect => "perfect",
            Self::RowAtATime => "row-at-a-time",
        }
    }
}

impl IndexBuilder for IndexKind {
    fn name(&self) -> &'static str {
        (*self).name()
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        Ok(match input.keys {
            KeyView::Words(_) => self.build_over::<StoredWords, WordSlots>(input),
            KeyView::Wide(_) => self.build_over::<StoredWide, WideSlots>(input),
            KeyView::Bytes(_) => self.build_over::<StoredBytes, ByteSlots>(input),
        })
    }
}

impl IndexKind {
    fn build_over<S: KeyStore, P: SlotKeys>(self, input: BuildInput<'_>) -> BuiltIndex {
        let BuildInput { keys, hashes, .. } = input;
        match self {
            Self::Chained => BuiltIndex::in_row_order(Chained::new(S::new(keys, hashes), hashes)),
            Self::Perfect => Perfect::<P>::build(input).unwrap_or_else(|reason| BuiltIndex {
                fallback: Some(reason.to_string()),
                ..Self::Chained.build_over::<S, P>(input)
            }),
            Self::RowAtATime => BuiltIndex::in_row_order(RowAtATime::<S::Owned>::new(keys)),
        }
    }
}

impl fmt::Display for IndexKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for IndexKind {
    type Err = JoinError;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            JoinError::UnknownName {
                what: "index",
                name: text.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in IndexKind::ALL {
            assert_eq!(kind.name().parse::<IndexKind>().unwrap(), kind);
        }
        assert!("chaind".parse::<IndexKind>().unwrap_err().to_string().contains("chained"));
    }
}
