//! The output of a push, in bounded pieces.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::buffer::BooleanBuffer;

use super::options::Layout;
use super::stats::JoinStats;
use super::stream_static::StreamStaticJoin;
use super::unit::{RowSource, Unit, UnitRows, encode};
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
    stats: JoinStats,
}

impl<'a> JoinCursor<'a> {
    pub(super) fn new(
        join: &'a StreamStaticJoin,
        snapshot: Arc<DimensionSnapshot>,
        columns: Vec<ArrayRef>,
        rows: usize,
    ) -> Result<Self> {
        let mut cursor = Self {
            join,
            snapshot,
            columns,
            waiting: VecDeque::new(),
            running: Vec::new(),
            ready: VecDeque::new(),
            stats: JoinStats::default(),
        };
        let block = join.options.probe_rows;
        if join.options.layout == Layout::Broadcast || join.plan.is_nested_loop() {
            for start in (0..rows).step_by(block) {
                let source = RowSource::Range(start, block.min(rows - start));
                cursor.waiting.push_back(Unit::new(0, UnitRows { source, keys: None }));
            }
        } else if rows > 0 {
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
    /// Errors of casts and predicates, [`JoinError::OutputTooLarge`]
    /// (crate::JoinError) for a single row that Arrow's offsets cannot hold.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
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
        let width = self.width();
        while self.running.len() < width
            && let Some(unit) = self.waiting.pop_front()
        {
            self.running.push(unit);
        }
    }

    #[cfg(feature = "rayon")]
    fn width(&self) -> usize {
        // A few units a thread even out their differences.
        self.join.options.pool.as_ref().map_or(1, |pool| 4 * pool.current_num_threads())
    }

    #[cfg(not(feature = "rayon"))]
    fn width(&self) -> usize {
        1
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
