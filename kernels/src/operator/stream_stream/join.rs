//! The operator.

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};

use super::batch::Batch;
use super::intake::{Arrivals, check_batches};
use super::options::{Options, StateLimit};
use super::planned::Planned;
use super::report::BatchKind;
use super::spec::{End, Spec};
use super::state::JoinState;
use crate::error::{JoinError, Result};
use crate::side::{Side, Sides};
use crate::state::StateSize;
use crate::time::{Expiry, Watermarks};

/// Joins two streams, batch by batch.
///
/// Push a micro-batch of both sides, read its output to the end, then call
/// [`advance`](Self::advance): it runs the batch without input that a moved
/// watermark may call for. At the end of the streams, [`finish`](Self::finish).
///
/// ```
/// # use std::sync::Arc;
/// # use std::time::Duration;
/// # use streamjoin_kernels::arrow::array::{ArrayRef, Int64Array, RecordBatch, TimestampMicrosecondArray};
/// # use streamjoin_kernels::stream_stream::{End, Input, Join, Options, Spec};
/// # use streamjoin_kernels::{JoinType, Result};
/// # use streamjoin_kernels::time::IntervalCondition;
/// # fn main() -> Result<()> {
/// let batch = |ids: Vec<i64>, seconds: Vec<i64>| {
///     let times = seconds.iter().map(|s| s * 1_000_000);
///     RecordBatch::try_from_iter([
///         ("id", Arc::new(Int64Array::from(ids)) as ArrayRef),
///         ("at", Arc::new(TimestampMicrosecondArray::from_iter_values(times)) as ArrayRef),
///     ])
/// };
/// // Clicks at most an hour after the impression; both at most 10 s out of order.
/// let schema = batch(vec![], vec![])?.schema();
/// let input = Input::new(schema).with_event_time("at")?.with_watermark_delay(Duration::from_secs(10));
/// let within = IntervalCondition::between(Duration::ZERO, Duration::from_secs(3600));
/// let spec = Spec::on(input.clone(), input, JoinType::LeftOuter, [("id", "id")], within)?;
/// let mut join = Join::new(spec, Options::default())?;
///
/// let (impressions, clicks) = (batch(vec![1, 2], vec![100, 101])?, batch(vec![1], vec![160])?);
/// if let Some(mut output) = join.push(&[impressions], &[clicks])? {
///     assert_eq!(output.next_batch()?.map(|rows| rows.num_rows()), Some(1));
///     assert!(output.next_batch()?.is_none());
///     assert_eq!(output.report().left.state.rows, 2);
/// }
/// // The watermark moved to 91 s: too early to know that nothing matches impression 2.
/// if let Some(mut output) = join.advance()? {
///     assert!(output.next_batch()?.is_none());
/// }
/// let mut output = join.finish(End::Flush)?.expect("there is state");
/// assert_eq!(output.next_batch()?.map(|rows| rows.num_rows()), Some(1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Join {
    planned: Planned,
    state: JoinState,
}

