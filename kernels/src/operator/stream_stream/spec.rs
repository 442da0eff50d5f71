//! What a stream-stream join is asked to do.

use arrow::datatypes::SchemaRef;

use crate::column::{OutputColumn, SideColumn};
use crate::error::Result;
use crate::join_type::JoinType;
use crate::null_equality::NullEquality;
use crate::output_mode::OutputMode;
use crate::predicate::Filter;
use crate::side::{Side, Sides};
use crate::spark::{self, CastMode};
use crate::time::{TimeCondition, WatermarkPolicy};

/// One of the two streams.
#[derive(Clone, Debug)]
pub struct Input {
    /// Schema of every batch.
    pub schema: SchemaRef,
    /// Position of the event time column, a timestamp or a date.
    pub event_time: Option<usize>,
    /// How far behind the greatest event time the watermark stays, in
    /// microseconds, of which whole milliseconds count. None: no watermark, so
    /// no row is ever late.
    pub watermark_delay: Option<i64>,
    /// Conjuncts of ON that read this side alone. A row that fails matches
    /// nothing: it is dropped, or output at once on a preserved side.
    pub filter: Option<Filter<usize>>,
    /// Columns without which a row matches nothing, because some conjunct of ON
    /// is never true when they are null (a comparison, not an `IS NULL` or
    /// `COALESCE`). Keys and the event time need not be named. On a side that
    /// is not preserved, rows with a null in them are dropped before the
    /// watermark sees them.
    pub not_null: Vec<usize>,
}

impl Input {
    /// A stream without event time.
    #[must_use]
    pub fn new(schema: SchemaRef) -> Self {
        Self { schema, event_time: None, watermark_delay: None, filter: None, not_null: Vec::new() }
    }

    /// A stream with an event time and, if a delay is given, a watermark.
    #[must_use]
    pub fn timed(schema: SchemaRef, event_time: usize, watermark_delay: Option<i64>) -> Self {
        Self { event_time: Some(event_time), watermark_delay, ..Self::new(schema) }
    }
}

/// A pair of key columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Position in the left schema.
    pub left: usize,
    /// Position in the right schema.
    pub right: usize,
    /// Whether null matches null.
    pub null_equality: NullEquality,
}

impl Key {
    /// `left = right`: nulls match nothing.
    #[must_use]
    pub fn equal(left: usize, right: usize) -> Self {
        Self { left, right, null_equality: NullEquality::NullMatchesNothing }
    }

    /// `left <=> right`: null matches null.
    #[must_use]
    pub fn null_safe(left: usize, right: usize) -> Self {
        Self { left, right, null_equality: NullEquality::NullSafe }
    }

    /// The column on one side.
    #[must_use]
    pub fn on(&self, side: Side) -> usize {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }
}

/// What the end of the streams does to the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum End {
    /// Nothing: the rows stay, as in a stream that goes on.
    #[default]
    Hold,
    /// The state is emptied, whatever the reason why a row was kept; each
    /// unmatched row of a preserved side is output once.
    Flush,
}

/// A stream-stream join: inputs, condition, output.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The input before `JOIN`.
    pub left: Input,
    /// The input after `JOIN`.
    pub right: Input,
    /// The join type.
    pub join_type: JoinType,
    /// Equality conditions, at least one; types are coerced as Spark does.
    /// Under a [`TimeKey`](crate::time::TimeKey) the pair of event times, or of
    /// columns that hold the start of their windows, is among them.
    pub keys: Vec<Key>,
    /// What the condition says about event time.
    pub time: TimeCondition,
    /// Conjuncts that read both sides, evaluated for candidate pairs.
    /// Dictionaries and run-end encoded columns are passed to it by value.
    pub residual: Option<Filter<SideColumn>>,
    /// How the watermarks of the two sides become one.
    pub policy: WatermarkPolicy,
    /// Whether a watermark that has moved takes effect at once, in a batch
    /// without input.
    pub no_data_batches: bool,
    /// What a consumer is promised.
    pub output_mode: OutputMode,
    /// The output's columns; [`spark::output_on`] and [`spark::output_using`]
    /// list SQL's. What neither output
    /// nor residual reads is not kept in state. Dictionaries and run-end
    /// encoded columns are output by value.
    pub output: Vec<OutputColumn<SideColumn>>,
    /// What a malformed value in a cast of a key does.
    pub cast_mode: CastMode,
}

impl Spec {
    /// A join `ON` the given keys and time condition, without further
    /// conditions, with all columns in the output.
    #[must_use]
    pub fn on(
        left: Input,
        right: Input,
        join_type: JoinType,
        keys: Vec<Key>,
        time: TimeCondition,
    ) -> Self {
        let inputs = Sides { left: &*left.schema, right: &*right.schema };
        let output = spark::output_on(join_type, inputs);
        Self {
            left,
            right,
            join_type,
            keys,
            time,
            residual: None,
            policy: WatermarkPolicy::default(),
            no_data_batches: true,
            output_mode: OutputMode::default(),
            output,
            cast_mode: CastMode::default(),
        }
    }

    /// As [`on`](Self::on), but `USING` the columns of these names, which both
    /// sides have and the output has once.
    ///
    /// # Errors
    /// [`JoinError::InvalidPlan`](crate::JoinError::InvalidPlan) if a name is
    /// missing on a side or ambiguous there.
    pub fn using(
        left: Input,
        right: Input,
        join_type: JoinType,
        names: &[impl AsRef<str>],
        time: TimeCondition,
    ) -> Result<Self> {
        let inputs = Sides { left: &*left.schema, right: &*right.schema };
        let keys = spark::using_keys(inputs, names)?;
        let keys = keys.into_iter().map(|key| Key::equal(key.left, key.right)).collect();
        let output = spark::output_using(join_type, inputs, names)?;
        Ok(Self { output, ..Self::on(left, right, join_type, keys, time) })
    }

    /// One of the inputs.
    #[must_use]
    pub fn input(&self, side: Side) -> &Input {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }
}
