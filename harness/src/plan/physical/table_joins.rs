//! Joins with tables, one after the other: which columns travel, where, and no others.

use std::collections::BTreeSet;

use arrow::datatypes::{DataType, Field};
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::stream_static;
use streamjoin_kernels::{ColumnRef, Filter, KeyPair, OutputColumn};

use super::carry;
use super::prepare::Needed;
use super::table_rows::TableColumns;
use super::uses::{self, Uses};
use crate::plan::bind::{BoundStreamStatic, BoundTable, InputColumn, Origin, Selection, field};
use crate::plan::computed::Computed;
use crate::plan::projector::{Item, Projector};
use streamjoin_sql::{BoundExpr, Scope};

/// One join as the kernels take it.
#[derive(Clone, Debug)]
pub struct KernelJoin {
    /// From the rows before this join to its stream side (computed keys).
    pub input: Projector,
    /// From the table's rows to its table side (computed keys).
    pub table: TableColumns,
    /// The join.
    pub spec: stream_static::Spec,
    /// What it retains although nothing needs it.
    pub uses: Uses,
    /// Where the carried columns stand in the stream side; empty unless they are
    /// carried.
    pub carried: Vec<Option<usize>>,
}

/// From the last join's rows to what is emitted.
#[derive(Clone, Debug)]
pub struct OutputPlan {
    /// Rows to emit.
    pub filter: Option<Computed>,
    /// Columns to emit.
    pub columns: Projector,
    /// Columns of the last join that are null where an outer join found no match.
    pub markers: Vec<usize>,
    /// How unmatched rows are counted.
    pub unmatched: Unmatched,
}

/// How output rows that are unmatched in at least one join are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmatched {
    /// No join emits an unmatched row.
    None,
    /// An anti join emits nothing else.
    All,
    /// As the only join's own count says.
    AsJoined,
    /// Rows that are null in a marker.
    ByMarkers,
}

/// Several joins with tables, with the stream columns that the first one takes.
#[derive(Clone, Debug)]
pub(super) struct TableJoins {
    /// Columns of the first scope that are needed.
    pub(super) stream: Needed,
    /// Those that would be needed without the output's `where`.
    pub(super) stream_without_filter: Needed,
    /// Whether a marker of the join before them follows these: a column of
    /// booleans, null where that join found no match.
    pub(super) marked: bool,
    /// The joins in order.
    pub(super) joins: Vec<KernelJoin>,
    /// What is emitted.
    pub(super) output: OutputPlan,
}

/// What comes before the joins with tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// A stream, or a join that emits matched rows only.
    Matched,
    /// A join of streams that emits unmatched rows too.
    Outer,
    /// A join of streams that emits nothing else.
    Anti,
}

/// How the output shows whether one join found a match.
enum Marker {
    /// It emits no unmatched row, or they are counted otherwise.
    None,
    /// A column of the last join's scope.
    Column(usize),
    /// A column of its own that travels to the end.
    Extra,
}

impl TableJoins {
    /// Plans the joins over rows whose columns are `first`; with `carry` all of these
    /// travel up to the last join.
    pub(super) fn new(
        first: &Scope,
        before: Before,
        bound: &[BoundTable],
        output: &Selection,
        mode: CastMode,
        carry: bool,
    ) -> Self {
        let unmatched = unmatched(before, bound, output);
        let marked = before == Before::Outer && unmatched == Unmatched::ByMarkers;
        let selected: BTreeSet<usize> =
            output.columns.iter().flat_map(|selected| selected.origin.columns()).copied().collect();
        let mut given = selected.clone();
        given.extend(output.filter.iter().flat_map(BoundExpr::columns));
        let markers = markers(bound, &given, unmatched);
        let positions = if carry { carry::positions(first, bound) } else { Vec::new() };
        let (mut needed, tables) = needs(bound, given, &positions);
        let (without_filter, tables_without) = needs(bound, selected, &[]);
        let uses = uses::of_tables(bound, output, &needed, &tables, &tables_without);
        if carry && bound.is_empty() {
            needed = vec![Needed::from((0..carry::seen(first).len()).collect::<BTreeSet<_>>())];
        }
        let mut joins = Vec::with_capacity(bound.len());
        let mut extras = usize::from(marked);
        for (at, table) in bound.iter().enumerate() {
            let scope = match at.checked_sub(1) {
                Some(before) => &bound[before].join.output,
                None => first,
            };
            let extra = matches!(markers[at], Marker::Extra);
            let step = Step {
                bound: table,
                scope,
                input: &needed[at],
                output: &needed[at + 1],
                table: &tables[at],
                extras,
                mode,
                uses: &uses[at],
                carried: positions.get(at).map_or(&[], Vec::as_slice),
            };
            joins.push(step.plan(extra));
            extras += usize::from(extra);
        }
        let last = &needed[bound.len()];
        let columns = output.columns.iter().map(|selected| {
            (field(&selected.column), Item::Value(selected.origin.value(|column| last.at(column))))
        });
        let found = markers.iter().filter_map(|marker| match marker {
            Marker::Column(column) => Some(last.at(*column)),
            Marker::None | Marker::Extra => None,
        });
        Self {
            output: OutputPlan {
                filter: output.filter.as_ref().map(|f| Computed::new(f, |c| last.at(c))),
                columns: Projector::new(columns.collect(), last.len() + extras),
                markers: found.chain(last.len()..last.len() + extras).collect(),
                unmatched,
            },
            stream: needed.into_iter().next().unwrap_or_default(),
            stream_without_filter: without_filter.into_iter().next().unwrap_or_default(),
            marked,
            joins,
        }
    }
}

