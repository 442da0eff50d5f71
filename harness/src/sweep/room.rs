//! Whether a workload fits into memory.

use super::workload::Workload;
use crate::machine::available_bytes;

/// Part of the free memory that a sweep takes.
const TAKEN: f64 = 0.85;
/// Bytes per row of the largest index while it is built, without keys.
const INDEX_BYTES_PER_ROW: usize = 96;

/// Memory that may be taken; none where the system does not report it.
pub fn free_bytes() -> Option<u64> {
    available_bytes().map(|bytes| (bytes as f64 * TAKEN) as u64)
}

/// Roughly the bytes that this many contenders of a workload need at a time.
pub fn needed_bytes(workload: &Workload, contenders: usize) -> u64 {
    rows_bytes(workload) + contenders as u64 * contender_bytes(workload)
}

/// The generated rows, and the array whose touches are measured.
pub(super) fn rows_bytes(workload: &Workload) -> u64 {
    let key = workload.key.bytes().max(8);
    let table = workload.build_rows * (2 * key + 8 * workload.payload);
    let stream = workload.batches() * workload.batch_rows * (2 * key + 16);
    (table + stream + 2 * INDEX_BYTES_PER_ROW * workload.build_rows) as u64
}

/// One index while it is built, and a payload laid out in its order.
pub(super) fn contender_bytes(workload: &Workload) -> u64 {
    let key = workload.key.bytes().max(8);
    (workload.build_rows * (INDEX_BYTES_PER_ROW + 2 * key + 8 * (workload.payload + 1))) as u64
}
