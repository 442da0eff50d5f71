//! Where a column of a join with a table comes from.

use streamjoin_kernels::{Side, SideColumn};

/// A column of one of the two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputColumn {
    /// Of the stream, earlier joins included, by position.
    Stream(usize),
    /// Of the table, by position.
    Table(usize),
}

impl InputColumn {
    /// A column of the query's left or right, of a join whose stream stands on
    /// `stream_side`.
    pub(super) fn of(SideColumn { side, column }: SideColumn, stream_side: Side) -> Self {
        if side == stream_side { Self::Stream(column) } else { Self::Table(column) }
    }
}
