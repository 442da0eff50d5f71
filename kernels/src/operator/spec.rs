//! What a stream-static join is asked to do.

use arrow::datatypes::SchemaRef;

use crate::join_type::JoinType;
use crate::key::CastMode;
use crate::null_equality::NullEquality;
use crate::probe::{ColumnRef, Filter};
use crate::side::Side;

/// A pair of key columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPair {
    /// Position in the stream's schema.
    pub stream: usize,
    /// Position in the dimension's schema.
    pub dimension: usize,
    /// Whether null matches null.
    pub null_equality: NullEquality,
}

impl KeyPair {
    /// `stream = dimension`: nulls match nothing.
    #[must_use]
    pub fn equal(stream: usize, dimension: usize) -> Self {
        Self { stream, dimension, null_equality: NullEquality::NullMatchesNothing }
    }

    /// `stream <=> dimension`: null matches null.
    #[must_use]
    pub fn null_safe(stream: usize, dimension: usize) -> Self {
        Self { stream, dimension, null_equality: NullEquality::NullSafe }
    }
}

/// A column of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputColumn<C = ColumnRef> {
    /// Where its values come from.
    pub source: C,
    /// Its name; names may repeat, as in SQL.
    pub name: String,
}

/// A stream-static join: inputs, condition, output.
#[derive(Clone, Debug)]
pub struct StreamStaticSpec {
    /// Schema of every micro-batch.
    pub stream_schema: SchemaRef,
    /// Schema of every version of the table.
    pub dimension_schema: SchemaRef,
    /// The join type, in terms of the query's left and right.
    pub join_type: JoinType,
    /// The query's side on which the stream stands.
    pub stream_side: Side,
    /// Equality conditions; types are coerced as Spark does. Empty: every pair
    /// of rows is a candidate.
    pub keys: Vec<KeyPair>,
    /// Condition on stream columns alone: a row that fails matches nothing.
    pub stream_filter: Option<Filter>,
    /// Condition on dimension columns alone, applied when a table is built.
    pub dimension_filter: Option<Filter>,
    /// Condition on both sides, evaluated for candidate pairs.
    pub residual: Option<Filter>,
    /// The output's columns. See [`output_on`](super::output_on) and
    /// [`output_using`](super::output_using) for SQL's.
    pub output: Vec<OutputColumn>,
    /// What a malformed value in a cast of a key does.
    pub cast_mode: CastMode,
}

impl StreamStaticSpec {
    /// An inner, outer, semi or anti join `ON` the given keys, without further
    /// conditions, with the stream on the left and all columns in the output.
    #[must_use]
    pub fn on(
        stream_schema: SchemaRef,
        dimension_schema: SchemaRef,
        join_type: JoinType,
        keys: Vec<KeyPair>,
    ) -> Self {
        let output = super::output_on(join_type, Side::Left, &stream_schema, &dimension_schema);
        Self {
            stream_schema,
            dimension_schema,
            join_type,
            stream_side: Side::Left,
            keys,
            stream_filter: None,
            dimension_filter: None,
            residual: None,
            output,
            cast_mode: CastMode::default(),
        }
    }
}
