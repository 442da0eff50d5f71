//! What a stream-stream join is asked to do.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;

use crate::column::{OutputColumn, SideColumn};
use crate::column_id::ColumnId;
use crate::error::Result;
use crate::join_type::JoinType;
use crate::key_pair::{KeyPair, resolve_keys};
use crate::operator::columns::resolve_all;
use crate::output_mode::OutputMode;
use crate::predicate::{Filter, Predicate};
use crate::side::{Side, Sides};
use crate::spark::{self, CastMode};
use crate::time::{TimeCondition, TimeDelta, WatermarkPolicy};

/// One of the two streams. Columns are given by name or by position, and kept by
/// position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Input {
    /// Schema of every batch.
    pub schema: SchemaRef,
    /// Position of the event time column, a timestamp or a date.
    pub event_time: Option<usize>,
    /// How far behind the greatest event time the watermark stays; whole
    /// milliseconds count. None: no watermark, so no row is ever late.
    pub watermark_delay: Option<TimeDelta>,
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

    /// With this column as its event time.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn with_event_time(self, column: impl ColumnId) -> Result<Self> {
        Ok(Self { event_time: Some(column.position(THE_INPUT, &self.schema)?), ..self })
    }

    /// With a watermark that stays this far behind the greatest event time. It starts
    /// at 1970: rows at or before that are late, and test data that counts from 0
    /// loses its first rows ([rule 12](crate::rules#rule-12)).
    #[must_use]
    pub fn with_watermark_delay(self, delay: impl Into<TimeDelta>) -> Self {
        Self { watermark_delay: Some(delay.into()), ..self }
    }

    /// With a condition on these columns: a row that fails matches
    /// nothing.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn with_filter(
        self,
        columns: impl IntoIterator<Item = impl ColumnId>,
        predicate: Arc<dyn Predicate>,
    ) -> Result<Self> {
        let columns = resolve_all(columns, THE_INPUT, &self.schema)?;
        Ok(Self { filter: Some(Filter { columns, predicate }), ..self })
    }

    /// Where a null in one of these columns keeps a row from matching.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn with_not_null(self, columns: impl IntoIterator<Item = impl ColumnId>) -> Result<Self> {
        let not_null = resolve_all(columns, THE_INPUT, &self.schema)?;
        Ok(Self { not_null, ..self })
    }
}

/// What errors call an input that is on neither side yet.
const THE_INPUT: &str = "the input";

/// What the end of the streams does to the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum End {
    /// Nothing: the rows stay, as in a stream that goes on.
    #[default]
    Hold,
    /// The state is emptied, whatever the reason why a row was kept; each
    /// unmatched row of a preserved side is output once.
    Flush,
}

/// A stream-stream join: inputs, condition, output. Columns are given by name or
/// by position, and kept by position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Spec {
    /// The input before `JOIN`.
    pub left: Input,
    /// The input after `JOIN`.
    pub right: Input,
    /// The join type.
    pub join_type: JoinType,
    /// Equality conditions, at least one, the column of the left side first; types
    /// are coerced as Spark does.
    /// Under a [`TimeKey`](crate::time::TimeKey) the pair of event times, or of
    /// columns that hold the start of their windows, is among them.
    pub keys: Vec<KeyPair>,
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
    /// A join `ON` pairs of columns that are equal, that of the left side first,
    /// such as `[("ad", "ad")]`, and this condition on event time. There are no
    /// further conditions, and all columns are in the output.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn on<L: ColumnId, R: ColumnId>(
        left: Input,
        right: Input,
        join_type: JoinType,
        keys: impl IntoIterator<Item = impl Into<KeyPair<L, R>>>,
        time: impl Into<TimeCondition>,
    ) -> Result<Self> {
        let schemas = Sides { left: &*left.schema, right: &*right.schema };
        let inputs = [("the left side", schemas.left), ("the right side", schemas.right)];
        let keys = resolve_keys(keys, inputs)?;
        let output = spark::output_on(join_type, schemas);
        Ok(Self::new(left, right, join_type, keys, time.into(), output))
    }

    /// As [`on`](Self::on), but `USING` the columns of these names, which both
    /// sides have and the output has once.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn using(
        left: Input,
        right: Input,
        join_type: JoinType,
        names: &[impl AsRef<str>],
        time: impl Into<TimeCondition>,
    ) -> Result<Self> {
        let schemas = Sides { left: &*left.schema, right: &*right.schema };
        let keys = spark::using_keys(schemas, names)?;
        let output = spark::output_using(join_type, schemas, names)?;
        Ok(Self::new(left, right, join_type, keys, time.into(), output))
    }

    fn new(
        left: Input,
        right: Input,
        join_type: JoinType,
        keys: Vec<KeyPair>,
        time: TimeCondition,
        output: Vec<OutputColumn<SideColumn>>,
    ) -> Self {
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

    /// With these columns in the output, each as its name there and
    /// where its values come from.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn select<C: ColumnId>(
        mut self,
        columns: impl IntoIterator<Item = (impl Into<String>, SideColumn<C>)>,
    ) -> Result<Self> {
        let column = |(name, source): (_, SideColumn<C>)| {
            Ok(OutputColumn { source: self.resolve(&source)?, name: Into::into(name) })
        };
        self.output = columns.into_iter().map(column).collect::<Result<_>>()?;
        Ok(self)
    }

    /// With a condition on these columns of both sides, evaluated for
    /// pairs of rows with equal keys, inside the interval.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn with_residual<C: ColumnId>(
        self,
        columns: impl IntoIterator<Item = SideColumn<C>>,
        predicate: Arc<dyn Predicate>,
    ) -> Result<Self> {
        let columns = columns.into_iter().map(|column| self.resolve(&column));
        let columns = columns.collect::<Result<_>>()?;
        Ok(Self { residual: Some(Filter { columns, predicate }), ..self })
    }

    /// With this policy.
    #[must_use]
    pub fn with_policy(self, policy: WatermarkPolicy) -> Self {
        Self { policy, ..self }
    }

    /// With or without batches that have no input.
    #[must_use]
    pub fn with_no_data_batches(self, no_data_batches: bool) -> Self {
        Self { no_data_batches, ..self }
    }

    /// With this output mode.
    #[must_use]
    pub fn with_output_mode(self, output_mode: OutputMode) -> Self {
        Self { output_mode, ..self }
    }

    /// With this treatment of malformed values in casts of keys.
    #[must_use]
    pub fn with_cast_mode(self, cast_mode: CastMode) -> Self {
        Self { cast_mode, ..self }
    }

    /// One of the inputs.
    #[must_use]
    pub fn input(&self, side: Side) -> &Input {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// The position of a column in its input.
    pub(super) fn resolve<C: ColumnId>(&self, column: &SideColumn<C>) -> Result<SideColumn> {
        let SideColumn { side, ref column } = *column;
        let schema = &self.input(side).schema;
        Ok(SideColumn { side, column: column.position(&format!("the {side} side"), schema)? })
    }
}
