//! The stream-static join: each micro-batch is joined on its own with the
//! table in use at that moment; there is no state (rules 34 to 40).

use std::sync::{Arc, PoisonError, RwLock};

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{DataType, SchemaRef};

use super::build::build;
use super::cursor::Cursor;
use super::mask::mask;
use super::options::Options;
use super::planned::Planned;
use super::spec::Spec;
use crate::error::{JoinError, Result};
use crate::form::convert;
use crate::operator::columns::check_schema;
use crate::snapshot::TableSnapshot;
use crate::table::auto::{Estimate, KeysAtHand, QuickestFirst};
use crate::table::{IndexBuilder, IndexChoice};

/// Joins micro-batches with a table.
///
/// Build a snapshot of the table once, swap it in, push batches; swap in a new
/// snapshot when the table changes. Nothing takes `&mut self`: share the join
/// behind an `Arc` and build, swap and push from as many threads as you like.
/// Each batch is joined with one version of the table, the one in use when it was
/// pushed, however many are swapped in while its output is read.
///
/// ```
/// # use std::sync::Arc;
/// # use streamjoin_kernels::arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// # use streamjoin_kernels::stream_static::{Join, Options, Spec};
/// # use streamjoin_kernels::{JoinType, Result};
/// # fn main() -> Result<()> {
/// let batch = |name, values: Vec<i64>| {
///     RecordBatch::try_from_iter([(name, Arc::new(Int64Array::from(values)) as ArrayRef)])
/// };
/// let (stream, table) = (batch("k", vec![1, 2, 3])?, batch("d", vec![2])?);
/// let spec = Spec::on(stream.schema(), table.schema(), JoinType::Inner, [("k", "d")])?;
/// let join = Join::new(spec, Options::default())?;
///
/// let first = join.build(&[table], 1)?;
/// join.swap(first)?;
/// assert_eq!(join.push(&stream)?.next_batch()?.map(|b| b.num_rows()), Some(1));
///
/// let second = join.build(&[batch("d", vec![1, 2])?], 2)?;
/// join.swap(second)?; // seen by the batches that follow
/// assert_eq!(join.push(&stream)?.next_batch()?.map(|b| b.num_rows()), Some(2));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Join {
    planned: Arc<Planned>,
    snapshot: RwLock<Option<Arc<TableSnapshot>>>,
}

impl Join {
    /// Plans the join.
    ///
    /// # Errors
    /// [`JoinError::Refused`] for a join type that the streaming side cannot
    /// have, [`JoinError::TypeMismatch`] or [`JoinError::UnsupportedKey`] for
    /// key types, [`JoinError::InvalidPlan`] for columns that do not exist,
    /// [`JoinError::IsaUnavailable`] for a level that this machine lacks.
    pub fn new(spec: Spec, options: Options) -> Result<Self> {
        Ok(Self { planned: Arc::new(Planned::new(spec, options)?), snapshot: RwLock::default() })
    }

    /// The schema of the output.
    #[must_use]
    pub fn output_schema(&self) -> &SchemaRef {
        &self.planned.plan.output_schema
    }

    /// The types that keys are compared as, after coercion.
    #[must_use]
    pub fn key_types(&self) -> &[DataType] {
        self.planned.plan.keys.types()
    }

    /// The table columns that a table retains, by position, ascending;
    /// in addition it needs its key and filter columns to be built.
    #[must_use]
    pub fn retained_columns(&self) -> &[usize] {
        &self.planned.plan.payload_columns
    }

    /// What the cost model says of each index for a table of `rows` rows with
    /// distinct keys, the cheapest first; nothing if the index is not chosen by
    /// cost. Where keys repeat or lie close together the choice may be another
    /// one: it is made when a table is built.
    #[must_use]
    pub fn estimates(&self, rows: usize) -> Vec<Estimate> {
        let IndexChoice::Auto(auto) = &self.planned.options.index else { return Vec::new() };
        if self.planned.plan.is_nested_loop() || !self.planned.options.layout.has_index() {
            return Vec::new();
        }
        let shape = self.planned.plan.keys.shape();
        let keys = KeysAtHand::distinct(shape, rows);
        auto.model.rank(keys, auto.expected(rows))
    }

