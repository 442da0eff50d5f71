//! How a join names the columns of its inputs and of its output.

use crate::side::Side;

/// A column that a stream-static join reads or puts out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ColumnRef {
    /// A column of the stream, by position in its schema.
    Stream(usize),
    /// A column of the table, by position in its schema.
    Table(usize),
    /// The number of the stream's row in the batch that was pushed, from 0, as an
    /// `UInt32` that is never null. Rows that a filter drops are counted, too.
    StreamRow,
}

/// A column of one of the two streams of a stream-stream join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SideColumn {
    /// The side.
    pub side: Side,
    /// Position in that side's schema.
    pub column: usize,
}

impl SideColumn {
    /// A column of the left side.
    #[must_use]
    pub fn left(column: usize) -> Self {
        Self { side: Side::Left, column }
    }

    /// A column of the right side.
    #[must_use]
    pub fn right(column: usize) -> Self {
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
