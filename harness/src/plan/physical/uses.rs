//! What a plan retains although no emitted row needs it.

use super::prepare::Needed;
use super::width::row_bytes;
use crate::plan::bind::{BoundTable, InputColumn, Selection, schema_of};
use streamjoin_sql::{BoundExpr, Scope, ScopeColumn};

/// Columns that only the output's `where` uses, although it could be applied
/// before the join.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterOnly {
    /// Their names.
    pub columns: Vec<String>,
    /// Their width, as far as types say.
    pub row_bytes: u64,
    /// The condition, as it may stand before the join.
    pub condition: String,
}

/// What a join with a table retains without use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Retained for the output's `where` alone.
    pub filter_only: Option<FilterOnly>,
    /// Rows without a match are emitted too, and no column of the table is, nor
    /// is one used later.
    pub gives_nothing: bool,
}

/// Of each join. `needed` are the columns needed before each join and after the
/// last, `tables` those of each table; `without_filter` the latter if the
/// output's `where` did not count.
pub(super) fn of_tables(
    bound: &[BoundTable],
    output: &Selection,
    needed: &[Needed],
    tables: &[Needed],
    without_filter: &[Needed],
) -> Vec<Uses> {
    let homes = homes(bound, output);
    let uses = bound.iter().enumerate().map(|(at, table)| {
        let join = &table.join;
        let scope = &table.relation.scope;
        let of_this = !homes.is_empty() && homes.iter().all(|home| *home == Home::Table(at));
        let movable = of_this && !join.emits_unmatched();
        let only: Vec<usize> = tables[at]
            .positions()
            .filter(|column| !without_filter[at].as_slice().contains(column))
            .collect();
        let of_table = |position: usize| matches!(join.sources[position], InputColumn::Table(_));
        Uses {
            filter_only: if movable { filter_only(scope, &only, output) } else { None },
            gives_nothing: join.emits_unmatched() && !needed[at + 1].positions().any(of_table),
        }
    });
    uses.collect()
}

/// Of the rows before the joins, which an output's `where` over columns of
/// theirs may be `movable` to: those among `columns` that only it needs.
pub(super) fn of_first(
    first: &Scope,
    bound: &[BoundTable],
    output: &Selection,
    (columns, without_filter): (&Needed, &Needed),
    movable: impl Fn(usize) -> bool,
) -> Option<FilterOnly> {
    let homes = homes(bound, output);
    let movable = |home: &Home| matches!(home, Home::First(column) if movable(*column));
    if homes.is_empty() || !homes.iter().all(movable) {
        return None;
    }
    let only: Vec<usize> =
        columns.positions().filter(|column| !without_filter.as_slice().contains(column)).collect();
    filter_only(first, &only, output)
}

fn filter_only(scope: &Scope, columns: &[usize], output: &Selection) -> Option<FilterOnly> {
    let filter = output.filter.as_ref()?;
    if columns.is_empty() {
        return None;
    }
    let columns: Vec<_> = columns.iter().map(|&column| scope.columns[column].clone()).collect();
    Some(FilterOnly {
        columns: columns.iter().map(ScopeColumn::qualified_name).collect(),
        row_bytes: row_bytes(&schema_of(&Scope { columns })),
        condition: filter.to_string(),
    })
}

/// Where a column of the output's `where` comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// The rows before the joins: that column of theirs.
    First(usize),
    /// The table of the join of that number.
    Table(usize),
}

fn homes(bound: &[BoundTable], output: &Selection) -> Vec<Home> {
    let columns = output.filter.iter().flat_map(BoundExpr::columns);
    columns
        .map(|&column| {
            let mut column = column;
            for (at, table) in bound.iter().enumerate().rev() {
                match table.join.sources[column] {
                    InputColumn::Table(_) => return Home::Table(at),
                    InputColumn::Stream(before) => column = before,
                }
            }
            Home::First(column)
        })
        .collect()
}
