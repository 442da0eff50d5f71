//! Looks at the joins with tables while the first pass runs: which keys are
//! missing, and where rows that found nothing go.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow::buffer::NullBuffer;
use arrow::compute::{take, take_record_batch};
use streamjoin_kernels::{NullEquality, stream_static};

use super::evidence::TableJoinEvidence;
use crate::error::{Failure, Result};
use crate::plan::{Carried, Plan, TableJoinPlan};
use crate::replay::clock::Clock;
use crate::sink::Sink;

/// This many keys of rows that found nothing are kept for each join.
const MISSING_KEYS: usize = 1000;

/// This many rows of each join are looked at; of later pushes, one in
/// [`LATER_PUSHES`] is.
const FIRST_ROWS: u64 = 1 << 20;

const LATER_PUSHES: u64 = 64;

/// What the first pass notices of its joins.
pub(crate) struct TableJoinsObserver<'w> {
    joins: Vec<Noticed>,
    unmatched: Option<Unmatched<'w>>,
    clock: &'w dyn Clock,
    /// Time of observing.
    aside: Duration,
}

/// Where rows that found nothing go.
struct Unmatched<'w> {
    carried: &'w Carried,
    sink: &'w mut dyn Sink,
    batch: u64,
}

#[derive(Debug, Default)]
struct Noticed {
    evidence: TableJoinEvidence,
    kept: usize,
    rows: u64,
    pushes: u64,
}

impl<'w> TableJoinsObserver<'w> {
    /// Of the joins of `plan`; what finds nothing goes to `sink`, if there is one.
    pub(crate) fn new(
        plan: &'w Plan,
        sink: Option<&'w mut dyn Sink>,
        clock: &'w dyn Clock,
    ) -> Self {
        let joins = plan.joins().iter().map(|_| Noticed::default()).collect();
        let unmatched = plan.carried().zip(sink);
        let unmatched = unmatched.map(|(carried, sink)| Unmatched { carried, sink, batch: 0 });
        Self { joins, unmatched, clock, aside: Duration::ZERO }
    }

    /// Says which rows it wants to know of, before a join gives any out.
    pub(crate) fn before(&mut self, join: usize, cursor: &mut stream_static::Cursor) {
        let Some(noticed) = self.joins.get_mut(join) else { return };
        let looks = noticed.rows < FIRST_ROWS || noticed.pushes.is_multiple_of(LATER_PUSHES);
        if self.unmatched.is_some() || looks && noticed.kept < MISSING_KEYS {
            cursor.note_unmatched();
        }
    }

    /// Looks at rows that went through a join.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn after(
        &mut self,
        join: usize,
        plan: &TableJoinPlan,
        input: &RecordBatch,
        cursor: &mut stream_static::Cursor,
    ) -> Result<()> {
        let start = self.clock.now();
        let Some(noticed) = self.joins.get_mut(join) else { return Ok(()) };
        noticed.rows += input.num_rows() as u64;
        noticed.pushes += 1;
        noticed.evidence.null_keys += null_keys(plan, input);
        let rows = cursor.take_unmatched().map_err(Failure::run)?;
        if !rows.is_empty() {
            noticed.sample(plan, input, &rows)?;
            if let Some(unmatched) = &mut self.unmatched {
                let rows = UInt32Array::from(rows);
                let column = |at: &Option<usize>| -> Result<Option<ArrayRef>> {
                    let Some(at) = *at else { return Ok(None) };
                    take(input.column(at), &rows, None).map(Some).map_err(Failure::run)
                };
                let columns = plan.kernel.carried.iter().map(column).collect::<Result<Vec<_>>>()?;
                unmatched.write(&plan.name, &columns, rows.len())?;
            }
        }
        self.aside += self.clock.now().saturating_sub(start);
        Ok(())
    }

    /// Takes joined rows of a side of two streams that nothing matched; `of` is
    /// the stream that they did not find.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn unmatched_in_pair(&mut self, of: &str, rows: &RecordBatch) -> Result<()> {
        let Some(unmatched) = &mut self.unmatched else { return Ok(()) };
        let start = self.clock.now();
        let columns = unmatched.carried.schema().fields().len() - 1;
        let columns: Vec<Option<ArrayRef>> =
            rows.columns()[..columns].iter().map(|column| Some(Arc::clone(column))).collect();
        unmatched.write(of, &columns, rows.num_rows())?;
        self.aside += self.clock.now().saturating_sub(start);
        Ok(())
    }

    /// Ends a batch.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn end_batch(&mut self) -> Result<()> {
        let Some(unmatched) = &mut self.unmatched else { return Ok(()) };
        let start = self.clock.now();
        unmatched.sink.end_batch(unmatched.batch)?;
        unmatched.batch += 1;
        self.aside += self.clock.now().saturating_sub(start);
        Ok(())
    }

    /// The time since it was asked last.
    pub(crate) fn take_time(&mut self) -> Duration {
        std::mem::take(&mut self.aside)
    }

    /// What was noticed of each join.
    pub(crate) fn finish(self) -> Vec<TableJoinEvidence> {
        self.joins.into_iter().map(|noticed| noticed.evidence).collect()
    }
}

impl Unmatched<'_> {
    fn write(&mut self, missed: &str, columns: &[Option<ArrayRef>], rows: usize) -> Result<()> {
        let rows = self.carried.rows(missed, columns, rows)?;
        self.sink.batch(self.batch, &rows)
    }
}

impl Noticed {
    /// Keeps the keys of some of these rows.
    fn sample(&mut self, plan: &TableJoinPlan, input: &RecordBatch, rows: &[u32]) -> Result<()> {
        let keys = &plan.kernel.spec.keys;
        let room = MISSING_KEYS - self.kept;
        if room == 0 || keys.is_empty() {
            return Ok(());
        }
        let positions: Vec<usize> = keys.iter().map(|key| key.first).collect();
        let keys = input.project(&positions).map_err(Failure::run)?;
        // A few of each push, so that the sample is of many batches.
        let rows: Vec<u32> = rows.iter().copied().take(room.min(MISSING_KEYS / 4)).collect();
        self.kept += rows.len();
        let sample = take_record_batch(&keys, &UInt32Array::from(rows)).map_err(Failure::run)?;
        self.evidence.missing.push(sample);
        Ok(())
    }
}

/// Rows with a null in a key that null does not equal.
fn null_keys(plan: &TableJoinPlan, input: &RecordBatch) -> u64 {
    let keys = plan.kernel.spec.keys.iter();
    let keys = keys.filter(|key| key.null_equality == NullEquality::NullMatchesNothing);
    let nulls = keys.fold(None, |nulls: Option<NullBuffer>, key| {
        NullBuffer::union(nulls.as_ref(), input.column(key.first).logical_nulls().as_ref())
    });
    nulls.map_or(0, |nulls| nulls.null_count() as u64)
}
