//! Normalised keys of a batch: one fixed word, one wide word or one byte
//! string a row.

use arrow::buffer::{Buffer, ScalarBuffer};

use super::encoder::KeyShape;
use super::view::KeyView;

/// Normalised keys, one a row. Cloning and slicing share the buffers.
#[derive(Clone, Debug)]
pub enum Keys {
    /// Keys of up to 8 bytes.
    Words(ScalarBuffer<u64>),
    /// Keys of 9 to 16 bytes.
    Wide(ScalarBuffer<i128>),
    /// Keys of any length.
    Bytes(ByteKeys),
}

/// Byte strings laid end to end, as in Arrow's variable-width arrays.
///
/// ```
/// use streamjoin_kernels::key::ByteKeys;
/// use streamjoin_kernels::table::KeyTable;
///
/// let fruit = ByteKeys::new(vec![0, 5, 8].into(), b"applefig".to_vec().into());
/// assert_eq!(fruit.get(1), b"fig");
/// let mut found = Vec::new();
/// KeyTable::new(&fruit).unwrap().exists(&fruit, &mut found).unwrap();
/// assert_eq!(found, [0b11]);
/// ```
#[derive(Clone, Debug)]
pub struct ByteKeys {
    /// `rows + 1` ascending positions in `values`.
    offsets: ScalarBuffer<i64>,
    values: Buffer,
}

impl ByteKeys {
    /// Byte strings `values[offsets[i]..offsets[i + 1]]`.
    ///
    /// # Panics
    /// If the offsets are empty, descend, or leave `values`.
    #[must_use]
    pub fn new(offsets: ScalarBuffer<i64>, values: Buffer) -> Self {
        assert!(!offsets.is_empty(), "offsets hold one more entry than there are keys");
        assert!(offsets[0] >= 0 && offsets.windows(2).all(|pair| pair[0] <= pair[1]));
        assert!(*offsets.last().expect("not empty") as usize <= values.len());
        Self { offsets, values }
    }

    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key of a row.
    ///
    /// # Panics
    /// If `row` is not below [`len`](Self::len).
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> &[u8] {
        &self.values[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }

    /// Where each key begins in [`values`](Self::values), and where the last
    /// one ends: ascending, none outside.
    #[must_use]
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
    }

    /// The bytes that hold the keys.
    #[must_use]
    pub fn values(&self) -> &[u8] {
        &self.values
    }

    pub(super) fn slice(&self, start: usize, len: usize) -> Self {
        Self { offsets: self.offsets.slice(start, len + 1), values: self.values.clone() }
    }

    pub(super) fn take(&self, rows: &[u32]) -> Self {
        let mut offsets = Vec::with_capacity(rows.len() + 1);
        let mut values = Vec::new();
        offsets.push(0i64);
        for &row in rows {
            values.extend_from_slice(self.get(row as usize));
            offsets.push(values.len() as i64);
        }
        Self { offsets: offsets.into(), values: values.into() }
    }
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
            [Self::Bytes(_), ..] => {
                let mut offsets = Vec::with_capacity(rows + 1);
                let mut values = Vec::new();
                offsets.push(0i64);
                for part in parts {
                    let Self::Bytes(part) = part else { panic!("keys of different shapes") };
                    for row in 0..part.len() {
                        values.extend_from_slice(part.get(row));
                        offsets.push(values.len() as i64);
                    }
                }
                Self::Bytes(ByteKeys { offsets: offsets.into(), values: values.into() })
            }
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
