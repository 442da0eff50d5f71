//! What a stream-static join is asked to do.

use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};

use super::output::{output_on, output_using};
use crate::column::{ColumnRef, OutputColumn};
use crate::column_id::ColumnId;
use crate::error::Result;
use crate::join_type::JoinType;
use crate::key_pair::{KeyPair, resolve_keys};
use crate::predicate::{Filter, Predicate};
use crate::side::{Side, Sides};
use crate::spark::{self, CastMode};

/// A stream-static join: inputs, condition, output. Columns are given by name or
/// by position, and kept by position.
///
/// ```
/// use std::sync::Arc;
/// use streamjoin_kernels::arrow::datatypes::{DataType, Field, Schema};
/// use streamjoin_kernels::{ColumnRef::{Stream, Table}, JoinType, Result};
/// use streamjoin_kernels::stream_static::Spec;
///
/// # fn main() -> Result<()> {
/// let schema = |names: [&str; 3]| {
///     Arc::new(Schema::new(names.map(|name| Field::new(name, DataType::Int64, true)).to_vec()))
/// };
/// let (orders, users) = (schema(["user", "item", "at"]), schema(["id", "age", "country"]));
/// let spec = Spec::on(orders, users, JoinType::LeftOuter, [("user", "id")])?
///     .select([("who", Stream("user")), ("at", Stream("at")), ("from", Table("country"))])?;
/// assert_eq!(spec.output[2].source, Table(2));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Spec {
    /// Schema of every micro-batch.
    pub stream_schema: SchemaRef,
    /// Schema of every version of the table.
    pub table_schema: SchemaRef,
    /// The join type, in terms of the query's left and right.
    pub join_type: JoinType,
    /// The query's side on which the stream stands.
    pub stream_side: Side,
    /// Equality conditions, the column of the stream first; types are coerced as
    /// Spark does. Empty: every pair of rows is a candidate.
    pub keys: Vec<KeyPair>,
    /// Condition on stream columns alone: a row that fails matches nothing.
    pub stream_filter: Option<Filter>,
    /// Condition on table columns alone, applied when a table is built.
    pub table_filter: Option<Filter>,
    /// Condition on both sides, evaluated for candidate pairs.
    pub residual: Option<Filter>,
    /// The output's columns. [`output_on`] and [`output_using`] list SQL's.
    pub output: Vec<OutputColumn>,
    /// What a malformed value in a cast of a key does.
    pub cast_mode: CastMode,
}

impl Spec {
    /// A join `ON` pairs of columns that are equal, that of the stream first,
    /// such as `[("user", "id")]`. There are no further conditions, the stream is
    /// on the left, and all columns are in the output.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn on<S: ColumnId, T: ColumnId>(
        stream_schema: SchemaRef,
        table_schema: SchemaRef,
        join_type: JoinType,
        keys: impl IntoIterator<Item = impl Into<KeyPair<S, T>>>,
    ) -> Result<Self> {
        let keys = resolve_keys(keys, inputs(&stream_schema, &table_schema))?;
        Ok(Self { keys, ..Self::without_keys(stream_schema, table_schema, join_type) })
    }

    /// As [`on`](Self::on), but `USING` the columns of these names, which both
    /// sides have and the output has once.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn using(
        stream_schema: SchemaRef,
        table_schema: SchemaRef,
        join_type: JoinType,
        names: &[impl AsRef<str>],
    ) -> Result<Self> {
        let inputs = Sides { left: &*stream_schema, right: &*table_schema };
        let keys = spark::using_keys(inputs, names)?;
        let output = output_using(join_type, Side::Left, &stream_schema, &table_schema, names)?;
        let spec = Self::without_keys(stream_schema, table_schema, join_type);
        Ok(Self { keys, output, ..spec })
    }

    /// A join without an equality: every pair of rows is a candidate, which the
    /// residual condition, if there is one, may reject.
    #[must_use]
    pub fn without_keys(
        stream_schema: SchemaRef,
        table_schema: SchemaRef,
        join_type: JoinType,
    ) -> Self {
        let output = output_on(join_type, Side::Left, &stream_schema, &table_schema);
        Self {
            stream_schema,
            table_schema,
            join_type,
            stream_side: Side::Left,
            keys: Vec::new(),
            stream_filter: None,
            table_filter: None,
            residual: None,
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
        columns: impl IntoIterator<Item = (impl Into<String>, ColumnRef<C>)>,
    ) -> Result<Self> {
        let column = |(name, source): (_, ColumnRef<C>)| {
            Ok(OutputColumn { source: self.resolve(&source)?, name: Into::into(name) })
        };
        self.output = columns.into_iter().map(column).collect::<Result<_>>()?;
        Ok(self)
    }

    /// With the stream on this side of the query, in whose terms the
    /// join type is. The output keeps its order.
    #[must_use]
    pub fn with_stream_side(self, stream_side: Side) -> Self {
        Self { stream_side, ..self }
    }

    /// With a condition on these columns of the stream: a row that fails
    /// matches nothing.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn with_stream_filter(
        self,
        columns: impl IntoIterator<Item = impl ColumnId>,
        predicate: Arc<dyn Predicate>,
    ) -> Result<Self> {
        let columns = columns.into_iter().map(ColumnRef::Stream);
        let filter = self.filter(columns, predicate)?;
        Ok(Self { stream_filter: Some(filter), ..self })
    }

    /// With a condition on these columns of the table: rows that fail
    /// are left out when it is built.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn with_table_filter(
        self,
        columns: impl IntoIterator<Item = impl ColumnId>,
        predicate: Arc<dyn Predicate>,
    ) -> Result<Self> {
        let columns = columns.into_iter().map(ColumnRef::Table);
        let filter = self.filter(columns, predicate)?;
        Ok(Self { table_filter: Some(filter), ..self })
    }

    /// With a condition on these columns of both, evaluated for pairs
    /// of rows with equal keys.
    ///
    /// # Errors
    /// Those of [`ColumnId::position`].
    pub fn with_residual<C: ColumnId>(
        self,
        columns: impl IntoIterator<Item = ColumnRef<C>>,
        predicate: Arc<dyn Predicate>,
    ) -> Result<Self> {
        let filter = self.filter(columns, predicate)?;
        Ok(Self { residual: Some(filter), ..self })
    }

    /// With this treatment of malformed values in casts of keys.
    #[must_use]
    pub fn with_cast_mode(self, cast_mode: CastMode) -> Self {
        Self { cast_mode, ..self }
    }

    fn filter<C: ColumnId>(
        &self,
        columns: impl IntoIterator<Item = ColumnRef<C>>,
        predicate: Arc<dyn Predicate>,
    ) -> Result<Filter> {
        let columns = columns.into_iter().map(|column| self.resolve(&column));
        Ok(Filter { columns: columns.collect::<Result<_>>()?, predicate })
    }

    /// The position of a column in its input.
    pub(super) fn resolve<C: ColumnId>(&self, column: &ColumnRef<C>) -> Result<ColumnRef> {
        let [stream, table] = inputs(&self.stream_schema, &self.table_schema);
        Ok(match column {
            ColumnRef::Stream(id) => ColumnRef::Stream(id.position(stream.0, stream.1)?),
            ColumnRef::Table(id) => ColumnRef::Table(id.position(table.0, table.1)?),
            ColumnRef::StreamRow => ColumnRef::StreamRow,
        })
    }
}

/// The two inputs, as errors call them.
fn inputs<'a>(stream: &'a Schema, table: &'a Schema) -> [(&'static str, &'a Schema); 2] {
    [("the stream", stream), ("the table", table)]
}
