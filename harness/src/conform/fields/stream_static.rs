//! The conditions of joins with tables.

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use streamjoin_kernels::Side;
use streamjoin_kernels::spark::CastMode;

use super::{Filter, check_keys, filters};
use crate::conform::case::StreamStaticQuery;
use crate::conform::input::Input;
use crate::plan::{BoundStream, BoundStreamStatic, BoundTable, InputColumn};
use streamjoin_sql::Scope;

pub(super) fn check(
    query: &StreamStaticQuery,
    stream: &BoundStream,
    joins: &[BoundTable],
    input: &Input,
) -> Result<(), String> {
    let mut scope = &stream.relation.scope;
    for (i, (join, bound)) in query.joins.iter().zip(joins).enumerate() {
        let (of_stream, of_table) = (scope, &bound.relation.scope);
        let keys = bound.join.keys.iter();
        let keys = keys.map(|key| (&key.stream, &key.table, key.null_equality));
        let checked = match bound.join.stream_side {
            Side::Left => check_keys(&join.condition, keys, (of_stream, of_table), str::to_owned),
            Side::Right => {
                let keys = keys.map(|(stream, table, nulls)| (table, stream, nulls));
                check_keys(&join.condition, keys, (of_table, of_stream), str::to_owned)
            }
        };
        checked.map_err(|error| format!("join {i}: {error}"))?;
        scope = &bound.join.output;
    }
    for batch in input.executed() {
        check_filters(query, stream, joins, input, batch)?;
    }
    Ok(())
}

/// The filters, on the rows of one input batch and of the tables that it sees.
fn check_filters(
    query: &StreamStaticQuery,
    stream: &BoundStream,
    joins: &[BoundTable],
    input: &Input,
    batch: usize,
) -> Result<(), String> {
    let mode = if query.ansi { CastMode::Ansi } else { CastMode::NullOnError };
    let mut so_far = filters::seen(&stream.relation, &input.streams[0].parts[batch])?;
    for (i, (join, bound)) in query.joins.iter().zip(joins).enumerate() {
        let at = query.dims.iter().position(|dimension| dimension.name == join.dim);
        let at = at.ok_or_else(|| format!("there is no dimension {}", join.dim))?;
        let version = query.dims[at].version_seen(batch)?;
        let table = filters::seen(&bound.relation, &input.tables[at].parts[version])?;
        let sides = match bound.join.stream_side {
            Side::Left => (&so_far, &table),
            Side::Right => (&table, &so_far),
        };
        filters::check(&join.condition.filters, &bound_filters(&bound.join), sides, mode)
            .map_err(|error| format!("join {i}: {error}"))?;
        so_far = next_to_each_other(&bound.join, &so_far, &table)?;
    }
    Ok(())
}

fn bound_filters(join: &BoundStreamStatic) -> Vec<Filter<'_>> {
    let side = |column: &InputColumn| match *column {
        InputColumn::Stream(column) => (join.stream_side, column),
        InputColumn::Table(column) => (join.stream_side.opposite(), column),
    };
    let of_stream = join.stream_filter.iter().map(|filter| {
        (filter, filter.columns().iter().map(|&c| side(&InputColumn::Stream(c))).collect())
    });
    let of_table = join.table_filter.iter().map(|filter| {
        (filter, filter.columns().iter().map(|&c| side(&InputColumn::Table(c))).collect())
    });
    let of_both = join
        .residual
        .iter()
        .map(|residual| (&residual.predicate, residual.columns.iter().map(side).collect()));
    of_stream.chain(of_table).chain(of_both).collect()
}

/// Rows as the next join sees them: those of the stream beside those of the
/// table, whether they match or not.
fn next_to_each_other(
    join: &BoundStreamStatic,
    stream: &RecordBatch,
    table: &RecordBatch,
) -> Result<RecordBatch, String> {
    let rows = stream.num_rows().max(table.num_rows());
    let repeated = |batch: &RecordBatch| {
        // Of no rows null, as where an outer join finds no match.
        let positions = (0..rows).map(|row| Some(row.checked_rem(batch.num_rows())? as u32));
        take_record_batch(batch, &positions.collect::<UInt32Array>())
            .map_err(|error| error.to_string())
    };
    let (stream, table) = (repeated(stream)?, repeated(table)?);
    let columns = join.sources.iter().map(|source| match *source {
        InputColumn::Stream(column) => stream.column(column).clone(),
        InputColumn::Table(column) => table.column(column).clone(),
    });
    batch_of(&join.output, columns.collect())
}

fn batch_of(scope: &Scope, columns: Vec<arrow::array::ArrayRef>) -> Result<RecordBatch, String> {
    let names = scope.columns.iter().map(|column| column.name.clone());
    let columns = names.zip(columns).map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| error.to_string())
}
