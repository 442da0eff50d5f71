//! A pair of columns that a join compares.

use arrow::datatypes::Schema;

use crate::column_id::ColumnId;
use crate::error::Result;
use crate::null_equality::NullEquality;
use crate::side::Side;

/// A pair of key columns, one of each input, as positions once they are
/// resolved.
///
/// Where keys are asked for, a tuple of two columns is one that compares them
/// with `=`; null-safe ones are written in full:
///
/// ```
/// use streamjoin_kernels::KeyPair;
///
/// let keys = [KeyPair::from(("user", "id")), KeyPair::null_safe("zone", "zone")];
/// # let _ = keys;
/// ```
// Closed, like the other names for columns: it is written out where keys are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPair<A = usize, B = usize> {
    /// The column of the first input: the stream, or the left side.
    pub first: A,
    /// The column of the second: the table, or the right side.
    pub second: B,
    /// Whether null matches null.
    pub null_equality: NullEquality,
}

impl<A, B> KeyPair<A, B> {
    /// `first = second`: nulls match nothing.
    #[must_use]
    pub fn equal(first: A, second: B) -> Self {
        Self { first, second, null_equality: NullEquality::NullMatchesNothing }
    }

    /// `first <=> second`: null matches null.
    #[must_use]
    pub fn null_safe(first: A, second: B) -> Self {
        Self { first, second, null_equality: NullEquality::NullSafe }
    }
}

impl KeyPair {
    /// The column of the left side, which is the first input, or of the right.
    #[must_use]
    pub fn on(&self, side: Side) -> usize {
        match side {
            Side::Left => self.first,
            Side::Right => self.second,
        }
    }
}

/// The positions of keys in two inputs, each with what errors call it.
///
/// # Errors
/// Those of [`ColumnId::position`].
pub(crate) fn resolve_keys<A: ColumnId, B: ColumnId>(
    keys: impl IntoIterator<Item = impl Into<KeyPair<A, B>>>,
    inputs: [(&str, &Schema); 2],
) -> Result<Vec<KeyPair>> {
    let [first, second] = inputs;
    let resolve = |key: KeyPair<A, B>| -> Result<KeyPair> {
        Ok(KeyPair {
            first: key.first.position(first.0, first.1)?,
            second: key.second.position(second.0, second.1)?,
            null_equality: key.null_equality,
        })
    };
    keys.into_iter().map(|key| resolve(key.into())).collect()
}

impl<A, B> From<(A, B)> for KeyPair<A, B> {
    /// `first = second`.
    fn from((first, second): (A, B)) -> Self {
        Self::equal(first, second)
    }
}
