//! The stream's columns, carried up to the last join so that unmatched rows can be
//! written whole.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray, new_null_array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::parts::is_part;
use super::prepare::Needed;
use crate::error::{Failure, Result};
use crate::plan::bind::{BoundTable, InputColumn};
use streamjoin_sql::{Scope, ScopeColumn};

/// Unmatched rows as they are written: which table they missed, then the columns
/// that they had before the first join with a table.
#[derive(Clone, Debug)]
pub struct Carried {
    schema: SchemaRef,
}

impl Carried {
    /// Of rows with the columns of `first`. Columns of one name are told apart by
    /// the stream that they are of.
    pub(super) fn new(first: &Scope) -> Self {
        let columns = seen(first);
        let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
        let names: Vec<String> = columns
            .iter()
            .map(|column| match columns.iter().filter(|c| same(&c.name, &column.name)).count() {
                1 => column.name.clone(),
                _ => match column.qualifiers.first() {
                    Some(stream) => format!("{stream}.{}", column.name),
                    None => column.name.clone(),
                },
            })
            .collect();
        let free = |name: &String| !names.iter().any(|taken| same(taken, name));
        let missed = ["missed", "missed_table"].map(str::to_owned).into_iter();
        let missed = missed.chain((1..).map(|n| format!("missed_{n}"))).find(free);
        let missed = Field::new(missed.unwrap_or_default(), DataType::Utf8, false);
        let fields = names.iter().zip(columns);
        let fields = fields.map(|(name, c)| Field::new(name, c.data_type.clone(), true));
        Self {
            schema: Arc::new(Schema::new(
                std::iter::once(missed).chain(fields).collect::<Vec<_>>(),
            )),
        }
    }

    /// Columns of the rows that are written.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Rows that missed `missed`, of columns in the order of the rows
    /// before the first join.
    ///
    /// # Errors
    /// A run failure for columns of another number or type.
    pub fn rows(
        &self,
        missed: &str,
        columns: &[Option<ArrayRef>],
        rows: usize,
    ) -> Result<RecordBatch> {
        let mut all: Vec<ArrayRef> = Vec::with_capacity(columns.len() + 1);
        all.push(Arc::new(StringArray::from_iter_values(std::iter::repeat_n(missed, rows))));
        for (column, field) in columns.iter().zip(self.schema.fields().iter().skip(1)) {
            // A key that `using` has merged is the table's, equal in value.
            all.push(match column {
                Some(column) => cast(column, field.data_type()).map_err(Failure::run)?,
                None => new_null_array(field.data_type(), rows),
            });
        }
        RecordBatch::try_new(Arc::clone(&self.schema), all).map_err(Failure::run)
    }
}

/// The columns that the query can name; parts of nested ones follow them.
pub(super) fn seen(first: &Scope) -> &[ScopeColumn] {
    let seen = first.columns.iter().take_while(|column| !is_part(column)).count();
    &first.columns[..seen]
}

/// For each join the columns of its input scope that the first scope's columns
/// are by then.
pub(super) fn positions(first: &Scope, tables: &[BoundTable]) -> Vec<Vec<Option<usize>>> {
    let mut at: Vec<Option<usize>> = (0..seen(first).len()).map(Some).collect();
    let mut all = Vec::with_capacity(tables.len());
    for table in tables {
        all.push(at.clone());
        let join = &table.join;
        at = at
            .iter()
            .map(|&column| {
                let column = column?;
                let stays = |source: &InputColumn| *source == InputColumn::Stream(column);
                let merged = |source: &InputColumn| {
                    join.keys.iter().any(|key| {
                        let InputColumn::Table(of_table) = source else { return false };
                        key.stream.as_column() == Some(column)
                            && key.table.as_column() == Some(*of_table)
                    })
                };
                let sources = &join.sources;
                // `using` keeps one of two equal columns, `on` keeps both.
                sources.iter().position(stays).or_else(|| sources.iter().position(merged))
            })
            .collect();
    }
    all
}

/// Where they stand in the batches that a join takes.
pub(super) fn in_input(positions: &[Option<usize>], input: &Needed) -> Vec<Option<usize>> {
    positions.iter().map(|column| column.map(|column| input.at(column))).collect()
}
