//! Stream rows to keys and hashes.

use arrow::array::ArrayRef;
use arrow::buffer::{BooleanBuffer, NullBuffer};

use super::plan::Plan;
use super::planned::Planned;
use crate::error::Result;
use crate::key::{EncodedKeys, Keys};

/// Encodes and hashes the keys of stream rows; rows that fail the one-sided
/// filter can match nothing, as rows with a null key.
pub(super) fn encode(
    join: &Planned,
    columns: &[ArrayRef],
    rows: usize,
    hashes: &mut Vec<u64>,
) -> Result<EncodedKeys> {
    let plan = &join.plan;
    let mut encoded = if plan.is_nested_loop() {
        EncodedKeys { keys: Keys::Words(vec![0; rows].into()), matchable: None }
    } else {
        plan.keys.encode(&plan.stream_keys, columns, rows, join.spec.cast_mode)?
    };
    // Where none is preserved, rows that fail are gone before they come here.
    if plan.preserves_stream()
        && let Some(passed) = passed(plan, columns, rows)?
    {
        let passed = NullBuffer::new(passed);
        let matchable = encoded.matchable.take().map(NullBuffer::new);
        encoded.matchable =
            NullBuffer::union(Some(&passed), matchable.as_ref()).map(NullBuffer::into_inner);
    }
    hash(join, &encoded.keys, hashes);
    Ok(encoded)
}

/// Hashes keys; zeros where nobody looks at hashes.
pub(super) fn hash(join: &Planned, keys: &Keys, hashes: &mut Vec<u64>) {
    if join.is_without_hashes() {
        hashes.clear();
        hashes.resize(keys.len(), 0);
    } else {
        join.options.hasher.hash(keys, hashes);
    }
}

/// The rows that pass the one-sided filter; none if there is no filter.
pub(super) fn passed(
    plan: &Plan,
    columns: &[ArrayRef],
    rows: usize,
) -> Result<Option<BooleanBuffer>> {
    plan.stream_filter.as_ref().map(|filter| filter.passing(columns, rows)).transpose()
}
