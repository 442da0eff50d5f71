//! Keys and columns of a table in one row: a look-up that finds a key has
//! fetched the columns with it.

use std::fmt;
use std::sync::Arc;

use crate::memory::Buffer;

/// Columns that an index may lay out next to its keys.
pub trait RowWords: fmt::Debug {
    /// 8-byte words that the columns of a row take.
    fn words(&self) -> usize;

    /// Writes the columns of row `order[i]` into the words from `i * stride + 1`
    /// on; nothing where the order names [`NO_ROW`](crate::pairs::NO_ROW). The
    /// word before them is the key's.
    ///
    /// # Panics
    /// If there are not `stride`, which exceeds [`words`](Self::words), words for
    /// each of the order, or it names a row that is not there.
    fn write(&self, order: &[u32], stride: usize, words: &mut [u64]);
}

/// Rows of a key and the columns next to it, as an index laid them out.
#[derive(Clone, Debug)]
pub struct FusedRows {
    pub(crate) words: Arc<Buffer<u64>>,
    /// Words of a row, the key's included.
    pub(crate) stride: usize,
}
