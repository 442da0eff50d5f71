//! The indexes by name.

use std::fmt;
use std::str::FromStr;

use super::JoinIndex;
use super::chained::Chained;
use super::row_at_a_time::RowAtATime;
use super::store::{KeyStore, StoredBytes, StoredWide, StoredWords};
use crate::error::{JoinError, Result};
use crate::key::Keys;

/// How a build side is looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexKind {
    /// Heads and next-row links, probed with selection vectors and prefetch:
    /// the cheapest to build.
    #[default]
    Chained,
    /// A hashbrown map looked up row by row, as a hand-written program would:
    /// the baseline that the others are compared with.
    RowAtATime,
}

impl IndexKind {
    /// Every index.
    pub const ALL: [Self; 2] = [Self::Chained, Self::RowAtATime];

    /// The name, such as `row-at-a-time`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Chained => "chained",
            Self::RowAtATime => "row-at-a-time",
        }
    }

    /// Builds the index over `keys`; `hashes` come from the hasher that probes
    /// will use too. The keys are copied: nothing of the input is kept alive.
    ///
    /// # Errors
    /// [`JoinError::TooManyBuildRows`] for 2^32 - 2 rows and more.
    ///
    /// # Panics
    /// If there is not one hash a key.
    pub fn build(self, keys: &Keys, hashes: &[u64]) -> Result<Box<dyn JoinIndex>> {
        assert_eq!(keys.len(), hashes.len(), "one hash a key");
        check_build_rows(keys.len() as u64)?;
        Ok(match keys {
            Keys::Words(_) => self.build_over(StoredWords::new(keys, hashes), keys, hashes),
            Keys::Wide(_) => self.build_over(StoredWide::new(keys, hashes), keys, hashes),
            Keys::Bytes(_) => self.build_over(StoredBytes::new(keys, hashes), keys, hashes),
        })
    }

    fn build_over<S: KeyStore>(self, store: S, keys: &Keys, hashes: &[u64]) -> Box<dyn JoinIndex> {
        match self {
            Self::Chained => Box::new(Chained::new(store, hashes)),
            Self::RowAtATime => Box::new(RowAtATime::<S::Owned>::new(keys)),
        }
    }
}

/// Refuses more build rows than a 32-bit position, counted from 1, can name.
///
/// # Errors
/// [`JoinError::TooManyBuildRows`].
pub(crate) fn check_build_rows(rows: u64) -> Result<()> {
    let limit = u64::from(u32::MAX) - 2;
    if rows > limit { Err(JoinError::TooManyBuildRows { rows, limit }) } else { Ok(()) }
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

    #[test]
    fn row_ids_that_do_not_fit_are_refused_early() {
        assert!(check_build_rows(u64::from(u32::MAX) - 2).is_ok());
        for rows in [u64::from(u32::MAX) - 1, u64::from(u32::MAX) + 1, u64::MAX] {
            assert!(matches!(check_build_rows(rows), Err(JoinError::TooManyBuildRows { .. })));
        }
    }
}
