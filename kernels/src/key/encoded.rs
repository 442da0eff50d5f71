//! Keys as an encoder writes them.

use arrow::buffer::BooleanBuffer;

use super::keys::Keys;

/// The keys of a batch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EncodedKeys {
    /// One key per row. Rows that can match nothing hold anything.
    pub keys: Keys,
    /// Unset where a key column that is not null-safe is null: such a row
    /// matches nothing. None if every row may match.
    pub matchable: Option<BooleanBuffer>,
}