fn unmatched(before: Before, bound: &[BoundTable], output: &Selection) -> Unmatched {
    let anti = |d: &BoundTable| d.join.join_type == streamjoin_kernels::JoinType::LeftAnti;
    if before == Before::Anti || bound.iter().any(anti) {
        return Unmatched::All;
    }
    let outer = bound.iter().filter(|d| d.join.emits_unmatched()).count();
    match outer + usize::from(before == Before::Outer) {
        0 => Unmatched::None,
        // Later joins may drop or repeat the rows.
        1 if output.filter.is_none() && bound.len() == outer => Unmatched::AsJoined,
        _ => Unmatched::ByMarkers,
    }
}

/// For each outer join a column that is null exactly where it found no match:
/// one that is emitted anyway, or else an extra one.
fn markers(bound: &[BoundTable], given: &BTreeSet<usize>, unmatched: Unmatched) -> Vec<Marker> {
    let marker = |(at, table): (usize, &BoundTable)| {
        if unmatched != Unmatched::ByMarkers || !table.join.emits_unmatched() {
            return Marker::None;
        }
        let join = &table.join;
        let proof = join.sources.iter().enumerate().find_map(|(position, source)| {
            let InputColumn::Table(column) = source else { return None };
            let certain = !table.relation.scope.columns[*column].nullable
                || join.keys.iter().any(|key| key.proves_match() == Some(*column));
            if !certain {
                return None;
            }
            let last = bound[at + 1..].iter().try_fold(position, |position, later| {
                later.join.sources.iter().position(|s| *s == InputColumn::Stream(position))
            })?;
            given.contains(&last).then_some(last)
        });
        proof.map_or(Marker::Extra, Marker::Column)
    };
    bound.iter().enumerate().map(marker).collect()
}

/// The columns needed before each join and after the last, and of each table.
fn needs(
    bound: &[BoundTable],
    given: BTreeSet<usize>,
    carried: &[Vec<Option<usize>>],
) -> (Vec<Needed>, Vec<Needed>) {
    let mut needed = vec![given];
    let mut tables = Vec::new();
    for (at, table) in bound.iter().enumerate().rev() {
        let join = &table.join;
        let mut stream: BTreeSet<usize> = join.stream_columns().collect();
        stream.extend(carried.get(at).into_iter().flatten().flatten());
        let mut of_table: BTreeSet<usize> = join.table_columns().collect();
        for &position in needed.last().into_iter().flatten() {
            match join.sources[position] {
                InputColumn::Stream(column) => stream.insert(column),
                InputColumn::Table(column) => of_table.insert(column),
            };
        }
        needed.push(stream);
        tables.push(Needed::from(of_table));
    }
    needed.reverse();
    tables.reverse();
    (needed.into_iter().map(Needed::from).collect(), tables)
}

/// One join about to be planned.
struct Step<'a> {
    bound: &'a BoundTable,
    scope: &'a Scope,
    input: &'a Needed,
    output: &'a Needed,
    table: &'a Needed,
    /// Marker columns of earlier joins, after the needed columns.
    extras: usize,
    mode: CastMode,
    uses: &'a Uses,
    carried: &'a [Option<usize>],
}

