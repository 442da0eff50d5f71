//! What follows the rows of a stream, or of two joined ones.

use streamjoin_kernels::spark::CastMode;

use crate::plan::bind::{BoundTable, Selection};
use crate::scenario::Replay;

/// The joins with tables, what is emitted, and how rows are replayed.
pub(super) struct Query {
    pub(super) tables: Vec<BoundTable>,
    pub(super) output: Selection,
    pub(super) replay: Replay,
    /// The most stream rows to read.
    pub(super) limit: Option<u64>,
    /// Whether stream columns are carried to the end.
    pub(super) carry: bool,
    pub(super) mode: CastMode,
}
