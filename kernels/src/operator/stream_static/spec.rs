//! What a stream-static join is asked to do.

use arrow::datatypes::SchemaRef;

use super::output::{output_on, output_using};
use crate::column::OutputColumn;
use crate::error::Result;
use crate::join_type::JoinType;
use crate::null_equality::NullEquality;
use crate::predicate::Filter;
use crate::side::{Side, Sides};
use crate::spark::{self, CastMode};

/// A pair of key columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPair {
    /// Position in the stream's schema.
    pub stream: usize,
    /// Position in the table's schema.
    pub table: usize,
    /// Whether null matches null.
    pub null_equality: NullEquality,
}

impl KeyPair {
    /// `stream = table`: nulls match nothing.
    #[must_use]
    pub fn equal(stream: usize, table: usize) -> Self {
        Self { stream, table, null_equality: NullEquality::NullMatchesNothing }
    }

    /// `stream <=> table`: null matches null.
    #[must_use]
    pub fn null_safe(stream: usize, table: usize) -> Self {
        Self { stream, table, null_equality: NullEquality::NullSafe }
    }
}

/// A stream-static join: inputs, condition, output.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Schema of every micro-batch.
    pub stream_schema: SchemaRef,
    /// Schema of every version of the table.
    pub table_schema: SchemaRef,
    /// The join type, in terms of the query's left and right.
    pub join_type: JoinType,
    /// The query's side on which the stream stands.
    pub stream_side: Side,
    /// Equality conditions; types are coerced as Spark does. Empty: every pair
    /// of rows is a candidate.
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
    /// A join `ON` the given keys, without further conditions, with the stream
    /// on the left and all columns in the output.
    #[must_use]
    pub fn on(
        stream_schema: SchemaRef,
        table_schema: SchemaRef,
        join_type: JoinType,
        keys: Vec<KeyPair>,
    ) -> Self {
        let output = output_on(join_type, Side::Left, &stream_schema, &table_schema);
        Self {
            stream_schema,
            table_schema,
            join_type,
            stream_side: Side::Left,
            keys,
            stream_filter: None,
            table_filter: None,
            residual: None,
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
        stream_schema: SchemaRef,
        table_schema: SchemaRef,
        join_type: JoinType,
        names: &[impl AsRef<str>],
    ) -> Result<Self> {
        let inputs = Sides { left: &*stream_schema, right: &*table_schema };
        let keys = spark::using_keys(inputs, names)?;
        let keys = keys.into_iter().map(|key| KeyPair::equal(key.left, key.right)).collect();
        let output = output_using(join_type, Side::Left, &stream_schema, &table_schema, names)?;
        Ok(Self { output, ..Self::on(stream_schema, table_schema, join_type, keys) })
    }
}