impl Join {
    /// Plans the join.
    ///
    /// # Errors
    /// [`JoinError::Refused`] for a join that has no sound answer on streams,
    /// [`JoinError::TypeMismatch`] or [`JoinError::UnsupportedKey`] for key
    /// types, [`JoinError::UnsupportedState`] for columns that cannot be kept,
    /// [`JoinError::InvalidPlan`] for columns that do not exist, event times
    /// that are not timestamps or dates, and options out of range,
    /// [`JoinError::MemoryRefused`] for the little that an empty state holds.
    pub fn new(spec: Spec, options: Options) -> Result<Self> {
        let planned = Planned::new(spec, options)?;
        Ok(Self { state: JoinState::new(&planned)?, planned })
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

    /// When the rows of a side leave the state, or why they never do.
    #[must_use]
    pub fn expiry(&self, side: Side) -> Expiry {
        self.planned.plan.sides[side].expiry
    }

    /// Whether the condition on event time can hold for no pair of rows, so
    /// that nothing ever matches: most likely a mistake.
    #[must_use]
    pub fn matches_nothing(&self) -> bool {
        self.planned.spec.time.matches_nothing()
    }

    /// The columns of a side that the state keeps, by position, ascending.
    #[must_use]
    pub fn kept_columns(&self, side: Side) -> &[usize] {
        &self.planned.plan.sides[side].kept
    }

    /// The columns of a side that the join reads at all, by position, ascending.
    #[must_use]
    pub fn read_columns(&self, side: Side) -> &[usize] {
        &self.planned.plan.sides[side].read
    }

    /// What the state of a side holds.
    #[must_use]
    pub fn state(&self, side: Side) -> StateSize {
        self.state.size(side)
    }

    /// Parts that the state is cut into by the keys' hash.
    #[must_use]
    pub fn partitions(&self) -> usize {
        self.state.partitions.len()
    }

    /// The watermarks.
    #[must_use]
    pub fn watermarks(&self) -> &Watermarks {
        &self.state.watermarks
    }

    /// Sets the most state that is allowed: after a push that was refused, a
    /// higher limit lets the same push through.
    pub fn set_limit(&mut self, limit: StateLimit) {
        self.planned.options.limit = limit;
    }

    /// Lets an idle or finished side leave the global watermark, or come back;
    /// call [`advance`](Self::advance) after it, because the watermark may move.
    pub fn set_taking_part(&mut self, side: Side, takes_part: bool) {
        self.state.watermarks.set_taking_part(side, takes_part);
    }

    /// Joins a micro-batch, of any number of record batches per side; without
    /// a row on either side nothing runs.
    ///
    /// The output must be read to its end, or the join cannot go on. A push that
    /// is refused, with an error from this call, changes nothing: the join goes
    /// on as if it had not been.
    ///
    /// # Errors
    /// [`JoinError::Schema`] for batches of another schema, empty ones included,
    /// errors of casts and filters, [`JoinError::StateLimit`] and
    /// [`JoinError::MemoryRefused`] if there is no room for the rows,
    /// [`JoinError::TooManyStateRows`] if there are no ids for them,
    /// [`JoinError::ValueTooLarge`], [`JoinError::Unfinished`] if the batch before
    /// has failed or was not read to its end.
    pub fn push(
        &mut self,
        left: &[RecordBatch],
        right: &[RecordBatch],
    ) -> Result<Option<Batch<'_>>> {
        self.check_closed()?;
        if left.iter().chain(right).all(|batch| batch.num_rows() == 0) {
            check_batches(&self.planned, Side::Left, left)?;
            check_batches(&self.planned, Side::Right, right)?;
            return Ok(None);
        }
        self.begin(BatchKind::Data, Sides { left, right })
    }

    /// Runs the batch without input that is due: no-data batches are on, some
    /// side's rows can leave, and the watermark is beyond the one of the batch
    /// before.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn advance(&mut self) -> Result<Option<Batch<'_>>> {
        self.check_closed()?;
        let due = self.planned.spec.no_data_batches
            && Side::BOTH.into_iter().any(|side| self.expiry(side).is_bounded())
            && self.state.watermarks.has_advanced();
        if due { self.begin(BatchKind::NoData, Sides::default()) } else { Ok(None) }
    }

    /// Ends the streams. [`End::Flush`] empties the state in one last batch, if
    /// there is any.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn finish(&mut self, end: End) -> Result<Option<Batch<'_>>> {
        self.check_closed()?;
        let empty = Side::BOTH.into_iter().all(|side| self.state(side).rows == 0);
        match end {
            End::Flush if !empty => self.begin(BatchKind::End, Sides::default()),
            _ => Ok(None),
        }
    }

    /// What the watermark would see of a batch; nothing is joined or stored.
    ///
    /// # Errors
    /// As a push of the same rows.
    pub fn arrivals(&self, side: Side, batches: &[RecordBatch]) -> Result<Arrivals> {
        Arrivals::new(&self.planned, side, batches)
    }

    fn begin(
        &mut self,
        kind: BatchKind,
        inputs: Sides<&[RecordBatch]>,
    ) -> Result<Option<Batch<'_>>> {
        Batch::begin(&self.planned, &mut self.state, kind, inputs).map(Some)
    }

    fn check_closed(&self) -> Result<()> {
        if self.state.in_batch { Err(JoinError::Unfinished) } else { Ok(()) }
    }
}
