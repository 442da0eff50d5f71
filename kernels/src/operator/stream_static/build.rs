//! Indexing a version of a table.

use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::DataType;

use super::encode::hash;
use super::findable::findable_rows;
use super::layout::{INDEX_BYTES_PER_ROW, layout, too_large};
use super::options::{Layout, Options};
use super::planned::Planned;
use crate::arch::CacheSizes;
use crate::error::Result;
use crate::form::convert;
use crate::key::{KeyView, Keys};
use crate::memory::Reserved;
use crate::operator::columns::check_schema;
use crate::pairs::NO_ROW;
use crate::probe::{PartitionedKeys, Payload, RowColumns, partition_sizes};
use crate::snapshot::{Part, SnapshotParts, TableSnapshot};
use crate::table::{
    BuildInput, CheckedBuilder, CheckedBuilt, CheckedIndex, FusedRows, IndexChoice, NestedLoop,
    Probe, check_build_rows,
};

/// What the rows of a table are looked up by.
struct Indexed {
    partitions: Vec<Part>,
    partition_bits: u32,
    /// The row at each position, where rows are not left in place.
    order: Option<Vec<u32>>,
    /// The rows, where the index has the columns beside its keys.
    fused: Option<FusedRows>,
    unique: bool,
    notes: Vec<String>,
}

pub(super) fn build(
    join: &Planned,
    table: &[RecordBatch],
    version: u64,
    index_choice: &IndexChoice,
) -> Result<TableSnapshot> {
    for batch in table {
        check_schema("the table", &join.spec.table_schema, batch)?;
    }
    let builder = join.options.builder(index_choice);
    let start = Instant::now();
    // Batches without columns may have any number of rows.
    let rows = table.iter().map(RecordBatch::num_rows).fold(0, usize::saturating_add);
    check_build_rows(rows as u64)?;
    let mut memory = Reserved::new(join.options.memory.clone());
    let findable = findable_rows(join, table, &mut memory)?;
    let count = findable.keys.len();
    let columns: Vec<_> = join
        .plan
        .payload_columns
        .iter()
        .enumerate()
        .map(|(at, &i)| {
            let kept = &join.plan.payload_types[at];
            let chunks = findable.batches.iter().map(|batch| match kept {
                // Put together as the payload is made.
                DataType::Dictionary(..) => Ok(Arc::clone(batch.column(i))),
                kept => convert(batch.column(i), kept),
            });
            Ok((kept, chunks.collect::<Result<Vec<ArrayRef>>>()?))
        })
        .collect::<Result<_>>()?;
    let indexed = if join.plan.is_nested_loop() {
        let index = CheckedIndex::trusted(NestedLoop::new(count)?);
        Indexed {
            partitions: vec![Part { index, first_row: 0 }],
            partition_bits: 0,
            order: None,
            fused: None,
            unique: count <= 1,
            notes: Vec::new(),
        }
    } else {
        let beside = RowColumns::new(&columns, count);
        let retained = Payload::estimated_bytes(&columns, count, false);
        index(join, builder, &findable.keys, &beside, retained, &mut memory)?
    };
    memory.shrink(findable.keys.bytes());
    drop(findable.keys);

    let estimate = Payload::estimated_bytes(&columns, count, indexed.order.is_some());
    memory.grow(estimate, "the retained columns")?;
    join.options.cancellation.check()?;
    let payload = Payload::new(&columns, count, indexed.order.as_deref(), indexed.fused.clone())?;
    drop(columns);
    memory.settle(estimate, payload.bytes(), "the retained columns")?;
    memory.shrink(findable.copied + order_bytes(&indexed));
    let mut snapshot = SnapshotParts {
        built_for: Arc::clone(&join.built_for),
        version,
        rows,
        partitions: indexed.partitions,
        partition_bits: indexed.partition_bits,
        payload,
        unique: indexed.unique,
        build_time: start.elapsed(),
        notes: indexed.notes,
        memory,
    };
    snapshot.notes.extend(too_large(join, &snapshot));
    Ok(TableSnapshot::new(snapshot))
}

fn order_bytes(indexed: &Indexed) -> usize {
    indexed.order.as_ref().map_or(0, |order| size_of_val(&order[..]))
}

/// Indexes the keys; leaves what the indexes and the order hold reserved.
fn index(
    join: &Planned,
    builder: CheckedBuilder<'_>,
    keys: &Keys,
    beside: &RowColumns<'_>,
    retained_bytes: usize,
    memory: &mut Reserved,
) -> Result<Indexed> {
    let options = &join.options;
    let hash_bytes = keys.len() * size_of::<u64>();
    memory.grow(hash_bytes, "the hashes of the keys")?;
    options.cancellation.check()?;
    let mut hashes = Vec::new();
    hash(join, keys, &mut hashes);
    let estimate = builder.estimated_bytes(keys.into());
    memory.grow(estimate, "the index")?;
    let whole = BuildInput::new(keys, &hashes, options.hasher.isa())?;
    let indexed = if layout(options, whole, retained_bytes) == Layout::Partitioned {
        partitioned(join, builder, keys, &hashes, memory)?
    } else {
        let (built, unique) = one_index(join, builder, keys.into(), &hashes, Some(beside))?;
        Indexed {
            partitions: vec![Part { index: built.index, first_row: 0 }],
            partition_bits: 0,
            order: built.order,
            fused: built.fused,
            unique,
            notes: built.fallback.into_iter().collect(),
        }
    };
    let indexes = indexed.partitions.iter().map(|part| part.index.bytes());
    // An index of the caller's may say anything.
    let held = indexes.fold(order_bytes(&indexed), usize::saturating_add);
    memory.settle(estimate, held, "the index")?;
    memory.shrink(hash_bytes);
    Ok(indexed)
}

