//! The output of a push, in bounded pieces.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch};
use arrow::buffer::BooleanBuffer;
use arrow::compute::filter;

use super::coalesce::Coalescer;
use super::encode::{encode, passed};
use super::options::Layout;
use super::stats::JoinStats;
use super::stream_static::StreamStaticJoin;
use super::unit::{RowSource, Unit, UnitRows};
use crate::dimension::DimensionSnapshot;
use crate::error::Result;
use crate::key::EncodedKeys;
use crate::probe::partition_rows;

/// The output of [`StreamStaticJoin::push`], computed as it is asked for.
///
/// Memory is bounded by the units of work in flight (one a thread), whatever
/// the fan-out. The order of the output depends on the options alone, not on
/// the timing of threads.
#[derive(Debug)]
pub struct JoinCursor<'a> {
    join: &'a StreamStaticJoin,
    snapshot: Arc<DimensionSnapshot>,
    columns: Vec<ArrayRef>,
    waiting: VecDeque<Unit>,
    running: Vec<Unit>,
    ready: VecDeque<RecordBatch>,
    /// Joins the small outputs of partitions; none where there are none.
    coalescer: Option<Coalescer>,
    stats: JoinStats,
}

impl<'a> JoinCursor<'a> {
    pub(super) fn new(
        join: &'a StreamStaticJoin,
        snapshot: Arc<DimensionSnapshot>,
        columns: Vec<ArrayRef>,
        rows: usize,
    ) -> Result<Self> {
        let (columns, passed) = drop_filtered(join, columns, rows)?;
        let mut cursor = Self {
            join,
            snapshot,
            columns,
            waiting: VecDeque::new(),
            running: Vec::new(),
            ready: VecDeque::new(),
            coalescer: None,
            stats: JoinStats {
                rows_in: (rows - passed) as u64,
                rows_unmatched: (rows - passed) as u64,
                ..JoinStats::default()
            },
        };
        let rows = passed;
        let block = join.options.probe_rows;
        if join.options.layout != Layout::Partitioned || join.plan.is_nested_loop() {
            for start in (0..rows).step_by(block) {
                let source = RowSource::Range(start, block.min(rows - start));
                cursor.waiting.push_back(Unit::new(0, UnitRows { source, keys: None }));
            }
        } else if rows > 0 {
            let options = &join.options;
            cursor.coalescer =
                Some(Coalescer::new(options.max_output_rows, options.max_output_bytes));
            cursor.partition(rows)?;
        }
        Ok(cursor)
    }

    /// Groups the rows by the partition of the table that they meet.
    fn partition(&mut self, rows: usize) -> Result<()> {
        let started = Instant::now();
        let mut hashes = Vec::new();
        let encoded = encode(self.join, &self.columns, rows, &mut hashes)?;
        let bits = self.snapshot.parts().partition_bits;
        let grouped = partition_rows(&hashes, encoded.matchable.as_ref(), bits);
        for partition in 0..1usize << bits {
            for rows in grouped.get(partition).chunks(self.join.options.probe_rows) {
                let keys = EncodedKeys {
                    keys: encoded.keys.take(rows),
                    matchable: encoded.matchable.as_ref().map(|matchable| {
                        BooleanBuffer::collect_bool(rows.len(), |i| {
                            matchable.value(rows[i] as usize)
                        })
                    }),
                };
                let hashes = rows.iter().map(|&row| hashes[row as usize]).collect();
                let source = RowSource::Selected(rows.to_vec());
                let rows = UnitRows { source, keys: Some((keys, hashes)) };
                self.waiting.push_back(Unit::new(partition, rows));
            }
        }
        self.stats.keys += started.elapsed();
        Ok(())
    }

    /// The next output batch; none when there are no more. Never an empty one.
    ///
    /// # Errors
    /// Errors of casts and predicates, and
    /// [`OutputTooLarge`](crate::JoinError::OutputTooLarge) for a single row
    /// that Arrow's offsets cannot hold.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(batch) = self.next_of_unit()? {
            let Some(coalescer) = &mut self.coalescer else { return Ok(Some(batch)) };
            let started = Instant::now();
            let full = coalescer.push(batch)?;
            self.stats.materialise += started.elapsed();
            if full.is_some() {
                return Ok(full);
            }
        }
        self.coalescer.as_mut().map_or(Ok(None), Coalescer::finish)
    }

    fn next_of_unit(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Ok(Some(batch));
            }
            self.refill();
            if self.running.is_empty() {
                return Ok(None);
            }
            let steps = self.step_all();
            // What a unit gave out is kept in the units' order; a unit at its
            // end makes room for the next one.
            let mut units = Vec::with_capacity(self.running.len());
            for (unit, step) in self.running.drain(..).zip(steps) {
                match step? {
                    Some(batch) => {
                        self.ready.push_back(batch);
                        units.push(unit);
                    }
                    None => self.stats.add(&unit.stats),
                }
            }
            self.running = units;
        }
    }

    /// What was done so far; complete once [`next_batch`](Self::next_batch)
    /// has given none.
    #[must_use]
    pub fn stats(&self) -> JoinStats {
        let mut stats = self.stats;
        self.running.iter().for_each(|unit| stats.add(&unit.stats));
        stats
    }

    fn refill(&mut self) {
        // A few units a thread even out their differences.
        let width = match self.join.options.threads() {
            1 => 1,
            threads => 4 * threads,
        };
        while self.running.len() < width
            && let Some(unit) = self.waiting.pop_front()
        {
            self.running.push(unit);
        }
    }

    fn step_all(&mut self) -> Vec<Result<Option<RecordBatch>>> {
        let (join, snapshot, columns) = (self.join, &*self.snapshot, &self.columns[..]);
        #[cfg(feature = "rayon")]
        if let Some(pool) = &join.options.pool {
            use rayon::prelude::*;
            let units = &mut self.running;
            return pool.install(|| {
                units.par_iter_mut().map(|unit| unit.step(join, snapshot, columns)).collect()
            });
        }
        self.running.iter_mut().map(|unit| unit.step(join, snapshot, columns)).collect()
    }
}

/// Where no stream row is preserved, those that fail the one-sided filter are
/// gone before their keys are looked at, as Spark pushes the filter below the
/// join: a malformed key in such a row is no error. Returns the columns and
/// their number of rows.
fn drop_filtered(
    join: &StreamStaticJoin,
    columns: Vec<ArrayRef>,
    rows: usize,
) -> Result<(Vec<ArrayRef>, usize)> {
    if join.plan.preserves_stream() {
        return Ok((columns, rows));
    }
    let Some(passed) = passed(&join.plan, &columns, rows)? else { return Ok((columns, rows)) };
    let count = passed.count_set_bits();
    if count == rows {
        return Ok((columns, rows));
    }
    let passed = BooleanArray::new(passed, None);
    let kept = columns.iter().map(|column| Ok(filter(column, &passed)?)).collect::<Result<_>>()?;
    Ok((kept, count))
}
