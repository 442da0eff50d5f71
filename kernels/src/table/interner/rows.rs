//! The rows of a block: keys as they lie, hashes, and which may match.

use arrow::buffer::BooleanBuffer;

use crate::key::{ByteKeys, KeyView};
use crate::table::Probe;
use crate::table::byte_entries::ByteRows;

/// Keys as they lie.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowKeys<'a> {
    /// One after the other.
    View(KeyView<'a>),
    /// Byte strings anywhere. Copying them together takes longer than looking them up.
    Apart(&'a [&'a [u8]]),
}

/// As many keys as hashes and, if not all may match, bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    keys: RowKeys<'a>,
    hashes: &'a [u64],
    matchable: Option<&'a BooleanBuffer>,
}

impl<'a> Rows<'a> {
    /// # Panics
    /// If the lengths differ.
    pub(super) fn apart(
        keys: &'a [&'a [u8]],
        hashes: &'a [u64],
        matchable: Option<&'a BooleanBuffer>,
    ) -> Self {
        assert_eq!(keys.len(), hashes.len(), "one hash per key");
        assert!(matchable.is_none_or(|rows| rows.len() == hashes.len()), "one bit per key");
        Self { keys: RowKeys::Apart(keys), hashes, matchable }
    }

    pub(super) fn keys(&self) -> RowKeys<'a> {
        self.keys
    }

    pub(super) fn hashes(&self) -> &'a [u64] {
        self.hashes
    }

    pub(super) fn matchable(&self) -> Option<&'a BooleanBuffer> {
        self.matchable
    }
}

impl<'a> From<Probe<'a>> for Rows<'a> {
    fn from(probe: Probe<'a>) -> Self {
        let (keys, hashes) = (RowKeys::View(probe.keys()), probe.hashes());
        Self { keys, hashes, matchable: probe.matchable() }
    }
}

/// Byte strings by row.
#[derive(Clone, Copy, Debug)]
pub(super) enum ByteSource<'a> {
    Laid(&'a ByteKeys),
    Apart(&'a [&'a [u8]]),
}

impl<'a> ByteRows<'a> for ByteSource<'a> {
    #[inline(always)]
    fn key(self, row: usize) -> &'a [u8] {
        match self {
            Self::Laid(keys) => keys.key(row),
            Self::Apart(keys) => keys.key(row),
        }
    }

    #[inline(always)]
    fn prefix(self, row: usize) -> (u128, &'a [u8]) {
        match self {
            Self::Laid(keys) => keys.prefix(row),
            Self::Apart(keys) => keys.prefix(row),
        }
    }
}
