//! The columns that SQL text can refer to.

use arrow::datatypes::{DataType, Schema};

use crate::error::{Result, SqlError};
use crate::names::{hint, quoted, same_name};
use crate::uuid;

/// One column of a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeColumn {
    /// Qualifiers that may precede the name, such as the stream's or the table's;
    /// the columns of a join keep those of its inputs.
    pub qualifiers: Vec<String>,
    /// The column's own name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// Whether it may hold nulls.
    pub nullable: bool,
    /// Whether its binary values are UUIDs, as the field's metadata says.
    pub uuid: bool,
}

impl ScopeColumn {
    /// The name with its first qualifier, for messages and `explain`.
    pub fn qualified_name(&self) -> String {
        match self.qualifiers.first() {
            Some(qualifier) => format!("{}.{}", quoted(qualifier), quoted(&self.name)),
            None => quoted(&self.name),
        }
    }

    fn is_called(&self, qualifier: Option<&str>, name: &str) -> bool {
        same_name(&self.name, name)
            && qualifier.is_none_or(|q| self.qualifiers.iter().any(|have| same_name(have, q)))
    }
}

/// The columns that SQL text can refer to, in order; names are case-insensitive,
/// as in Spark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The columns; a bound expression refers to them by position.
    pub columns: Vec<ScopeColumn>,
}

impl Scope {
    /// The columns of a schema under one qualifier.
    pub fn of_schema(qualifier: &str, schema: &Schema) -> Self {
        let columns = schema.fields().iter().map(|field| ScopeColumn {
            qualifiers: vec![qualifier.to_owned()],
            name: field.name().clone(),
            data_type: field.data_type().clone(),
            nullable: field.is_nullable(),
            uuid: uuid::is_uuid(field),
        });
        Self { columns: columns.collect() }
    }

    /// The columns of two scopes, one after the other.
    pub fn join(&self, right: &Self) -> Self {
        Self { columns: [self.columns.as_slice(), &right.columns].concat() }
    }

    /// Whether some column has the name.
    pub(crate) fn holds(&self, qualifier: Option<&str>, name: &str) -> bool {
        self.columns.iter().any(|column| column.is_called(qualifier, name))
    }

    /// The position of the column that a name refers to.
    ///
    /// # Errors
    /// If no column or more than one has the name; the message lists the
    /// candidates or the nearest name.
    pub fn resolve(&self, qualifier: Option<&str>, name: &str) -> Result<usize> {
        let called = |i: &usize| self.columns[*i].is_called(qualifier, name);
        let mut found = (0..self.columns.len()).filter(called);
        match (found.next(), found.next()) {
            (Some(position), None) => Ok(position),
            (Some(first), Some(second)) => {
                let all = [first, second].into_iter().chain(found);
                Err(self.ambiguous(qualifier, name, &all.collect::<Vec<_>>()))
            }
            (None, _) => Err(self.unknown(qualifier, name)),
        }
    }

    /// The positions of the columns under a qualifier.
    ///
    /// # Errors
    /// If no column has the qualifier; the message suggests the nearest one.
    pub(crate) fn under(&self, qualifier: &str) -> Result<Vec<usize>> {
        let found: Vec<usize> = (0..self.columns.len())
            .filter(|i| {
                let qualifiers = &self.columns[*i].qualifiers;
                qualifiers.iter().any(|have| same_name(have, qualifier))
            })
            .collect();
        if found.is_empty() {
            return Err(self.unknown_qualifier(qualifier));
        }
        Ok(found)
    }

    fn ambiguous(&self, qualifier: Option<&str>, name: &str, positions: &[usize]) -> SqlError {
        let mut candidates: Vec<String> =
            positions.iter().map(|i| self.columns[*i].qualified_name()).collect();
        candidates.sort();
        let asked = match qualifier {
            Some(q) => format!("{}.{}", quoted(q), quoted(name)),
            None => quoted(name),
        };
        candidates.dedup();
        let remedy = if candidates.len() > 1 {
            "qualify it with the name that you mean"
        } else {
            "rename one of them with `select`"
        };
        SqlError::new(format!(
            "`{asked}` is ambiguous: it could be {}; {remedy}",
            candidates.join(" or ")
        ))
    }

    fn unknown(&self, qualifier: Option<&str>, name: &str) -> SqlError {
        if let Some(q) = qualifier
            && self.under(q).is_err()
        {
            return self.unknown_qualifier(q);
        }
        let visible = self.columns.iter().filter(|column| {
            qualifier.is_none_or(|q| column.qualifiers.iter().any(|have| same_name(have, q)))
        });
        let names: Vec<&str> = visible.map(|column| column.name.as_str()).collect();
        let asked = match qualifier {
            Some(q) => format!("{}.{}", quoted(q), quoted(name)),
            None => quoted(name),
        };
        SqlError::new(format!("unknown column `{asked}`{}", hint(name, &names)))
    }

    fn unknown_qualifier(&self, qualifier: &str) -> SqlError {
        let mut names: Vec<&str> = Vec::new();
        for known in self.columns.iter().flat_map(|column| &column.qualifiers) {
            if !names.contains(&known.as_str()) {
                names.push(known);
            }
        }
        let nested = self.columns.iter().filter(|column| column.data_type.is_nested());
        let columns: Vec<&str> = nested.map(|column| column.name.as_str()).collect();
        let what = match columns.is_empty() {
            true => "stream or dimension",
            false => "stream, dimension or nested column",
        };
        names.extend(columns);
        SqlError::new(format!("unknown {what} `{qualifier}`{}", hint(qualifier, &names)))
    }
}