    /// Indexes a version of the table. All batches have the table's
    /// schema; nothing of them is kept alive.
    ///
    /// # Errors
    /// [`JoinError::Schema`] for batches of another schema, empty ones too, errors
    /// of casts and filters, [`JoinError::TooManyBuildRows`],
    /// [`JoinError::MemoryRefused`], [`JoinError::Cancelled`]: then nothing is held,
    /// and the table in use stays in use.
    pub fn build(&self, table: &[RecordBatch], version: u64) -> Result<Arc<TableSnapshot>> {
        build(&self.planned, table, version, &self.planned.options.index).map(Arc::new)
    }

    /// As [`build`](Self::build), with another index than the options name;
    /// snapshots of one join may have different indexes.
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub fn build_with(
        &self,
        table: &[RecordBatch],
        version: u64,
        index: &IndexChoice,
    ) -> Result<Arc<TableSnapshot>> {
        let index = self.planned.plan.index_for(index.clone());
        build(&self.planned, table, version, &index).map(Arc::new)
    }

    /// As [`build`](Self::build), with the index that is built the soonest, and
    /// whether that is the one of the options. If it is not, the table can be
    /// used while `build` makes the better one, on another thread if need be.
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub fn build_first(
        &self,
        table: &[RecordBatch],
        version: u64,
    ) -> Result<(Arc<TableSnapshot>, bool)> {
        let first = Arc::new(QuickestFirst::before(self.planned.options.index.clone()));
        let index = IndexChoice::Own(Arc::clone(&first) as Arc<dyn IndexBuilder>);
        let snapshot = build(&self.planned, table, version, &index)?;
        Ok((Arc::new(snapshot), first.is_last()))
    }

    /// Makes `snapshot` the table that later batches are joined with, and
    /// returns the one before; cursors that were begun keep theirs.
    ///
    /// The snapshot may come from another join whose specification is a clone of
    /// this one's, if both hash alike: also with another index, with one table
    /// for all threads or in partitions, with other threads and limits.
    ///
    /// # Errors
    /// [`JoinError::ForeignSnapshot`], which says what differs, for one that this
    /// join would give wrong answers with: then the one in use stays in use.
    pub fn swap(&self, snapshot: Arc<TableSnapshot>) -> Result<Option<Arc<TableSnapshot>>> {
        self.check_snapshot(&snapshot)?;
        // Nothing that could panic happens under the lock.
        let mut in_use = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        Ok(in_use.replace(snapshot))
    }

