//! Who observes a pass, and what it counts for them.

use super::listener::ProgressListener;
use super::table_joins::TableJoinsObserver;

/// What a pass notes apart from its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Counts, checksum and progress: the first pass.
    All,
    /// Time only: the passes after it.
    TimeOnly,
}

/// Who observes a pass.
pub(crate) struct Observers<'s> {
    pub(crate) listener: &'s mut dyn ProgressListener,
    /// Present in the first pass.
    pub(crate) observer: Option<TableJoinsObserver<'s>>,
    pub(crate) counted: Counted,
}
