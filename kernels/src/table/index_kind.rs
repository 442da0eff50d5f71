//! What an index brings to [`IndexKind`](super::IndexKind), in addition to being one.

use super::build::{BuildInput, BuiltIndex};
use super::contiguous::column::{ByteColumn, KeyColumn, WideColumn, WordColumn};
use super::inline_keys::{InlineBytes, InlineKeys, InlineWide, InlineWords};
use super::perfect::slot_keys::{ByteSlots, SlotKeys, WideSlots, WordSlots};
use super::store::{KeyStore, StoredBytes, StoredWide, StoredWords};
use crate::error::JoinError;

/// How an index is called and built. Implemented by a type of the index's own
/// file, which a line of [`IndexKind`](super::IndexKind) names.
pub(super) trait KindOfIndex {
    /// The name, such as `row-at-a-time`.
    const NAME: &'static str;

    /// Bytes per row that building takes at its peak, where `entry` bytes hold a
    /// key with what lies beside it.
    fn row_bytes(entry: usize) -> usize;

    /// The index, or why there is none.
    fn build<F: KeyForm>(input: BuildInput<'_>) -> Result<BuiltIndex, NotBuilt>;
}

/// Why an index was not built.
#[derive(Debug)]
pub(super) enum NotBuilt {
    /// It cannot serve these keys, for this reason; another one can.
    Unfit(String),
    /// Building failed.
    Failed(JoinError),
}

impl From<String> for NotBuilt {
    fn from(why: String) -> Self {
        Self::Unfit(why)
    }
}

impl From<JoinError> for NotBuilt {
    fn from(error: JoinError) -> Self {
        Self::Failed(error)
    }
}

/// How the indexes keep keys of one shape.
pub(super) trait KeyForm {
    type Store: KeyStore;
    type Column: KeyColumn;
    type Inline: InlineKeys;
    type Slots: SlotKeys;
}

macro_rules! key_form {
    ($form:ident: $store:ty, $column:ty, $inline:ty, $slots:ty) => {
        pub(super) struct $form;

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
