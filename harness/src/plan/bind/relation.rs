//! A stream or a table as the query sees it: rows filtered, columns selected.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema, SchemaRef};
use streamjoin_kernels::JoinError;
use streamjoin_kernels::spark::CastMode;
use toml::Spanned;

use crate::error::{Failure, Result};
use crate::plan::projector::{Computed, Item, Projector, keep_where};
use crate::scenario::Scenario;
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
    #[must_use]
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

    /// The item that makes it from batches in which column `c` stands at `position(c)`.
    pub fn item(&self, position: impl Fn(usize) -> usize) -> Item {
        match self {
            Self::Column(column) => Item::Pass(position(*column)),
            Self::Expr(expr) => Item::Compute(Computed::new(expr, position)),
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

/// `select` and `where` as a scenario writes them.
#[derive(Clone, Copy, Debug)]
pub struct Clauses<'a> {
    /// Columns to keep.
    pub select: Option<&'a Spanned<Vec<Spanned<String>>>>,
    /// Rows to keep.
    pub filter: Option<&'a Spanned<String>>,
}

impl Clauses<'_> {
    /// Binds both to `scope`.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario.
    pub fn bind(&self, scope: &Scope, scenario: &Scenario, mode: CastMode) -> Result<Selection> {
        let filter = self.filter.map(|text| {
            sql::filter(text.get_ref(), scope, mode).map_err(|error| {
                Failure::usage(format!("`where`: {error}")).at(scenario.place(text))
            })
        });
        let filter = filter.transpose()?;
        let Some(place) = self.select else {
            let all = scope.columns.iter().enumerate();
            let all = all
                .map(|(i, column)| Selected { origin: Origin::Column(i), column: column.clone() });
            return Ok(Selection { filter, columns: all.collect() });
        };
        let select = place.get_ref();
        if select.is_empty() {
            return Err(Failure::usage(
                "`select` is empty: name at least one column, or leave it out for all",
            )
            .at(scenario.place(place)));
        }
        let mut columns = Vec::new();
        for text in select {
            let items = sql::select(std::slice::from_ref(text.get_ref()), scope, mode).map_err(
                |error| Failure::usage(format!("`select`: {error}")).at(scenario.place(text)),
            )?;
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
                };
                columns.push(Selected { origin: Origin::of(item.expr), column });
            }
        }
        Ok(Selection { filter, columns })
    }
}

impl Relation {
    /// Binds an input's clauses to the columns of `schema`.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario.
    pub fn bind(
        name: &str,
        schema: &Schema,
        clauses: Clauses<'_>,
        scenario: &Scenario,
        mode: CastMode,
    ) -> Result<Self> {
        let source = Scope::of_schema(name, schema);
        let Selection { filter, columns } = clauses.bind(&source, scenario, mode)?;
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
    #[must_use]
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

    /// What makes the needed columns, and reads nothing else than them, what
    /// they are made of, and `also`.
    #[must_use]
    pub fn prepare(&self, needed: &Needed, also: impl IntoIterator<Item = usize>) -> Prepare {
        self.prepare_with(needed, also, |_| Vec::new())
    }

    /// The same with `more` columns after the needed ones, made from those that
    /// are read.
    #[must_use]
    pub fn prepare_with(
        &self,
        needed: &Needed,
        also: impl IntoIterator<Item = usize>,
        more: impl FnOnce(&Needed) -> Vec<(Field, Item)>,
    ) -> Prepare {
        let mut read: BTreeSet<usize> = also.into_iter().collect();
        read.extend(self.filter.iter().flat_map(BoundExpr::columns));
        read.extend(needed.positions().flat_map(|column| self.columns[column].columns()));
        if read.is_empty() && !self.source.columns.is_empty() {
            // Rows are counted by some column.
            read.insert(0);
        }
        let read = Needed::from(read);
        let columns = needed.positions().map(|column| {
            (field(&self.scope.columns[column]), self.columns[column].item(|c| read.at(c)))
        });
        let columns = columns.chain(more(&read));
        Prepare {
            filter: self.filter.as_ref().map(|f| Computed::new(f, |c| read.at(c))),
            projector: Projector::new(columns.collect(), read.len()),
            read,
        }
    }
}

/// Makes a relation's rows from rows as they are read.
#[derive(Clone, Debug)]
pub struct Prepare {
    /// Source columns to read.
    pub read: Needed,
    filter: Option<Computed>,
    projector: Projector,
}

impl Prepare {
    /// Whether rows may be filtered out.
    #[must_use]
    pub fn filters(&self) -> bool {
        self.filter.is_some()
    }

    /// The condition by which they are.
    #[must_use]
    pub fn filter_text(&self) -> Option<String> {
        self.filter.as_ref().map(ToString::to_string)
    }

    /// Schema of the result.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        self.projector.schema()
    }

    /// The relation's rows among those of a batch as it was read.
    ///
    /// # Errors
    /// As the expressions: malformed casts, overflow.
    pub fn apply(&self, batch: RecordBatch) -> Result<RecordBatch, JoinError> {
        let batch = match &self.filter {
            Some(filter) => keep_where(batch, filter)?,
            None => batch,
        };
        self.projector.apply(&batch)
    }
}

/// Column positions that are needed; each knows where it stands among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needed(Vec<usize>);

impl Needed {
    /// Number of columns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is needed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The columns, ascending.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().copied()
    }

    /// The columns, ascending.
    #[must_use]
    pub fn as_slice(&self) -> &[usize] {
        &self.0
    }

    /// Where `column`, which must be among them, stands.
    #[must_use]
    pub fn at(&self, column: usize) -> usize {
        debug_assert!(self.0.binary_search(&column).is_ok(), "column {column} was not asked for");
        self.0.partition_point(|&needed| needed < column)
    }
}

impl From<BTreeSet<usize>> for Needed {
    fn from(columns: BTreeSet<usize>) -> Self {
        Self(columns.into_iter().collect())
    }
}

/// The field of a scope's column.
pub(in crate::plan) fn field(column: &ScopeColumn) -> Field {
    Field::new(&column.name, column.data_type.clone(), column.nullable)
}

/// A scope's columns as a schema.
pub(in crate::plan) fn schema_of(scope: &Scope) -> SchemaRef {
    Arc::new(Schema::new(scope.columns.iter().map(field).collect::<Vec<_>>()))
}
