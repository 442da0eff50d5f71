//! Byte strings laid end to end.

use arrow::buffer::{Buffer, ScalarBuffer};

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

    /// The keys of `rows`, in that order.
    pub(super) fn take(&self, rows: &[u32]) -> Self {
        Self::collect(rows.iter().map(|&row| self.get(row as usize)))
    }

    pub(super) fn collect<'a>(keys: impl Iterator<Item = &'a [u8]>) -> Self {
        let (mut offsets, mut values) = (vec![0i64], Vec::new());
        for key in keys {
            values.extend_from_slice(key);
            offsets.push(values.len() as i64);
        }
        Self { offsets: offsets.into(), values: values.into() }
    }
}
