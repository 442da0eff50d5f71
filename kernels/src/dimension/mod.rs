//! The table of a stream-static join: built once, shared, swapped whole.

mod snapshot;

pub use snapshot::DimensionSnapshot;
pub(crate) use snapshot::{Part, SnapshotParts};
