//! The indexes by name.

use std::fmt;
use std::str::FromStr;

use super::build::{BuildInput, BuiltIndex, IndexBuilder};
use super::chained::Chained;
use super::contiguous::{ByteColumn, Contiguous, KeyColumn, WideColumn, WordColumn};
use super::direct::Direct;
use super::hashbrown::Hashbrown;
use super::inline_keys::{InlineBytes, InlineKeys, InlineWide, InlineWords};
use super::linear::Linear;
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
    /// Keys in hash order and a directory of buckets: rows of a key lie side by
    /// side, for payload that is gathered and for duplicates.
    Contiguous,
    /// An array over the domain of the keys, where they are integers, dates,
    /// booleans or codes that lie close together; else `chained`.
    Direct,
    /// A hashbrown table at its best: precomputed hashes, huge pages, looked up
    /// in batches.
    Hashbrown,
    /// Linear probing over slots that hold keys, at most 0.3 full: the most
    /// memory, and one cache line a look-up.
    Linear,
    /// A hashbrown map looked up row by row, as a hand-written program would:
    /// the baseline that the others are compared with.
    RowAtATime,
}

impl IndexKind {
    /// Every index.
    pub const ALL: [Self; 6] = [
        Self::Chained,
        Self::Contiguous,
        Self::Direct,
        Self::Hashbrown,
        Self::Linear,
        Self::RowAtATime,
    ];

    /// The name, such as `row-at-a-time`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Chained => "chained",
            Self::Contiguous => "contiguous",
            Self::Direct => "direct",
            Self::Hashbrown => "hashbrown",
            Self::Linear => "linear",
            Self::RowAtATime => "row-at-a-time",
        }
    }
}

impl IndexBuilder for IndexKind {
    fn name(&self) -> &'static str {
        (*self).name()
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        match input.keys {
            KeyView::Words(_) => self.build_over::<StoredWords, WordColumn, InlineWords>(input),
            KeyView::Wide(_) => self.build_over::<StoredWide, WideColumn, InlineWide>(input),
            KeyView::Bytes(_) => self.build_over::<StoredBytes, ByteColumn, InlineBytes>(input),
        }
    }
}

impl IndexKind {
    fn build_over<S: KeyStore, C: KeyColumn, I: InlineKeys>(
        self,
        input: BuildInput<'_>,
    ) -> Result<BuiltIndex> {
        let BuildInput { keys, hashes, .. } = input;
        Ok(match self {
            Self::Chained => BuiltIndex::in_row_order(Chained::new(S::new(keys, hashes), hashes)),
            Self::Contiguous => Contiguous::<C>::build(&input),
            Self::Direct => match Direct::build(&input) {
                Ok(built) => built,
                Err(why) => Self::Chained.in_place_of::<S, C, I>(input, &why)?,
            },
            Self::Hashbrown => match Hashbrown::<I>::build(&input) {
                Ok(built) => built,
                Err(why) => Self::Contiguous.in_place_of::<S, C, I>(input, &why)?,
            },
            Self::Linear => match Linear::<I>::build(&input) {
                Ok(built) => built,
                Err(why) => Self::Contiguous.in_place_of::<S, C, I>(input, &why)?,
            },
            Self::RowAtATime => BuiltIndex::in_row_order(RowAtATime::<S::Owned>::new(keys)),
        })
    }
}

impl IndexKind {
    /// This index, because another one cannot serve these rows.
    fn in_place_of<S: KeyStore, C: KeyColumn, I: InlineKeys>(
        self,
        input: BuildInput<'_>,
        why: &str,
    ) -> Result<BuiltIndex> {
        let fallback = Some(format!("{why}; `{self}` is used"));
        Ok(BuiltIndex { fallback, ..self.build_over::<S, C, I>(input)? })
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
