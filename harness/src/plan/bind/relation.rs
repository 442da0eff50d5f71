//! A stream or a table as the query sees it: rows filtered, columns selected.

use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use streamjoin_kernels::spark::CastMode;

use crate::error::Result;
use crate::plan::computed::{Computed, Value};
use crate::scenario::Clauses;
use streamjoin_sql::{self as sql, BoundExpr, Scope, ScopeColumn};

/// A named input with its `where` and `select` bound to its columns.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Qualifies the columns.
    pub name: String,
    /// The columns as they are read.
    pub source: Scope,
    /// Rows to keep, over `source`.
    pub filter: Option<BoundExpr>,
    /// The columns that the query sees, each over `source`.
    pub columns: Vec<Origin>,
    /// The columns that the query sees, by name.
    pub scope: Scope,
}

/// What a column of a relation is made of.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A source column as it is.
    Column(usize),
    /// An expression over source columns.
    Expr(BoundExpr),
}

impl Origin {
    /// Of a bound expression; a bare column is passed on as it is.
    pub fn of(expr: BoundExpr) -> Self {
        match expr.as_column() {
            Some(column) => Self::Column(column),
            None => Self::Expr(expr),
        }
    }

    /// The source columns that it takes.
    pub fn columns(&self) -> &[usize] {
        match self {
            Self::Column(column) => std::slice::from_ref(column),
            Self::Expr(expr) => expr.columns(),
        }
    }

    /// Its value in batches in which column `c` stands at `position(c)`.
    pub fn value(&self, position: impl Fn(usize) -> usize) -> Value {
        match self {
            Self::Column(column) => Value::Column(position(*column)),
            Self::Expr(expr) => Value::Computed(Computed::new(expr, position)),
        }
    }
}

/// `select` and `where`, bound.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Rows to keep.
    pub filter: Option<BoundExpr>,
    /// Columns to keep, in order.
    pub columns: Vec<Selected>,
}

/// One selected column.
#[derive(Clone, Debug)]
pub struct Selected {
    /// What it is made of.
    pub origin: Origin,
    /// Its name and type.
    pub column: ScopeColumn,
}

impl Selection {
    /// Binds both to `scope`.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario.
    pub(super) fn bind(clauses: &Clauses, scope: &Scope, mode: CastMode) -> Result<Self> {
        let filter = clauses.filter.as_ref().map(|text| {
            sql::filter(text, scope, mode).map_err(|error| text.refuse(format!("`where`: {error}")))
        });
        let filter = filter.transpose()?;
        let Some(select) = &clauses.select else {
            let all = scope.columns.iter().enumerate();
            let all = all
                .map(|(i, column)| Selected { origin: Origin::Column(i), column: column.clone() });
            return Ok(Self { filter, columns: all.collect() });
        };
        if select.is_empty() {
            return Err(select
                .refuse("`select` is empty: name at least one column, or leave it out for all"));
        }
        let mut columns = Vec::new();
        for text in &**select {
            let items = sql::select(std::slice::from_ref(&text.value), scope, mode)
                .map_err(|error| text.refuse(format!("`select`: {error}")))?;
            for item in items {
                let qualifiers = match item.expr.as_column() {
                    Some(column) => scope.columns[column].qualifiers.clone(),
                    None => Vec::new(),
                };
                let column = ScopeColumn {
                    qualifiers,
                    name: item.name,
                    data_type: item.expr.data_type().clone(),
                    nullable: item.expr.nullable(),
                    uuid: item.expr.is_uuid(),
                };
                columns.push(Selected { origin: Origin::of(item.expr), column });
            }
        }
        Ok(Self { filter, columns })
    }
}

impl Relation {
    /// Binds an input's clauses to the columns of `schema`.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario.
    pub(super) fn bind(
        name: &str,
        schema: &Schema,
        clauses: &Clauses,
        mode: CastMode,
    ) -> Result<Self> {
        let source = Scope::of_schema(name, schema);
        let Selection { filter, columns } = Selection::bind(clauses, &source, mode)?;
        let (columns, seen) = columns
            .into_iter()
            .map(|Selected { origin, column }| {
                (origin, ScopeColumn { qualifiers: vec![name.to_owned()], ..column })
            })
            .unzip();
        Ok(Self { name: name.to_owned(), source, filter, columns, scope: Scope { columns: seen } })
    }

    /// The column called `name`: one that the query sees, or else a source
    /// column. Qualified by the relation's name or bare; case does not count.
    ///
    /// # Errors
    /// A message with the nearest name.
    pub fn find(&self, name: &str) -> Result<(Origin, ScopeColumn), String> {
        let bare = self.bare(name);
        if let Ok(at) = self.scope.resolve(None, bare) {
            return Ok((self.columns[at].clone(), self.scope.columns[at].clone()));
        }
        let at = self.source.resolve(None, bare).map_err(|error| error.message().to_owned())?;
        Ok((Origin::Column(at), self.source.columns[at].clone()))
    }

    /// Where the query sees the column that [`find`](Self::find) gave for
    /// `name`: under that name, or another one.
    pub fn seen_as(&self, name: &str, origin: &Origin) -> Option<usize> {
        if let Ok(at) = self.scope.resolve(None, self.bare(name)) {
            return Some(at);
        }
        let Origin::Column(wanted) = origin else { return None };
        self.columns.iter().position(|column| matches!(column, Origin::Column(c) if c == wanted))
    }

    /// A name without the relation's own before it.
    fn bare<'n>(&self, name: &'n str) -> &'n str {
        let prefix = format!("{}.", self.name);
        match name.get(..prefix.len()) {
            Some(start) if start.eq_ignore_ascii_case(&prefix) => &name[prefix.len()..],
            _ => name,
        }
    }
}

/// The field of a scope's column.
pub(in crate::plan) fn field(column: &ScopeColumn) -> Field {
    let field = Field::new(&column.name, column.data_type.clone(), column.nullable);
    if column.uuid { sql::marked_as_uuid(field) } else { field }
}

/// A scope's columns as a schema.
pub(in crate::plan) fn schema_of(scope: &Scope) -> SchemaRef {
    Arc::new(Schema::new(scope.columns.iter().map(field).collect::<Vec<_>>()))
}