/// An index a partition, each built by one thread.
fn partitioned(
    join: &Planned,
    builder: CheckedBuilder<'_>,
    keys: &Keys,
    hashes: &[u64],
    memory: &mut Reserved,
) -> Result<Indexed> {
    let options = &join.options;
    let default = default_bits(keys.len(), options.threads(), options.caches);
    let mut bits = options.partition_bits.unwrap_or(default);
    let mut notes = Vec::new();
    let largest = partition_sizes(hashes, bits).into_iter().max().unwrap_or(0);
    if bits > 0 && largest > keys.len() / 4 * 3 && keys.len() > Options::FEW_ROWS {
        // More partitions would not help: the rows of a key stay together.
        notes.push(format!(
            "{largest} of {} rows are in one of {} partitions: partitioning makes no progress",
            keys.len(),
            1u32 << bits
        ));
        bits = options.partition_bits.unwrap_or(0);
    }
    let moved_bytes = keys.bytes() + keys.len() * (size_of::<u64>() + size_of::<u32>());
    memory.grow(moved_bytes, "the keys by partition")?;
    let moved = PartitionedKeys::new(keys, hashes, None, bits, 0);
    memory.settle(moved_bytes, moved.bytes(), "the keys by partition")?;
    let built: Vec<_> =
        options.run::<_, _, Result<_>>((0..1usize << bits).collect(), |partition| {
            moved.with(moved.range(partition), |keys, hashes| {
                // Columns of all partitions lie together, none beside keys.
                one_index(join, builder, keys, hashes, None)
            })
        })?;
    let mut order = Vec::with_capacity(keys.len());
    let (mut partitions, mut unique) = (Vec::with_capacity(built.len()), true);
    for (partition, (built, one_unique)) in built.into_iter().enumerate() {
        let rows = moved.rows(moved.range(partition));
        partitions.push(Part { index: built.index, first_row: order.len() as u32 });
        match built.order {
            None => order.extend_from_slice(rows),
            Some(inner) => order
                .extend(inner.iter().map(|&row| rows.get(row as usize).copied().unwrap_or(NO_ROW))),
        }
        check_build_rows(order.len() as u64)?;
        unique &= one_unique;
        if let Some(fallback) = built.fallback {
            notes.push(format!("partition {partition}: {fallback}"));
        }
    }
    memory.shrink(moved.bytes());
    Ok(Indexed { partitions, partition_bits: bits, order: Some(order), fused: None, unique, notes })
}

/// An index, and whether every key occurs once.
fn one_index(
    join: &Planned,
    builder: CheckedBuilder<'_>,
    keys: KeyView<'_>,
    hashes: &[u64],
    beside: Option<&RowColumns<'_>>,
) -> Result<(CheckedBuilt, bool)> {
    let options = &join.options;
    let input = BuildInput::new(keys, hashes, options.hasher.isa())?;
    let mut input = input.laid_out_for(options.caches).with_cancellation(&options.cancellation);
    if let Some(columns) = beside {
        input = input.with_columns(columns);
    }
    input.check_cancelled()?;
    let built = builder.build(input)?;
    let index = &built.index;
    if let Some(unique) = index.unique() {
        return Ok((built, unique));
    }
    // Then each row is the first match of its own key.
    let block = options.probe_rows;
    let mut matches = Vec::new();
    for from in (0..keys.len()).step_by(block) {
        options.cancellation.check()?;
        let len = block.min(keys.len() - from);
        matches.resize(len, 0);
        keys.with(from..from + len, |keys| {
            let probe = Probe::new(keys, &hashes[from..from + len], None);
            index.first_match(probe, &mut matches)
        })?;
        if !matches.iter().zip(from..).all(|(&found, row)| found as usize == row) {
            return Ok((built, false));
        }
    }
    Ok((built, true))
}

/// Enough partitions that the index of one fills half a second-level cache, and
/// that there are a few for each thread.
fn default_bits(rows: usize, threads: usize, caches: CacheSizes) -> u32 {
    let least = (2 * threads).next_power_of_two().trailing_zeros();
    let part = caches.l2 / 2 / INDEX_BYTES_PER_ROW;
    let partitions = rows.div_ceil(part.max(1)).next_power_of_two();
    partitions.trailing_zeros().clamp(least, Options::MAX_PARTITION_BITS)
}
