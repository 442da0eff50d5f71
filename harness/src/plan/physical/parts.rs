//! Parts of nested columns as columns of their own, so that joins carry and gather
//! nothing else of them.
//!
//! `on = "s.after.id = t.id"` reads one field. Left as it is, the whole struct would
//! travel to the join. Instead the field becomes a column of the stream that no text
//! can name, and takes part in the planning like any other.

use streamjoin_kernels::{Side, SideColumn, Sides};

use crate::plan::bind::{
    BoundInput, BoundStreams, BoundTable, InputColumn, Origin, Relation, Selected, Selection,
};
use streamjoin_sql::{BoundExpr, Scope, ScopeColumn};

/// Gives the parts that the query uses columns of their own.
pub(super) fn with_parts(
    mut input: BoundInput,
    mut tables: Vec<BoundTable>,
    mut output: Selection,
) -> (BoundInput, Vec<BoundTable>, Selection) {
    let mut left_columns = None;
    if let BoundInput::Streams(streams) = &mut input {
        left_columns = Some(streams.left_columns());
        of_condition(streams);
    }
    for at in 0..tables.len() {
        let mut join = tables[at].join.clone();
        let mut query = Query { input: &mut input, tables: &mut tables };
        let mut stream = |part: BoundExpr| query.place(at, &part);
        for key in &mut join.keys {
            key.stream = key.stream.over_parts(&mut stream);
        }
        join.stream_filter = join.stream_filter.map(|filter| filter.over_parts(&mut stream));
        let relation = &mut tables[at].relation;
        let mut table = |part: BoundExpr| place_in(relation, &part);
        for key in &mut join.keys {
            key.table = key.table.over_parts(&mut table);
        }
        join.table_filter = join.table_filter.map(|filter| filter.over_parts(&mut table));
        if let Some(residual) = &mut join.residual {
            let columns = residual.columns.clone();
            let read = residual.predicate.columns().to_vec();
            let mut all = columns.clone();
            // Positions of its own: those of `all`.
            let own = |position: usize| read.partition_point(|column| *column < position);
            let predicate = residual.predicate.moved(own);
            residual.predicate = predicate.over_parts(&mut |part| {
                let of = part.columns().first().copied()?;
                let placed = match columns[of] {
                    InputColumn::Stream(column) => {
                        let mut query = Query { input: &mut input, tables: &mut tables };
                        InputColumn::Stream(query.place(at, &part.moved(|_| column))?)
                    }
                    InputColumn::Table(column) => {
                        let relation = &mut tables[at].relation;
                        InputColumn::Table(place_in(relation, &part.moved(|_| column))?)
                    }
                };
                all.push(placed);
                Some(all.len() - 1)
            });
            residual.columns =
                residual.predicate.columns().iter().map(|&column| all[column]).collect();
        }
        // Columns may have been added to the output in the meantime.
        let kept = &mut tables[at].join;
        kept.keys = join.keys;
        kept.stream_filter = join.stream_filter;
        kept.table_filter = join.table_filter;
        kept.residual = join.residual;
    }
    let last = tables.len();
    let mut query = Query { input: &mut input, tables: &mut tables };
    let mut place = |part: BoundExpr| query.place(last, &part);
    output.filter = output.filter.map(|filter| filter.over_parts(&mut place));
    output.columns = output
        .columns
        .into_iter()
        .map(|Selected { origin, column }| {
            let origin = match origin {
                Origin::Column(at) => Origin::Column(at),
                Origin::Expr(expr) => Origin::of(expr.over_parts(&mut place)),
            };
            Selected { origin, column }
        })
        .collect();
    if let (BoundInput::Streams(streams), Some(before)) = (&mut input, left_columns) {
        let added = streams.left_columns() - before;
        let residual = streams.join.residual.take();
        streams.join.residual = residual.map(|residual| {
            residual.moved(|column| match column.checked_sub(RIGHT) {
                None => column,
                Some(column) => column + before + added,
            })
        });
    }
    (input, tables, output)
}

/// Where the right columns of a residual stand until all left ones are known.
const RIGHT: usize = 1 << 32;

