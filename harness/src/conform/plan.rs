//! A stream-static case as joins of the public operator.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema, SchemaRef};
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::stream_static::{self, KeyPair};
use streamjoin_kernels::{ColumnRef, JoinError, JoinType, OutputColumn, Side};

use super::case::{CaseSide, Join, StreamStaticQuery};
use super::{fields, value};
use streamjoin_sql::{self as sql, BoundExpr, JoinCondition, Scope};

/// Why a case cannot be started.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The query is refused: what an expected error looks like.
    Query(String),
    /// The case contradicts itself or its fields differ from its text.
    Case(String),
}

/// One join of the chain, without its operator.
pub(super) struct Step {
    /// Index of the table among the case's.
    pub(super) dimension: usize,
    pub(super) condition: JoinCondition,
    pub(super) stream_side: Side,
    spec: stream_static::Spec,
    stream_keys: Appended,
    dimension_keys: Appended,
}

impl Step {
    /// The operator of this step under `options`.
    pub(super) fn operator(
        &self,
        options: stream_static::Options,
    ) -> Result<stream_static::Join, JoinError> {
        stream_static::Join::new(self.spec.clone(), options)
    }

    /// Stream rows with the key expressions that are no plain columns.
    pub(super) fn prepare_stream(&self, batch: &RecordBatch) -> Result<RecordBatch, JoinError> {
        self.stream_keys.append(batch, &self.spec.stream_schema)
    }

    /// Table rows with the key expressions that are no plain columns.
    pub(super) fn prepare_dimension(&self, batch: &RecordBatch) -> Result<RecordBatch, JoinError> {
        self.dimension_keys.append(batch, &self.spec.table_schema)
    }
}

/// Expressions that become columns behind the input's own.
pub(super) struct Appended(pub(super) Vec<BoundExpr>);