    /// The table in use.
    #[must_use]
    pub fn snapshot(&self) -> Option<Arc<TableSnapshot>> {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Joins a batch with the table in use. The cursor returns the output in
    /// bounded pieces; work is done as it is asked for, so dropping the cursor
    /// cancels the rest. It borrows nothing: it can outlive the join and be read
    /// on another thread.
    ///
    /// # Errors
    /// [`JoinError::NotLoaded`] before the first [`swap`](Self::swap),
    /// [`JoinError::Schema`] for a batch of another schema, an empty one too, errors
    /// of casts and filters. A batch that is refused changes nothing.
    pub fn push(&self, batch: &RecordBatch) -> Result<Cursor> {
        let snapshot = self.snapshot().ok_or(JoinError::NotLoaded)?;
        self.begin(batch, snapshot)
    }

    /// As [`push`](Self::push), with this version of the table in place of the one
    /// in use, which stays in use.
    ///
    /// # Errors
    /// Those of [`push`](Self::push) and of [`swap`](Self::swap).
    pub fn push_with(&self, batch: &RecordBatch, snapshot: Arc<TableSnapshot>) -> Result<Cursor> {
        self.check_snapshot(&snapshot)?;
        self.begin(batch, snapshot)
    }

    /// Which rows of a batch a left-semi or left-anti join puts out: one bit per
    /// row, without nulls, for filters and selection vectors of one's own. Where
    /// there is no residual condition no pair is listed and nothing is copied.
    /// Options on the output do not matter.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use streamjoin_kernels::arrow::array::{ArrayRef, Int64Array, RecordBatch};
    /// # use streamjoin_kernels::stream_static::{Join, Options, Spec};
    /// # use streamjoin_kernels::{JoinType, Result};
    /// # fn main() -> Result<()> {
    /// let batch = |name, values: Vec<i64>| {
    ///     RecordBatch::try_from_iter([(name, Arc::new(Int64Array::from(values)) as ArrayRef)])
    /// };
    /// let (stream, table) = (batch("k", vec![1, 2, 3])?, batch("d", vec![2, 3])?);
    /// let keys = [("k", "d")];
    /// let spec = Spec::on(stream.schema(), table.schema(), JoinType::LeftSemi, keys)?;
    /// let join = Join::new(spec, Options::default())?;
    /// join.swap(join.build(&[table], 1)?)?;
    /// assert_eq!(join.mask(&stream)?.iter().collect::<Vec<_>>(), [false, true, true]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`JoinError::InvalidPlan`] for other join types; those of
    /// [`push`](Self::push); errors of predicates.
    pub fn mask(&self, batch: &RecordBatch) -> Result<BooleanBuffer> {
        let snapshot = self.snapshot().ok_or(JoinError::NotLoaded)?;
        let columns = self.columns(batch)?;
        mask(&self.planned, &snapshot, columns, batch.num_rows())
    }

    /// As [`mask`](Self::mask), with this version of the table in place of the one
    /// in use.
    ///
    /// # Errors
    /// Those of [`mask`](Self::mask) and of [`swap`](Self::swap).
    pub fn mask_with(
        &self,
        batch: &RecordBatch,
        snapshot: &TableSnapshot,
    ) -> Result<BooleanBuffer> {
        self.check_snapshot(snapshot)?;
        let columns = self.columns(batch)?;
        mask(&self.planned, snapshot, columns, batch.num_rows())
    }

    fn begin(&self, batch: &RecordBatch, snapshot: Arc<TableSnapshot>) -> Result<Cursor> {
        let columns = self.columns(batch)?;
        Cursor::new(Arc::clone(&self.planned), snapshot, columns, batch.num_rows())
    }

    /// The columns of a batch that the join reads.
    fn columns(&self, batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let Planned { spec, plan, .. } = &*self.planned;
        check_schema("the batch", &spec.stream_schema, batch)?;
        let rows = batch.num_rows() as u64;
        let Some(rows) = u32::try_from(rows).ok().filter(|&rows| rows < u32::MAX) else {
            return Err(JoinError::Schema(format!(
                "the batch has {rows} rows: push it in slices of less than 2^32 - 1"
            )));
        };
        let columns = plan.stream_columns.iter().zip(&plan.stream_types);
        let columns = columns.map(|(&i, passed)| convert(batch.column(i), passed));
        let numbers = plan.stream_rows.then(|| Arc::new(UInt32Array::from_iter_values(0..rows)));
        columns.chain(numbers.map(|numbers| Ok(numbers as ArrayRef))).collect()
    }

    fn check_snapshot(&self, snapshot: &TableSnapshot) -> Result<()> {
        let (built_for, wanted) = (&snapshot.parts().built_for, &self.planned.built_for);
        if Arc::ptr_eq(built_for, wanted) {
            return Ok(());
        }
        match built_for.difference(wanted) {
            None => Ok(()),
            Some(difference) => Err(JoinError::ForeignSnapshot { difference }),
        }
    }
}
