//! Deals the rows of a micro-batch out to the partitions of a table, and cuts
//! them into units of work.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::ArrayRef;

use super::encode::encode;
use super::planned::Planned;
use crate::error::Result;
use crate::probe::PartitionedKeys;
use crate::snapshot::TableSnapshot;

/// Rows of a piece at least: fewer are not worth a thread. Not measured.
const LEAST_PIECE: usize = 4096;

/// The rows of a unit.
#[derive(Debug)]
pub(super) enum UnitRows {
    /// `start .. start + len` of the batch, against the whole table.
    Range(usize, usize),
    /// Stretches of rows that were grouped by partition.
    Exchanged(Arc<Exchange>, Vec<Stretch>),
}

/// Neighbouring rows of a piece that meet one partition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) piece: usize,
    /// None: the rows can match nothing.
    pub(super) part: Option<usize>,
    pub(super) from: usize,
    pub(super) len: usize,
}

/// A micro-batch by partition.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) pieces: Vec<PartitionedKeys>,
    /// The most bytes that an output row takes.
    pub(super) row_bytes: usize,
}

/// The rows of a batch, of which `columns` are the columns that the join reads, cut
/// into units.
pub(super) fn units(
    join: &Planned,
    snapshot: &TableSnapshot,
    columns: &[ArrayRef],
    rows: usize,
) -> Result<Vec<UnitRows>> {
    let unit_rows = join.options.unit_rows(rows);
    if snapshot.parts().partition_bits > 0 {
        return exchange(join, snapshot, columns, rows, unit_rows);
    }
    Ok(ranges(rows, unit_rows).map(|range| UnitRows::Range(range.start, range.len())).collect())
}

/// `0..rows` in ranges of at most `unit_rows`.
pub(super) fn ranges(rows: usize, unit_rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(unit_rows).map(move |start| start..rows.min(start + unit_rows))
}

/// Groups the rows by partition, one piece of the batch per thread, and cuts
/// them into units of at most `unit_rows`. A unit takes what all pieces have of a
/// partition and goes on with the next one, so that small partitions make no
/// small units, and a hot one is many units, which any thread takes.
fn exchange(
    join: &Planned,
    snapshot: &TableSnapshot,
    columns: &[ArrayRef],
    rows: usize,
    unit_rows: usize,
) -> Result<Vec<UnitRows>> {
    let bits = snapshot.parts().partition_bits;
    let piece_rows = rows.div_ceil(join.options.threads()).max(LEAST_PIECE);
    let pieces: Result<_> = join.options.run((0..rows.div_ceil(piece_rows)).collect(), |piece| {
        let start = piece * piece_rows;
        by_partition(join, bits, columns, start..rows.min(start + piece_rows))
    });
    let row_bytes = join.plan.output_row_bytes(columns, &snapshot.parts().payload);
    let exchange = Arc::new(Exchange { pieces: pieces?, row_bytes });
    let (mut units, mut stretches, mut room) = (Vec::new(), Vec::new(), unit_rows);
    for partition in 0..=1usize << bits {
        for (piece, keys) in exchange.pieces.iter().enumerate() {
            let mut range = keys.range(partition);
            while !range.is_empty() {
                let len = range.len().min(room);
                let part = (partition < 1 << bits).then_some(partition);
                stretches.push(Stretch { piece, part, from: range.start, len });
                range.start += len;
                room -= len;
                if room == 0 {
                    let stretches = std::mem::take(&mut stretches);
                    units.push(UnitRows::Exchanged(Arc::clone(&exchange), stretches));
                    room = unit_rows;
                }
            }
        }
    }
    if !stretches.is_empty() {
        units.push(UnitRows::Exchanged(exchange, stretches));
    }
    Ok(units)
}

/// Neighbouring rows of a batch as one unit, whatever partitions they meet.
pub(super) fn neighbours(
    join: &Planned,
    snapshot: &TableSnapshot,
    columns: &[ArrayRef],
    rows: Range<usize>,
) -> Result<UnitRows> {
    let bits = snapshot.parts().partition_bits;
    if bits == 0 {
        return Ok(UnitRows::Range(rows.start, rows.len()));
    }
    let keys = by_partition(join, bits, columns, rows)?;
    let stretches = (0..=1usize << bits).filter_map(|partition| {
        let range = keys.range(partition);
        let part = (partition < 1 << bits).then_some(partition);
        let stretch = Stretch { piece: 0, part, from: range.start, len: range.len() };
        (!range.is_empty()).then_some(stretch)
    });
    let stretches = stretches.collect();
    let row_bytes = join.plan.output_row_bytes(columns, &snapshot.parts().payload);
    Ok(UnitRows::Exchanged(Arc::new(Exchange { pieces: vec![keys], row_bytes }), stretches))
}

/// The keys of neighbouring rows of a batch, by partition.
fn by_partition(
    join: &Planned,
    bits: u32,
    columns: &[ArrayRef],
    rows: Range<usize>,
) -> Result<PartitionedKeys> {
    let columns: Vec<ArrayRef> =
        columns.iter().map(|column| column.slice(rows.start, rows.len())).collect();
    let mut hashes = Vec::new();
    let encoded = encode(join, &columns, rows.len(), &mut hashes)
        .map_err(|error| error.after_rows(rows.start))?;
    let matchable = encoded.matchable.as_ref();
    Ok(PartitionedKeys::new(&encoded.keys, &hashes, matchable, bits, rows.start as u32))
}
