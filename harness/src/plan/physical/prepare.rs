//! What makes the rows that the query sees from rows as they are read, and which
//! columns that takes.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, SchemaRef};
use streamjoin_kernels::JoinError;

use crate::plan::bind::{Origin, Relation, field};
use crate::plan::computed::{Computed, keep_where};
use crate::plan::projector::{Item, Projector};
use streamjoin_sql::{BoundExpr, Part};

impl Relation {
    /// What makes the needed columns, and reads nothing else than them, what
    /// they are made of, and `also`.
    pub fn prepare(&self, needed: &Needed, also: impl IntoIterator<Item = usize>) -> Prepare {
        self.prepare_with(needed, also, |_| Vec::new())
    }

    /// The same with `more` columns after the needed ones, made from those that
    /// are read.
    pub fn prepare_with(
        &self,
        needed: &Needed,
        also: impl IntoIterator<Item = usize>,
        more: impl FnOnce(&Needed) -> Vec<(Field, Item)>,
    ) -> Prepare {
        let whole: BTreeSet<usize> = also.into_iter().collect();
        let mut read = whole.clone();
        read.extend(self.filter.iter().flat_map(BoundExpr::columns));
        read.extend(needed.positions().flat_map(|column| self.columns[column].columns()));
        if read.is_empty() && !self.source.columns.is_empty() {
            // Rows are counted by some column.
            read.insert(0);
        }
        let read = Needed::from(read);
        let parts = self.parts(needed, &whole, &read);
        let columns = needed.positions().map(|column| {
            (
                field(&self.scope.columns[column]),
                Item::Value(self.columns[column].value(|c| read.at(c))),
            )
        });
        let columns = columns.chain(more(&read));
        Prepare {
            filter: self.filter.as_ref().map(|f| Computed::new(f, |c| read.at(c))),
            projector: Projector::new(columns.collect(), read.len()),
            read,
            parts,
        }
    }

    /// How much of each column that is read the needed ones and the filter use;
    /// of `whole` all.
    fn parts(&self, needed: &Needed, whole: &BTreeSet<usize>, read: &Needed) -> Vec<Part> {
        let mut used: BTreeMap<usize, Part> = BTreeMap::new();
        let mut add = |column: usize, part: Part| {
            let part = match used.remove(&column) {
                Some(known) => known.and(part),
                None => part,
            };
            used.insert(column, part);
        };
        whole.iter().for_each(|&column| add(column, Part::Whole));
        let mut add_all = |expr: &BoundExpr| {
            expr.columns().iter().zip(expr.parts()).for_each(|(&column, part)| add(column, part));
        };
        self.filter.iter().for_each(&mut add_all);
        for column in needed.positions() {
            match &self.columns[column] {
                Origin::Column(column) => {
                    add_all(&BoundExpr::column(&self.source, *column));
                }
                Origin::Expr(expr) => add_all(expr),
            }
        }
        read.positions().map(|column| used.remove(&column).unwrap_or(Part::Whole)).collect()
    }
}

/// Makes a relation's rows from rows as they are read.
#[derive(Clone, Debug)]
pub struct Prepare {
    /// Source columns to read.
    pub read: Needed,
    /// How much of each of them is used.
    pub parts: Vec<Part>,
    filter: Option<Computed>,
    projector: Projector,
}

impl Prepare {
    /// Whether rows may be filtered out.
    pub fn filters(&self) -> bool {
        self.filter.is_some()
    }

    /// The condition by which they are.
    pub fn filter_text(&self) -> Option<String> {
        self.filter.as_ref().map(ToString::to_string)
    }

    /// Schema of the result.
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
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is needed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The columns, ascending.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().copied()
    }

    /// The columns, ascending.
    pub fn as_slice(&self) -> &[usize] {
        &self.0
    }

    /// Where `column`, which must be among them, stands.
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