impl Appended {
    pub(super) fn append(
        &self,
        batch: &RecordBatch,
        schema: &SchemaRef,
    ) -> Result<RecordBatch, JoinError> {
        let mut columns = batch.columns().to_vec();
        for expr in &self.0 {
            let inputs: Vec<ArrayRef> =
                expr.columns().iter().map(|column| batch.column(*column).clone()).collect();
            columns.push(expr.evaluate(&inputs, batch.num_rows())?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
    }

    /// Position of `expr` among `own` columns and those that are appended.
    pub(super) fn position(&mut self, expr: &BoundExpr, own: usize) -> usize {
        expr.as_column().unwrap_or_else(|| {
            self.0.push(expr.clone());
            own + self.0.len() - 1
        })
    }

    pub(super) fn schema(&self, scope: &Scope) -> SchemaRef {
        let own = scope
            .columns
            .iter()
            .map(|column| Field::new(&column.name, column.data_type.clone(), column.nullable));
        let appended = self.0.iter().enumerate().map(|(i, expr)| {
            Field::new(format!("key {i}"), expr.data_type().clone(), expr.nullable())
        });
        Arc::new(Schema::new(own.chain(appended).collect::<Vec<_>>()))
    }
}

/// Binds every join of the case; `schemas` are the types in which the stream
/// and the tables come.
pub(super) fn bind(
    query: &StreamStaticQuery,
    stream_schema: &SchemaRef,
    dimension_schemas: &[SchemaRef],
) -> Result<Vec<Step>, Refusal> {
    let mode = mode(query);
    let mut stream = Scope::of_schema("s", stream_schema);
    let mut steps = Vec::with_capacity(query.joins.len());
    for (i, join) in query.joins.iter().enumerate() {
        let dimension =
            query.dims.iter().position(|dimension| dimension.name == join.dim).ok_or_else(
                || Refusal::Case(format!("join {i}: there is no dimension {}", join.dim)),
            )?;
        let stream_side = match (i, query.stream_side) {
            (0, CaseSide::Right) => Side::Right,
            _ => Side::Left,
        };
        let table = Scope::of_schema(&format!("d{i}"), &dimension_schemas[dimension]);
        let step = bind_join(join, stream_side, &stream, &table, dimension, mode)?;
        // Spark plans a join before it refuses it: so does the operator.
        let operator =
            step.operator(stream_static::Options::default()).map_err(|error| refused(&error))?;
        stream = Scope::of_schema(&format!("j{}", i + 1), operator.output_schema());
        steps.push(step);
    }
    Ok(steps)
}

pub(super) fn mode(query: &StreamStaticQuery) -> CastMode {
    if query.ansi { CastMode::Ansi } else { CastMode::NullOnError }
}

pub(super) fn refused(error: &JoinError) -> Refusal {
    Refusal::Query(error.to_string())
}

fn bind_join(
    join: &Join,
    stream_side: Side,
    stream: &Scope,
    table: &Scope,
    dimension: usize,
    mode: CastMode,
) -> Result<Step, Refusal> {
    let join_type: JoinType = join.join_type.parse().map_err(|error| refused(&error))?;
    let (left, right) = match stream_side {
        Side::Left => (stream, table),
        Side::Right => (table, stream),
    };
    let sql_error = |error: sql::SqlError| Refusal::Query(error.to_string());
    let condition = match &join.condition_sql {
        None => JoinCondition::default(),
        Some(text) => sql::stream_static_condition(text, left, right, mode).map_err(sql_error)?,
    };
    let using = &condition.using;
    fields::check_keys(join, &condition, left, right).map_err(Refusal::Case)?;

    let (mut stream_keys, mut dimension_keys) = (Appended(Vec::new()), Appended(Vec::new()));
    let keys = condition
        .keys
        .iter()
        .map(|key| {
            let (of_stream, of_table) = match stream_side {
                Side::Left => (&key.left, &key.right),
                Side::Right => (&key.right, &key.left),
            };
            KeyPair {
                stream: stream_keys.position(of_stream, stream.columns.len()),
                table: dimension_keys.position(of_table, table.columns.len()),
                null_equality: key.null_equality,
            }
        })
        .collect();
    let on_side = |side: Side, column: usize| {
        if side == stream_side { ColumnRef::Stream(column) } else { ColumnRef::Table(column) }
    };
    let one_sided = |expr: &Option<BoundExpr>, side: Side| {
        expr.as_ref().map(|expr| expr.to_filter(|column| on_side(side, column)))
    };
    let left_filter = one_sided(&condition.left_filter, Side::Left);
    let right_filter = one_sided(&condition.right_filter, Side::Right);
    let (stream_filter, dimension_filter) = match stream_side {
        Side::Left => (left_filter, right_filter),
        Side::Right => (right_filter, left_filter),
    };
    let lefts = left.columns.len();
    let residual = condition.residual.as_ref().map(|expr| {
        expr.to_filter(|column| match column.checked_sub(lefts) {
            None => on_side(Side::Left, column),
            Some(column) => on_side(Side::Right, column),
        })
    });
    let (own_stream, own_table) =
        (Appended(Vec::new()).schema(stream), Appended(Vec::new()).schema(table));
    let output: Vec<OutputColumn> = match using {
        Some(names) => {
            stream_static::output_using(join_type, stream_side, &own_stream, &own_table, names)
                .map_err(|error| refused(&error))?
        }
        None => stream_static::output_on(join_type, stream_side, &own_stream, &own_table),
    };
    let spec = stream_static::Spec {
        stream_schema: stream_keys.schema(stream),
        table_schema: dimension_keys.schema(table),
        join_type,
        stream_side,
        keys,
        stream_filter,
        table_filter: dimension_filter,
        residual,
        output,
        cast_mode: mode,
    };
    Ok(Step { dimension, condition, stream_side, spec, stream_keys, dimension_keys })
}

/// The schema of the case's stream and of its tables, as they are recorded.
pub(super) fn schemas(query: &StreamStaticQuery) -> Result<(SchemaRef, Vec<SchemaRef>), String> {
    let stream = value::schema(&query.stream.schema)?;
    let dimensions = query
        .dims
        .iter()
        .map(|dimension| value::schema(&dimension.schema))
        .collect::<Result<_, _>>()?;
    Ok((stream, dimensions))
}
