//! Normalised keys of a batch: one fixed word, one wide word or one byte
//! string per row.

use arrow::buffer::ScalarBuffer;

use super::byte_keys::ByteKeys;
use super::shape::KeyShape;
use super::view::KeyView;

/// Normalised keys, one per row. Cloning and slicing share the buffers.
#[derive(Clone, Debug)]
pub enum Keys {
    /// Keys of up to 8 bytes.
    Words(ScalarBuffer<u64>),
    /// Keys of 9 to 16 bytes.
    Wide(ScalarBuffer<i128>),
    /// Keys of any length.
    Bytes(ByteKeys),
}

impl Keys {
    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        KeyView::from(self).len()
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The shape of these keys.
    #[must_use]
    pub fn shape(&self) -> KeyShape {
        KeyView::from(self).shape()
    }

    /// Bytes of the keys, whether they are shared or not.
    #[must_use]
    pub fn bytes(&self) -> usize {
        KeyView::from(self).bytes()
    }

    /// The keys of rows `start .. start + len`, sharing the buffers.
    ///
    /// # Panics
    /// If the range leaves the keys.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        match self {
            Self::Words(words) => Self::Words(words.slice(start, len)),
            Self::Wide(words) => Self::Wide(words.slice(start, len)),
            Self::Bytes(keys) => Self::Bytes(keys.slice(start, len)),
        }
    }

    /// The keys of all `parts`, one after the other.
    ///
    /// # Panics
    /// If there are no parts or they differ in shape.
    #[must_use]
    pub fn concat(parts: &[Self]) -> Self {
        let rows = parts.iter().map(Self::len).sum();
        match parts {
            [] => panic!("keys of which shape?"),
            [one] => one.clone(),
            [Self::Words(_), ..] => {
                let mut words = Vec::with_capacity(rows);
                for part in parts {
                    let Self::Words(part) = part else { panic!("keys of different shapes") };
                    words.extend_from_slice(part);
                }
                Self::Words(words.into())
            }
            [Self::Wide(_), ..] => {
                let mut words = Vec::with_capacity(rows);
                for part in parts {
                    let Self::Wide(part) = part else { panic!("keys of different shapes") };
                    words.extend_from_slice(part);
                }
                Self::Wide(words.into())
            }
            [Self::Bytes(_), ..] => Self::Bytes(ByteKeys::collect(parts.iter().flat_map(|part| {
                let Self::Bytes(part) = part else { panic!("keys of different shapes") };
                (0..part.len()).map(|row| part.get(row))
            }))),
        }
    }

    /// The keys of `rows`, in that order.
    ///
    /// # Panics
    /// If a row is out of bounds.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Self {
        KeyView::from(self).take(rows)
    }
}

impl KeyView<'_> {
    /// Copies the keys of `rows`, in that order.
    ///
    /// # Panics
    /// If a row is out of bounds.
    #[must_use]
    pub fn take(self, rows: &[u32]) -> Keys {
        match self {
            Self::Words(words) => {
                Keys::Words(rows.iter().map(|&row| words[row as usize]).collect())
            }
            Self::Wide(words) => Keys::Wide(rows.iter().map(|&row| words[row as usize]).collect()),
            Self::Bytes(keys) => Keys::Bytes(keys.take(rows)),
        }
    }
}

impl<'a> From<&'a Keys> for KeyView<'a> {
    fn from(keys: &'a Keys) -> Self {
        match keys {
            Keys::Words(words) => Self::Words(words),
            Keys::Wide(words) => Self::Wide(words),
            Keys::Bytes(keys) => Self::Bytes(keys),
        }
    }
}
