//! Normalised keys as borrowed slices: what hot loops take, whoever owns them.

use std::ops::Range;

use super::byte_keys::ByteKeys;
use super::shape::KeyShape;

/// Normalised keys of a batch, borrowed: one fixed word, one wide word or one
/// byte string per row.
#[derive(Clone, Copy, Debug)]
pub enum KeyView<'a> {
    /// Keys of up to 8 bytes.
    Words(&'a [u64]),
    /// Keys of 9 to 16 bytes.
    Wide(&'a [i128]),
    /// Keys of any length.
    Bytes(&'a ByteKeys),
}

impl KeyView<'_> {
    /// Number of keys.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Wide(words) => words.len(),
            Self::Bytes(keys) => keys.len(),
        }
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The shape of these keys.
    #[must_use]
    pub fn shape(self) -> KeyShape {
        match self {
            Self::Words(_) => KeyShape::Word,
            Self::Wide(_) => KeyShape::Wide,
            Self::Bytes(_) => KeyShape::Bytes,
        }
    }

    /// Bytes of the keys.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::Words(words) => size_of_val(words),
            Self::Wide(words) => size_of_val(words),
            Self::Bytes(keys) => {
                let offsets = keys.offsets();
                size_of_val(offsets) + (offsets[keys.len()] - offsets[0]) as usize
            }
        }
    }

    /// Calls `look` with the keys of a range of rows.
    ///
    /// # Panics
    /// If the range leaves the keys.
    pub fn with<R>(self, rows: Range<usize>, look: impl FnOnce(KeyView<'_>) -> R) -> R {
        match self {
            Self::Words(words) => look(KeyView::Words(&words[rows])),
            Self::Wide(words) => look(KeyView::Wide(&words[rows])),
            Self::Bytes(keys) => look(KeyView::Bytes(&keys.slice(rows.start, rows.len()))),
        }
    }
}

macro_rules! viewed {
    ($($keys:ty => $variant:ident),*) => {$(
        impl<'a> From<&'a $keys> for KeyView<'a> {
            fn from(keys: &'a $keys) -> Self {
                Self::$variant(keys)
            }
        }
    )*};
}
viewed!([u64] => Words, Vec<u64> => Words, [i128] => Wide, ByteKeys => Bytes);

impl<'a, const N: usize> From<&'a [u64; N]> for KeyView<'a> {
    fn from(words: &'a [u64; N]) -> Self {
        Self::Words(words)
    }
}