/// The condition of two streams, over parts.
fn of_condition(streams: &mut BoundStreams) {
    let left_columns = streams.left_columns();
    let BoundStreams { sides, join, .. } = streams;
    let Sides { left, right } = sides;
    let (left, right) = (&mut left.relation, &mut right.relation);
    for key in &mut join.keys {
        key.left = key.left.over_parts(&mut |part| place_in(left, &part));
        key.right = key.right.over_parts(&mut |part| place_in(right, &part));
    }
    let filters = &mut join.filters;
    filters.left = filters.left.take().map(|f| f.over_parts(&mut |part| place_in(left, &part)));
    filters.right = filters.right.take().map(|f| f.over_parts(&mut |part| place_in(right, &part)));
    join.residual = join.residual.take().map(|residual| {
        let apart =
            residual.moved(|column| column.checked_sub(left_columns).map_or(column, |c| RIGHT + c));
        apart.over_parts(&mut |part| {
            let of = part.columns().first().copied()?;
            match of.checked_sub(RIGHT) {
                None => place_in(left, &part),
                Some(column) => {
                    place_in(right, &part.moved(|_| column)).map(|placed| placed + RIGHT)
                }
            }
        })
    });
    // What must not be null is read as it stands in the condition now.
    let needed = |side: Side| {
        let residual = join.residual.iter().flat_map(BoundExpr::needs_not_null);
        let residual = residual.filter_map(move |column| match (side, column.checked_sub(RIGHT)) {
            (Side::Left, None) => Some(column),
            (Side::Right, Some(column)) => Some(column),
            _ => None,
        });
        join.filters[side].iter().flat_map(BoundExpr::needs_not_null).chain(residual)
    };
    let not_null = Sides::new(|side| {
        let relation = if side == Side::Left { &*left } else { &*right };
        let is_flat = |column: &usize| !relation.scope.columns[*column].data_type.is_nested();
        let flat = join.not_null[side].iter().copied().filter(is_flat);
        let mut columns: Vec<usize> = flat.chain(needed(side)).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    });
    join.not_null = not_null;
}

/// What the joins with tables start from, and the tables.
struct Query<'q> {
    input: &'q mut BoundInput,
    tables: &'q mut [BoundTable],
}

impl Query<'_> {
    /// Where `part`, of the columns that the join of number `at` takes, stands among
    /// them; it is added where it is not there.
    fn place(&mut self, at: usize, part: &BoundExpr) -> Option<usize> {
        let of = part.columns().first().copied()?;
        let Some(before) = at.checked_sub(1) else { return self.place_first(part, of) };
        let source = match self.tables[before].join.sources[of] {
            InputColumn::Stream(column) => {
                InputColumn::Stream(self.place(before, &part.moved(|_| column))?)
            }
            InputColumn::Table(column) => {
                let relation = &mut self.tables[before].relation;
                InputColumn::Table(place_in(relation, &part.moved(|_| column))?)
            }
        };
        let join = &mut self.tables[before].join;
        Some(add(&mut join.output, &mut join.sources, source, part))
    }

    /// The same of the first columns.
    fn place_first(&mut self, part: &BoundExpr, of: usize) -> Option<usize> {
        match &mut *self.input {
            BoundInput::Stream(stream) => place_in(&mut stream.relation, part),
            BoundInput::Streams(streams) => {
                let SideColumn { side, column } = streams.join.sources[of];
                let relation = match side {
                    Side::Left => &mut streams.sides.left.relation,
                    Side::Right => &mut streams.sides.right.relation,
                };
                let column = place_in(relation, &part.moved(|_| column))?;
                let join = &mut streams.join;
                let source = SideColumn { side, column };
                Some(add(&mut join.output, &mut join.sources, source, part))
            }
        }
    }
}

/// Where a join's output has `source`; it is added where it has not.
fn add<S: PartialEq>(
    output: &mut Scope,
    sources: &mut Vec<S>,
    source: S,
    part: &BoundExpr,
) -> usize {
    if let Some(known) = sources.iter().position(|known| *known == source) {
        return known;
    }
    output.columns.push(hidden(part));
    sources.push(source);
    sources.len() - 1
}

/// Where a relation has `part`, which is over its columns; it is added where it has
/// not. `None` where the part is of something that is computed as a whole.
fn place_in(relation: &mut Relation, part: &BoundExpr) -> Option<usize> {
    let of = part.columns().first().copied()?;
    let (name, data_type) = (part.to_string(), part.data_type().clone());
    let same = |column: &ScopeColumn| {
        is_part(column) && column.name == name && column.data_type == data_type
    };
    if let Some(known) = relation.scope.columns.iter().position(same) {
        return Some(known);
    }
    let origin = match &relation.columns[of] {
        Origin::Column(column) => part.moved(|_| *column),
        Origin::Expr(expr) if expr.is_access() => part.over(expr),
        Origin::Expr(_) => return None,
    };
    relation.columns.push(Origin::of(origin));
    relation.scope.columns.push(hidden(part));
    Some(relation.columns.len() - 1)
}

/// A column that no text can name.
fn hidden(part: &BoundExpr) -> ScopeColumn {
    ScopeColumn {
        qualifiers: Vec::new(),
        name: part.to_string(),
        data_type: part.data_type().clone(),
        nullable: part.nullable(),
        uuid: part.is_uuid(),
    }
}

/// Whether it is such a column: all others are qualified by their stream or table.
pub(super) fn is_part(column: &ScopeColumn) -> bool {
    column.qualifiers.is_empty()
}
