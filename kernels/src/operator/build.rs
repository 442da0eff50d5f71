//! Indexing a version of a dimension table.

use std::time::Instant;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::buffer::BooleanBuffer;
use arrow::compute::filter_record_batch;

use super::encode::hash;
use super::options::{JoinOptions, Layout};
use super::stream_static::{StreamStaticJoin, check_schema};
use crate::arch::CacheSizes;
use crate::dimension::{DimensionSnapshot, Part, SnapshotParts};
use crate::error::Result;
use crate::key::Keys;
use crate::probe::{ColumnRef, Payload, partition_rows};
use crate::table::{BuildInput, BuiltIndex, JoinIndex, NestedLoop, Probe, check_build_rows};

/// Bytes of index a row takes, roughly: to size partitions only.
const INDEX_BYTES_A_ROW: usize = 32;

pub(super) fn build(
    join: &StreamStaticJoin,
    table: &[RecordBatch],
    version: u64,
) -> Result<DimensionSnapshot> {
    let start = Instant::now();
    let rows = table.iter().map(RecordBatch::num_rows).sum();
    check_build_rows(rows as u64)?;
    let (batches, keys) = findable_rows(join, table)?;
    let indexed = batches.iter().map(RecordBatch::num_rows).sum();
    let payload = |order: Option<&[u32]>| {
        let columns: Vec<_> = join
            .plan
            .payload_columns
            .iter()
            .map(|&i| {
                let chunks: Vec<ArrayRef> =
                    batches.iter().map(|batch| batch.column(i).clone()).collect();
                (join.spec.dimension_schema.field(i).data_type(), chunks)
            })
            .collect();
        Payload::new(&columns, indexed, order)
    };

    if join.plan.is_nested_loop() {
        let index: Box<dyn JoinIndex> = Box::new(NestedLoop::new(indexed)?);
        return Ok(DimensionSnapshot::new(SnapshotParts {
            version,
            rows,
            partitions: vec![Part { index, first_row: 0 }],
            partition_bits: 0,
            payload: payload(None)?,
            unique: indexed <= 1,
            build_time: start.elapsed(),
        }));
    }

    let options = &join.options;
    let mut hashes = Vec::new();
    hash(join, &keys, &mut hashes);
    let bits = match options.layout {
        Layout::Broadcast | Layout::SortMerge => 0,
        Layout::Partitioned => {
            options.partition_bits.unwrap_or_else(|| default_bits(indexed, options.threads()))
        }
    };
    let (mut partitions, mut unique) = (Vec::with_capacity(1 << bits), true);
    let payload = if options.layout != Layout::Partitioned {
        let BuiltIndex { index, order, .. } = index(join, &keys, &hashes, &mut unique)?;
        partitions.push(Part { index, first_row: 0 });
        payload(order.as_deref())?
    } else {
        let grouped = partition_rows(&hashes, None, bits);
        let mut order = Vec::with_capacity(indexed);
        for partition in 0..1usize << bits {
            let rows = grouped.get(partition);
            let hashes: Vec<u64> = rows.iter().map(|&row| hashes[row as usize]).collect();
            let BuiltIndex { index, order: inner, .. } =
                index(join, &keys.take(rows), &hashes, &mut unique)?;
            partitions.push(Part { index, first_row: order.len() as u32 });
            match inner {
                None => order.extend_from_slice(rows),
                Some(inner) => order.extend(inner.iter().map(|&row| rows[row as usize])),
            }
        }
        check_build_rows(order.len() as u64)?;
        payload(Some(&order))?
    };
    Ok(DimensionSnapshot::new(SnapshotParts {
        version,
        rows,
        partitions,
        partition_bits: bits,
        payload,
        unique,
        build_time: start.elapsed(),
    }))
}

/// One index and the order of its rows. `unique` stays set as long as every
/// key occurs once.
fn index(
    join: &StreamStaticJoin,
    keys: &Keys,
    hashes: &[u64],
    unique: &mut bool,
) -> Result<BuiltIndex> {
    let input = BuildInput::new(keys, hashes, join.options.hasher.isa())?;
    let built = join.options.builder().build(input)?;
    let index = &built.index;
    if let Some(known) = index.unique() {
        *unique &= known;
        return Ok(built);
    }
    // Then each row is the first match of its own key.
    let block = join.options.probe_rows;
    let mut matches = Vec::new();
    for from in (0..keys.len()).step_by(block) {
        if !*unique {
            break;
        }
        let len = block.min(keys.len() - from);
        matches.resize(len, 0);
        let block_keys = keys.slice(from, len);
        index.first_match(Probe::new(&block_keys, &hashes[from..from + len], None), &mut matches);
        *unique = matches.iter().zip(from..).all(|(&found, row)| found as usize == row);
    }
    Ok(built)
}

/// The rows that can be found, and their keys: no dimension row is preserved,
/// so one whose key is null or that fails the filter need not be kept at all.
fn findable_rows(
    join: &StreamStaticJoin,
    table: &[RecordBatch],
) -> Result<(Vec<RecordBatch>, Keys)> {
    let (plan, spec) = (&join.plan, &join.spec);
    let mut batches = Vec::with_capacity(table.len());
    let mut keys = Vec::with_capacity(table.len());
    for batch in table {
        check_schema("the table", &spec.dimension_schema, batch)?;
        let mut batch = batch.clone();
        if let Some(filter) = &spec.dimension_filter {
            let columns: Vec<ArrayRef> = filter
                .columns
                .iter()
                .map(|&column| {
                    let (ColumnRef::Dimension(i) | ColumnRef::Stream(i)) = column;
                    batch.column(i).clone()
                })
                .collect();
            let kept = filter.evaluate(&columns, batch.num_rows())?;
            batch = keep(&batch, kept)?;
        }
        let encode = |batch: &RecordBatch| {
            plan.encode(&plan.dimension_keys, batch.columns(), batch.num_rows(), spec.cast_mode)
        };
        let mut encoded = encode(&batch)?;
        if let Some(matchable) = encoded.matchable {
            batch = keep(&batch, matchable)?;
            encoded = encode(&batch)?;
        }
        keys.push(encoded.keys);
        batches.push(batch);
    }
    let keys = if keys.is_empty() {
        let empty: Vec<ArrayRef> = spec
            .dimension_schema
            .fields()
            .iter()
            .map(|field| arrow::array::new_empty_array(field.data_type()))
            .collect();
        plan.encode(&plan.dimension_keys, &empty, 0, spec.cast_mode)?.keys
    } else {
        Keys::concat(&keys)
    };
    Ok((batches, keys))
}

fn keep(batch: &RecordBatch, rows: BooleanBuffer) -> Result<RecordBatch> {
    Ok(filter_record_batch(batch, &rows.into())?)
}

/// Enough partitions that the index of one fills half a second-level cache, and
/// that there are a few for each thread.
fn default_bits(rows: usize, threads: usize) -> u32 {
    let least = (2 * threads).next_power_of_two().trailing_zeros();
    let part = CacheSizes::detect().l2 / 2 / INDEX_BYTES_A_ROW;
    let partitions = rows.div_ceil(part.max(1)).next_power_of_two();
    partitions.trailing_zeros().clamp(least, JoinOptions::MAX_PARTITION_BITS)
}