impl Step<'_> {
    fn plan(&self, with_marker: bool) -> KernelJoin {
        let join = &self.bound.join;
        let (stream_side, stream_keys) = self.stream_side(join);
        let (table_side, table_keys, marker) = self.table_side(join, with_marker);
        let keys = join.keys.iter().zip(stream_keys.iter().zip(&table_keys));
        let keys = keys.map(|(key, (&first, &second))| KeyPair {
            first,
            second,
            null_equality: key.null_equality,
        });
        let filter = |expr: &BoundExpr, place: &dyn Fn(usize) -> ColumnRef| Filter {
            columns: expr.columns().iter().map(|&column| place(column)).collect(),
            predicate: expr.to_predicate(),
        };
        let on_stream = |column| ColumnRef::Stream(self.input.at(column));
        let on_table = |column| ColumnRef::Table(self.table.at(column));
        let residual = join.residual.as_ref().map(|residual| Filter {
            columns: residual
                .columns
                .iter()
                .map(|column| match *column {
                    InputColumn::Stream(column) => on_stream(column),
                    InputColumn::Table(column) => on_table(column),
                })
                .collect(),
            predicate: residual.predicate.to_predicate(),
        });
        let (stream, table) = (stream_side.schema(), table_side.keys.schema());
        let spec = stream_static::Spec::without_keys(stream.clone(), table.clone(), join.join_type);
        let mut spec = spec.with_stream_side(join.stream_side).with_cast_mode(self.mode);
        spec.keys = keys.collect();
        spec.stream_filter = join.stream_filter.as_ref().map(|f| filter(f, &on_stream));
        spec.table_filter = join.table_filter.as_ref().map(|f| filter(f, &on_table));
        spec.residual = residual;
        spec.output = self.joined_columns(join, marker);
        KernelJoin {
            input: stream_side,
            table: table_side,
            spec,
            uses: self.uses.clone(),
            carried: carry::in_input(self.carried, self.input),
        }
    }

    /// The stream side: needed columns, markers, computed keys; and where the keys stand.
    fn stream_side(&self, join: &BoundStreamStatic) -> (Projector, Vec<usize>) {
        let columns = &self.scope.columns;
        let mut items: Vec<(Field, Item)> = self
            .input
            .positions()
            .enumerate()
            .map(|(at, column)| (field(&columns[column]), Item::column(at)))
            .collect();
        for extra in 0..self.extras {
            let marker = Field::new(format!("matched {extra}"), DataType::Boolean, true);
            items.push((marker, Item::column(items.len())));
        }
        let width = items.len();
        let expressions = join.keys.iter().map(|key| &key.stream);
        let keys = add_keys(&mut items, expressions, self.input);
        (Projector::new(items, width), keys)
    }

    /// The table side: needed columns, computed keys, a marker; where the keys
    /// stand, and where the marker does.
    fn table_side(
        &self,
        join: &BoundStreamStatic,
        with_marker: bool,
    ) -> (TableColumns, Vec<usize>, Option<usize>) {
        let relation = &self.bound.relation;
        let rows = relation.prepare(self.table, []);
        let columns = &relation.scope.columns;
        let mut items: Vec<(Field, Item)> = self
            .table
            .positions()
            .enumerate()
            .map(|(at, column)| (field(&columns[column]), Item::column(at)))
            .collect();
        let width = items.len();
        let expressions = join.keys.iter().map(|key| &key.table);
        let keys = add_keys(&mut items, expressions, self.table);
        let marker = with_marker.then(|| {
            items.push((Field::new("matched", DataType::Boolean, false), Item::True));
            items.len() - 1
        });
        (TableColumns { rows, keys: Projector::new(items, width) }, keys, marker)
    }

    /// What the join emits: columns needed later, then markers.
    fn joined_columns(&self, join: &BoundStreamStatic, marker: Option<usize>) -> Vec<OutputColumn> {
        let names = &join.output.columns;
        let needed = self.output.positions().map(|position| OutputColumn {
            source: match join.sources[position] {
                InputColumn::Stream(column) => ColumnRef::Stream(self.input.at(column)),
                InputColumn::Table(column) => ColumnRef::Table(self.table.at(column)),
            },
            name: names[position].name.clone(),
        });
        let extras = (0..self.extras).map(|extra| OutputColumn {
            source: ColumnRef::Stream(self.input.len() + extra),
            name: format!("matched {extra}"),
        });
        let own = marker.map(|column| OutputColumn {
            source: ColumnRef::Table(column),
            name: format!("matched {}", self.extras),
        });
        needed.chain(extras).chain(own).collect()
    }
}

/// Adds the keys that are not bare columns, and returns where each key stands.
pub(super) fn add_keys<'a>(
    items: &mut Vec<(Field, Item)>,
    keys: impl Iterator<Item = &'a BoundExpr>,
    needed: &Needed,
) -> Vec<usize> {
    let mut positions = Vec::new();
    for (number, expr) in keys.enumerate() {
        match Origin::of(expr.clone()) {
            Origin::Column(column) => positions.push(needed.at(column)),
            origin @ Origin::Expr(_) => {
                positions.push(items.len());
                let name = format!("key {}", number + 1);
                let field = Field::new(name, expr.data_type().clone(), expr.nullable());
                items.push((field, Item::Value(origin.value(|column| needed.at(column)))));
            }
        }
    }
    positions
}
