//! Byte strings laid end to end.

use arrow::buffer::{Buffer, ScalarBuffer};

use crate::error::{JoinError, Result};

/// Byte strings laid end to end, as in Arrow's variable-width arrays.
///
/// ```
/// use streamjoin_kernels::key::ByteKeys;
/// use streamjoin_kernels::table::KeyTable;
///
/// # fn main() -> streamjoin_kernels::Result<()> {
/// let fruit = ByteKeys::new(vec![0, 5, 8].into(), b"applefig".to_vec().into())?;
/// assert_eq!(fruit.get(1), b"fig");
/// let mut found = Vec::new();
/// KeyTable::new(&fruit)?.exists(&["fig", "pear"], &mut found)?;
/// assert_eq!(found, [0b01]);
/// # Ok(())
/// # }
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
    /// # Errors
    /// [`JoinError::Schema`] if the offsets are empty, descend, or leave `values`.
    pub fn new(offsets: ScalarBuffer<i64>, values: Buffer) -> Result<Self> {
        let wrong = |what: String| Err(JoinError::Schema(format!("keys of bytes: {what}")));
        let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
            return wrong("there must be one more offset than keys, at least one".to_owned());
        };
        if first < 0 || offsets.windows(2).any(|pair| pair[0] > pair[1]) {
            return wrong("offsets must ascend from 0 or more".to_owned());
        }
        if last as usize > values.len() {
            return wrong(format!("the last offset, {last}, lies beyond {} bytes", values.len()));
        }
        Ok(Self { offsets, values })
    }

    /// Byte strings whose offsets are known to fit.
    pub(crate) fn laid_out(offsets: ScalarBuffer<i64>, values: Buffer) -> Self {
        debug_assert!(offsets.windows(2).all(|pair| pair[0] <= pair[1]) && offsets[0] >= 0);
        debug_assert!(offsets[offsets.len() - 1] as usize <= values.len());
        Self { offsets, values }
    }

    /// The offsets and the bytes.
    pub(super) fn into_parts(self) -> (ScalarBuffer<i64>, Buffer) {
        (self.offsets, self.values)
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
