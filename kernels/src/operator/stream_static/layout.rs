//! Whether a table is broadcast or partitioned, by its size.

use super::options::{Beyond, BroadcastLimit, Layout, Options};
use super::planned::Planned;
use crate::snapshot::SnapshotParts;
use crate::table::auto::{CostModel, Estimate, Expected, KeysAtHand};
use crate::table::{BuildInput, IndexChoice};

/// Bytes that an index takes per row, roughly: an estimate, not measured.
pub(super) const INDEX_BYTES_PER_ROW: usize = 32;

/// The layout of the table of these keys, whose retained columns take
/// `retained_bytes`.
pub(super) fn layout(options: &Options, keys: BuildInput<'_>, retained_bytes: usize) -> Layout {
    let Some(BroadcastLimit { bytes, beyond: Beyond::Partition }) = options.broadcast_limit else {
        return options.layout;
    };
    if options.layout != Layout::Broadcast {
        return options.layout;
    }
    let fits = |index: usize| index.saturating_add(retained_bytes) <= bytes;
    // The peak of the build is more than what remains, and cheap to estimate.
    if fits(options.index.builder().estimated_bytes(keys.keys)) || fits(index_bytes(options, keys))
    {
        Layout::Broadcast
    } else {
        Layout::Partitioned
    }
}

/// Bytes of the index over these keys by the cost model, which knows what
/// remains once it is built.
fn index_bytes(options: &Options, keys: BuildInput<'_>) -> usize {
    let rows = keys.keys.len();
    let per_row = match &options.index {
        IndexChoice::Auto(auto) => auto.rank(keys).first().map(|best| best.bytes),
        IndexChoice::Kind(kind) => {
            let expected = Expected::of_rows(rows);
            let ranked = CostModel::shipped().rank(KeysAtHand::look(keys), expected);
            let same = |estimate: &&Estimate| {
                estimate.candidate.index == *kind && !estimate.candidate.filtered
            };
            ranked.iter().find(same).map(|estimate| estimate.bytes)
        }
        IndexChoice::Own(_) => None,
    };
    match per_row {
        Some(bytes) => (bytes * rows as f64) as usize,
        None => keys.keys.bytes() + rows * INDEX_BYTES_PER_ROW,
    }
}

/// A note on a table that is broadcast although it exceeds the limit.
pub(super) fn too_large(join: &Planned, snapshot: &SnapshotParts) -> Option<String> {
    let limit = join.options.broadcast_limit?;
    let bytes = snapshot.bytes();
    if join.options.layout != Layout::Broadcast
        || snapshot.partition_bits > 0
        || bytes <= limit.bytes
    {
        return None;
    }
    let why = if join.plan.is_nested_loop() {
        "a join without an equality cannot be partitioned"
    } else if limit.beyond == Beyond::Note {
        "that layout was asked for"
    } else {
        // It was estimated to be smaller, by a little.
        return None;
    };
    Some(format!(
        "the table takes {bytes} bytes and is broadcast beyond the threshold of {}: {why}",
        limit.bytes
    ))
}
