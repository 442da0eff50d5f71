//! The indexes by name.

use super::build::{BuildInput, BuiltIndex, IndexBuilder};
use super::index_kind::{ByteForm, KeyForm, KindOfIndex, NotBuilt, WideForm, WordForm};
use super::{chained, contiguous, direct, hashbrown, linear, perfect, row_at_a_time};
use crate::error::Result;
use crate::key::KeyView;
use crate::named::named;

macro_rules! index_kinds {
    ($($(#[$attribute:meta])* $kind:ident => $file:ident,)*) => {
        /// How a build side is looked up.
        ///
        /// ```
        /// use streamjoin_kernels::table::KeyTable;
        /// use streamjoin_kernels::IndexKind;
        ///
        /// for kind in IndexKind::ALL {
        ///     let table = KeyTable::builder().with_index(kind).build(&[1, 2, 3]).unwrap();
        ///     assert_eq!(table.index_name(), kind.name());
        /// }
        /// assert_eq!("perfect".parse::<IndexKind>().unwrap(), IndexKind::Perfect);
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum IndexKind {
            $($(#[$attribute])* $kind,)*
        }

        impl IndexKind {
            /// Every index.
            pub const ALL: [Self; [$(stringify!($kind)),*].len()] = [$(Self::$kind),*];

            /// The name, such as `row-at-a-time`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $file::Kind::NAME,)*
                }
            }

            fn row_bytes(self, entry: usize) -> usize {
                match self {
                    $(Self::$kind => $file::Kind::row_bytes(entry),)*
                }
            }

            fn build_over<F: KeyForm>(self, input: BuildInput<'_>) -> Result<BuiltIndex> {
                let built = match self {
                    $(Self::$kind => $file::Kind::build::<F>(input),)*
                };
                match built {
                    Ok(built) => Ok(built),
                    Err(NotBuilt::Unfit(why)) => {
                        let other = self.stand_in();
                        let fallback = Some(format!("{why}; `{other}` is used"));
                        Ok(BuiltIndex { fallback, ..other.build_over::<F>(input)? })
                    }
                    Err(NotBuilt::Failed(error)) => Err(error),
                }
            }
        }
    };
}

// One line per index: its name here, and its file.
index_kinds! {
    /// Heads and next-row links, probed with selection vectors and prefetch:
    /// the cheapest to build.
    #[default]
    Chained => chained,
    /// Keys in hash order and a directory of buckets: rows of a key lie side by
    /// side, for payload that is gathered and for duplicates.
    Contiguous => contiguous,
    /// An array over the domain of the keys, where they are integers, dates,
    /// booleans or codes that lie close together; else `chained`.
    Direct => direct,
    /// A hashbrown table at its best: precomputed hashes, huge pages, looked up
    /// in batches.
    Hashbrown => hashbrown,
    /// Linear probing over slots that hold keys, at most 0.3 full: the most
    /// memory, and one cache line per look-up.
    Linear => linear,
    /// A perfect hash: one slot per key, no loop and no branch, the keys in slot
    /// order. The fastest to probe and slow to build; distinct keys only, else
    /// another index serves.
    Perfect => perfect,
    /// A hashbrown map looked up row by row, as a hand-written program would:
    /// the baseline that the others are compared with.
    RowAtATime => row_at_a_time,
}

impl IndexKind {
    /// What is built in place of an index that cannot serve the keys; itself
    /// one that serves any.
    pub(super) fn stand_in(self) -> Self {
        match self {
            Self::Direct => Self::Chained,
            _ => Self::Contiguous,
        }
    }
}

impl IndexBuilder for IndexKind {
    fn name(&self) -> &'static str {
        (*self).name()
    }

    fn estimated_bytes(&self, keys: KeyView<'_>) -> usize {
        let entry = match keys {
            KeyView::Words(_) => 16,
            KeyView::Wide(_) | KeyView::Bytes(_) => 32,
        };
        keys.bytes() + keys.len() * self.row_bytes(entry)
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        input.check_cancelled()?;
        match input.keys {
            KeyView::Words(_) => self.build_over::<WordForm>(input),
            KeyView::Wide(_) => self.build_over::<WideForm>(input),
            KeyView::Bytes(_) => self.build_over::<ByteForm>(input),
        }
    }
}

named!(IndexKind, "index");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{Isa, mix};
    use crate::cancellation::Cancellation;
    use crate::error::JoinError;

    /// Not only when it begins: this is what is behind that check.
    #[test]
    fn every_index_stops_building_when_it_is_cancelled() {
        let cancellation = Cancellation::default();
        let words: Vec<u64> = (0..100_000).collect();
        let hashes: Vec<u64> = words.iter().map(|&word| mix(word)).collect();
        let input = BuildInput::new(&words[..], &hashes, Isa::Portable).unwrap();
        let input = input.with_cancellation(&cancellation);
        for kind in IndexKind::ALL {
            assert_eq!(kind.build_over::<WordForm>(input).unwrap().index.rows(), words.len());
        }
        cancellation.cancel();
        for kind in IndexKind::ALL {
            let outcome = kind.build_over::<WordForm>(input);
            assert!(matches!(outcome, Err(JoinError::Cancelled)), "{kind}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for kind in IndexKind::ALL {
            assert_eq!(kind.name().parse::<IndexKind>().unwrap(), kind);
        }
        assert!("chaind".parse::<IndexKind>().unwrap_err().to_string().contains("chained"));
    }
}
