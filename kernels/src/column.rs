//! How a join names the columns of its inputs and of its output.

use crate::side::Side;

/// A column that a stream-static join reads or puts out. One of its inputs is given
/// by position, or by whatever [`ColumnId`](crate::ColumnId) it is not yet resolved
/// from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ColumnRef<C = usize> {
    /// A column of the stream.
    Stream(C),
    /// A column of the table.
    Table(C),
    /// The number of the stream's row in the batch that was pushed, from 0, as an
    /// `UInt32` that is never null. Rows that a filter drops are counted, too.
    StreamRow,
}

/// A column of one of the two streams of a stream-stream join: by position, or
/// by whatever [`ColumnId`](crate::ColumnId) it is not yet resolved from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SideColumn<C = usize> {
    /// The side.
    pub side: Side,
    /// The column of that side.
    pub column: C,
}

impl<C> SideColumn<C> {
    /// A column of the left side.
    #[must_use]
    pub fn left(column: C) -> Self {
        Self { side: Side::Left, column }
    }

    /// A column of the right side.
    #[must_use]
    pub fn right(column: C) -> Self {
        Self { side: Side::Right, column }
    }
}

/// A column of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputColumn<C = ColumnRef> {
    /// Where its values come from.
    pub source: C,
    /// Its name; names may repeat, as in SQL.
    pub name: String,
}
