//! The amount of work, counted and not timed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Counts of work of one pass. They are the same in every run, on every
/// machine and instruction set; null where they do not apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Work {
    /// Rows that were looked up in tables, each once per table.
    pub rows_probed: Option<u64>,
    /// Places for a key that tables' indexes visited.
    pub keys_compared: Option<u64>,
    /// Table rows that were indexed, over all versions and reloads.
    pub rows_indexed: Option<u64>,
    /// Stored rows that look-ups in state walked over.
    pub rows_walked: Option<u64>,
    /// Stored rows that evictions visited.
    pub rows_visited: Option<u64>,
    /// Blocks of stored rows that evictions visited.
    pub blocks_visited: Option<u64>,
    /// Stored rows that were copied to keep the store in order.
    pub rows_moved: Option<u64>,
    /// Times that an index of the state began to grow or to shrink.
    pub index_resizes: Option<u64>,
    /// Pairs that residual conditions were evaluated on.
    pub residual_pairs: u64,
    /// Values that were copied for output and residual conditions: rows times
    /// columns.
    pub values_gathered: u64,
}
