//! Which rows the watermark sees and which of them may enter the state: what
//! the operator's intake does before a delay has its say.

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::filter;
use arrow::datatypes::DataType;
use streamjoin_kernels::key::KeyEncoder;
use streamjoin_kernels::spark::{CastMode, cast, comparison_type};
use streamjoin_kernels::time::{EventTimes, TimeKey};
use streamjoin_kernels::{Filter, JoinError, Result, Side, stream_stream};

/// The rows of one side of a batch that the watermark sees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// By which each is late and leaves: its event time, or where its window
    /// ends.
    pub(crate) times: Vec<Option<i64>>,
    /// Whether each may enter the state, if it is not late.
    pub(crate) passes: Vec<bool>,
    /// Which rows of each record batch those are that may.
    pub(crate) passing: Vec<BooleanBuffer>,
    /// The greatest event time.
    pub(crate) max_time: Option<i64>,
}

impl Seen {
    /// How many may enter the state.
    pub(crate) fn passing(&self) -> u64 {
        self.passing.iter().map(|rows| rows.count_set_bits() as u64).sum()
    }
}

/// What happens to the rows of one side before the late filter.
#[derive(Debug)]
pub(crate) struct Intake {
    preserved: bool,
    event_time: Option<usize>,
    filter: Option<Filter<usize>>,
    not_null: Vec<usize>,
    /// Key columns and the types that they are compared as.
    keys: Vec<(usize, DataType)>,
    encoder: KeyEncoder,
    mode: CastMode,
    needs_time: bool,
    window: Option<i64>,
}

impl Intake {
    pub(crate) fn new(spec: &stream_stream::Spec, side: Side) -> Result<Self> {
        let input = spec.input(side);
        let types = spec.keys.iter().map(|key| {
            let left = spec.left.schema.field(key.left).data_type();
            let right = spec.right.schema.field(key.right).data_type();
            comparison_type(left, right)
        });
        let types = types.collect::<Result<Vec<_>>>()?;
        let columns: Vec<_> = types
            .iter()
            .zip(&spec.keys)
            .map(|(data_type, key)| (data_type.clone(), key.null_equality))
            .collect();
        let window = match spec.time.key {
            Some(TimeKey::Window { width }) => Some(width),
            _ => None,
        };
        Ok(Self {
            preserved: spec.join_type.preserves(side),
            event_time: input.event_time,
            filter: input.filter.clone(),
            not_null: input
                .not_null
                .iter()
                .copied()
                .filter(|column| input.event_time != Some(*column))
                .collect(),
            keys: spec.keys.iter().map(|key| key.on(side)).zip(types).collect(),
            encoder: KeyEncoder::new(&columns)?,
            mode: spec.cast_mode,
            needs_time: !spec.time.interval.is_unbounded() || window.is_some(),
            window,
        })
    }

    /// Looks at the rows of a batch.
    pub(crate) fn look(&self, batches: &[RecordBatch]) -> Result<Seen> {
        let mut seen = Seen::default();
        for batch in batches {
            self.take(batch, &mut seen)?;
        }
        Ok(seen)
    }

    fn take(&self, batch: &RecordBatch, seen: &mut Seen) -> Result<()> {
        let rows = batch.num_rows();
        let times = match self.event_time {
            Some(column) => EventTimes::new(batch.column(column))?,
            None => EventTimes::none(rows),
        };
        let all = BooleanBuffer::new_set(rows);
        let satisfied = self.satisfied(batch)?.unwrap_or_else(|| all.clone());
        // Rows that match nothing are gone before the watermark on a side that
        // is not preserved, and are seen by it on one that is.
        let (reached, mut passing) = match self.preserved {
            true => (all, satisfied),
            false => {
                let matchable = self.matchable(batch, satisfied, &times)?;
                (matchable.clone(), matchable)
            }
        };
        if self.window.is_some() {
            // Without a time there is no window to be in.
            passing = and(&passing, times.nulls());
        }
        let stand_in = self.window.map(|width| times.window_ends(width));
        let stand_in = stand_in.as_ref().unwrap_or(&times);
        for row in reached.set_indices() {
            seen.max_time = seen.max_time.max(times.get(row));
            seen.times.push(stand_in.get(row));
            seen.passes.push(passing.value(row));
        }
        seen.passing.push(passing);
        Ok(())
    }

    /// The rows that satisfy the side's own conditions; none if all do.
    fn satisfied(&self, batch: &RecordBatch) -> Result<Option<BooleanBuffer>> {
        let mut satisfied = None;
        if let Some(filter) = &self.filter {
            let columns: Vec<ArrayRef> =
                filter.columns.iter().map(|&column| batch.column(column).clone()).collect();
            let outcome = filter.predicate.evaluate(&columns, batch.num_rows())?;
            if outcome.len() != batch.num_rows() {
                return Err(JoinError::Predicate(format!(
                    "a predicate gave {} values for {} rows",
                    outcome.len(),
                    batch.num_rows()
                )));
            }
            // Null is false.
            satisfied = Some(NullBuffer::new(and(outcome.values(), outcome.nulls())));
        }
        if !self.preserved {
            for &column in &self.not_null {
                let nulls = batch.column(column).logical_nulls();
                satisfied = NullBuffer::union(satisfied.as_ref(), nulls.as_ref());
            }
        }
        Ok(satisfied.map(NullBuffer::into_inner))
    }

    /// Of some rows, those that have the time and the keys to match anything.
    fn matchable(
        &self,
        batch: &RecordBatch,
        rows: BooleanBuffer,
        times: &EventTimes,
    ) -> Result<BooleanBuffer> {
        let rows = if self.needs_time { and(&rows, times.nulls()) } else { rows };
        let mask = BooleanArray::new(rows.clone(), None);
        let keys = self.keys.iter().map(|(column, to)| {
            let column = batch.column(*column);
            // A cast may fail on a row that does not come this far.
            let kept = if mask.true_count() == mask.len() {
                column.clone()
            } else {
                filter(column, &mask)?
            };
            cast(&kept, to, self.mode)
        });
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let Some(matchable) = self.encoder.encode(&keys, mask.true_count())?.matchable else {
            return Ok(rows);
        };
        let mut kept = matchable.iter();
        let still = rows.iter().map(|row| row && kept.next().unwrap_or(false));
        Ok(still.collect())
    }
}

fn and(rows: &BooleanBuffer, nulls: Option<&NullBuffer>) -> BooleanBuffer {
    match nulls {
        Some(nulls) => rows & nulls.inner(),
        None => rows.clone(),
    }
}
