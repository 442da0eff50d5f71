//! The rows of a table that can be found.

use arrow::array::{RecordBatch, new_empty_array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::filter_record_batch;

use super::planned::Planned;
use crate::error::Result;
use crate::key::{EncodedKeys, KeyShape, Keys};
use crate::memory::Reserved;
use crate::probe::slice_bytes;

/// Rows that can be found, and their keys.
pub(super) struct Findable {
    pub(super) batches: Vec<RecordBatch>,
    pub(super) keys: Keys,
    /// Bytes of batches that had to be copied.
    pub(super) copied: usize,
}

/// The batches have the table's schema. No table row is preserved, so one whose key is null or that fails the
/// filter need not be kept at all. Leaves the bytes of the keys and of what was
/// copied reserved.
///
/// # Errors
/// Errors of casts and filters, refused memory.
pub(super) fn findable_rows(
    join: &Planned,
    table: &[RecordBatch],
    memory: &mut Reserved,
) -> Result<Findable> {
    let spec = &join.spec;
    let mut batches = Vec::with_capacity(table.len());
    let mut keys = Vec::with_capacity(table.len());
    let mut copied = 0;
    for batch in table {
        join.options.cancellation.check()?;
        let mut batch = batch.clone();
        if let Some(filter) = &join.plan.table_filter {
            let kept = filter.passing(batch.columns(), batch.num_rows())?;
            batch = keep(batch, kept, &mut copied, memory)?;
        }
        let mut encoded = encode(join, &batch, memory)?;
        if let Some(matchable) = encoded.matchable {
            memory.shrink(encoded.keys.bytes());
            drop(encoded.keys);
            batch = keep(batch, matchable, &mut copied, memory)?;
            encoded = encode(join, &batch, memory)?;
        }
        keys.push(encoded.keys);
        batches.push(batch);
    }
    let keys = match &keys[..] {
        [] => {
            let fields = spec.table_schema.fields().iter();
            let empty = fields.map(|field| new_empty_array(field.data_type())).collect();
            let empty = RecordBatch::try_new(spec.table_schema.clone(), empty)?;
            encode(join, &empty, memory)?.keys
        }
        [one] => one.clone(),
        several => {
            let parts: usize = several.iter().map(Keys::bytes).sum();
            memory.grow(parts, "the keys")?;
            let whole = Keys::concat(several);
            memory.settle(2 * parts, whole.bytes(), "the keys")?;
            whole
        }
    };
    Ok(Findable { batches, keys, copied })
}

/// The keys of a batch, reserved.
fn encode(join: &Planned, batch: &RecordBatch, memory: &mut Reserved) -> Result<EncodedKeys> {
    let plan = &join.plan;
    let rows = batch.num_rows();
    let estimate = match plan.keys.shape() {
        KeyShape::Word => rows * 8,
        KeyShape::Wide => rows * 16,
        KeyShape::Bytes => {
            let columns = plan.table_keys.iter();
            rows * 8 + columns.map(|&i| slice_bytes(batch.column(i))).sum::<usize>()
        }
    };
    memory.grow(estimate, "the keys")?;
    let encoded = plan.keys.encode(&plan.table_keys, batch.columns(), rows, join.spec.cast_mode)?;
    memory.settle(estimate, encoded.keys.bytes(), "the keys")?;
    Ok(encoded)
}

/// Copies the rows that are kept, unless all are.
fn keep(
    batch: RecordBatch,
    rows: BooleanBuffer,
    copied: &mut usize,
    memory: &mut Reserved,
) -> Result<RecordBatch> {
    let kept = rows.count_set_bits();
    if kept == batch.num_rows() {
        return Ok(batch);
    }
    let all: usize = batch.columns().iter().map(slice_bytes).sum();
    let estimate = (all as u64 * kept as u64 / batch.num_rows() as u64) as usize;
    memory.grow(estimate, "the rows that can be found")?;
    *copied += estimate;
    Ok(filter_record_batch(&batch, &rows.into())?)
}
