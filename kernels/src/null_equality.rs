//! How a key column treats nulls.

/// How a pair of key columns compares nulls; chosen for each key of a join.
// Closed: SQL has these two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NullEquality {
    /// SQL `=`: a null matches nothing, not even another null.
    #[default]
    NullMatchesNothing,
    /// SQL `<=>`, `IS NOT DISTINCT FROM`: a null matches a null.
    NullSafe,
}
