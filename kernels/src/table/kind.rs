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
use super::perfect::{ByteSlots, Perfect, SlotKeys, WideSlots, WordSlots};
use super::row_at_a_time::RowAtATime;
use super::store::{KeyStore, StoredBytes, StoredWide, StoredWords};
use crate::error::{JoinError, Result};
use crate::key::KeyView;

/// How a build side is looked up.
///
/// ```
/// use streamjoin_kernels::{IndexKind, Isa, KeyHasher};
/// use streamjoin_kernels::table::KeyTable;
///
/// let hasher = KeyHasher::with_seed(Isa::detect(), 1);
/// for kind in IndexKind::ALL {
///     let table = KeyTable::with_index(&[1, 2, 3], &kind.into(), hasher.clone()).unwrap();
///     assert_eq!(table.index_name(), kind.name());
/// }
/// assert_eq!("perfect".parse::<IndexKind>().unwrap(), IndexKind::Perfect);
/// ```
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
    pub const ALL: [Self; 7] = [
        Self::Chained,
        Self::Contiguous,
        Self::Direct,
        Self::Hashbrown,
        Self::Linear,
        Self::Perfect,
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
            Self::Perfect => "perfect",
            Self::RowAtATime => "row-at-a-time",
        }
    }
}

impl IndexBuilder for IndexKind {
    fn name(&self) -> &'static str {
        (*self).name()
    }

    fn estimated_bytes(&self, keys: KeyView<'_>) -> usize {
        // A key as an entry holds it, with what lies beside it there.
        let entry = match keys {
            KeyView::Words(_) => 16,
            KeyView::Wide(_) | KeyView::Bytes(_) => 32,
        };
        let a_row = match self {
            // Entry and up to two heads.
            Self::Chained => entry + 8,
            // Directory, order, and the keys on their way there.
            Self::Contiguous => entry + 40,
            // Slots a row at most, or the entries of the stand-in.
            Self::Direct => entry + 40,
            // At most 16/7 slots a row, and a byte of control for each.
            Self::Hashbrown | Self::RowAtATime => entry * 16 / 7 + 16,
            // A load of 0.3 at most, in powers of two; order and runs.
            Self::Linear => entry * 20 / 3 + 8,
            // 5/4 slots a row with their order, and the rows on their way there.
            Self::Perfect => entry * 5 / 4 + 24,
        };
        keys.bytes() + keys.len() * a_row
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        Ok(match input.keys {
            KeyView::Words(_) => self.build_over::<WordForm>(input),
            KeyView::Wide(_) => self.build_over::<WideForm>(input),
            KeyView::Bytes(_) => self.build_over::<ByteForm>(input),
        })
    }
}

impl IndexKind {
    fn build_over<F: KeyForm>(self, input: BuildInput<'_>) -> BuiltIndex {
        let BuildInput { keys, hashes, .. } = input;
        let built = match self {
            Self::Chained => {
                let store = F::Store::new(keys, hashes);
                Ok(BuiltIndex::in_row_order(Chained::new(store, hashes)))
            }
            Self::Contiguous => Ok(Contiguous::<F::Column>::build(&input)),
            Self::Direct => Direct::build(&input),
            Self::Hashbrown => Hashbrown::<F::Inline>::build(&input),
            Self::Linear => Linear::<F::Inline>::build(&input),
            Self::Perfect => {
                Perfect::<F::Slots>::build(input).map_err(|unplaceable| unplaceable.to_string())
            }
            Self::RowAtATime => {
                let index = RowAtATime::<<F::Store as KeyStore>::Owned>::new(keys);
                Ok(BuiltIndex::in_row_order(index))
            }
        };
        built.unwrap_or_else(|why| {
            let other = self.stand_in();
            let fallback = Some(format!("{why}; `{other}` is used"));
            BuiltIndex { fallback, ..other.build_over::<F>(input) }
        })
    }

    /// What is built in place of an index that cannot serve the keys; itself
    /// one that serves any.
    pub(super) fn stand_in(self) -> Self {
        match self {
            Self::Direct => Self::Chained,
            _ => Self::Contiguous,
        }
    }
}

/// How the indexes keep keys of one shape.
trait KeyForm {
    type Store: KeyStore;
    type Column: KeyColumn;
    type Inline: InlineKeys;
    type Slots: SlotKeys;
}

macro_rules! key_form {
    ($form:ident: $store:ty, $column:ty, $inline:ty, $slots:ty) => {
        struct $form;

        impl KeyForm for $form {
            type Store = $store;
            type Column = $column;
            type Inline = $inline;
            type Slots = $slots;
        }
    };
}
key_form!(WordForm: StoredWords, WordColumn, InlineWords, WordSlots);
key_form!(WideForm: StoredWide, WideColumn, InlineWide, WideSlots);
key_form!(ByteForm: StoredBytes, ByteColumn, InlineBytes, ByteSlots);

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
