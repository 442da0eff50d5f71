//! Columns by name or by position.

use arrow::datatypes::Schema;

use crate::error::{JoinError, Result};

/// Says which column of an input is meant: its position (`usize`), or its name
/// (`&str`, `String`), compared regardless of case, as in SQL.
///
/// ```
/// use streamjoin_kernels::arrow::datatypes::{DataType, Field, Schema};
/// use streamjoin_kernels::ColumnId;
///
/// let schema = Schema::new(vec![
///     Field::new("user", DataType::Int64, false),
///     Field::new("amount", DataType::Float64, false),
/// ]);
/// assert_eq!("amount".position("the stream", &schema).unwrap(), 1);
/// assert_eq!(1.position("the stream", &schema).unwrap(), 1);
/// assert_eq!(
///     "amuont".position("the stream", &schema).unwrap_err().to_string(),
///     "the stream has no column `amuont`; it has `amount`, `user`"
/// );
/// ```
pub trait ColumnId {
    /// The position of the column in `schema`, of which errors speak as `input`,
    /// such as `the stream`.
    ///
    /// # Errors
    /// [`JoinError::UnknownColumn`] if there is no such column,
    /// [`JoinError::AmbiguousColumn`] for a name that several columns have.
    fn position(&self, input: &str, schema: &Schema) -> Result<usize>;
}

impl ColumnId for usize {
    fn position(&self, input: &str, schema: &Schema) -> Result<usize> {
        if *self < schema.fields().len() {
            return Ok(*self);
        }
        let names = schema.fields().iter().map(|field| field.name().as_str());
        Err(JoinError::UnknownColumn {
            input: input.to_owned(),
            column: format!("{self}, counted from 0"),
            known: listed(&names.collect::<Vec<_>>()),
        })
    }
}

impl ColumnId for str {
    fn position(&self, input: &str, schema: &Schema) -> Result<usize> {
        let wanted = self.to_lowercase();
        let fields = schema.fields().iter().enumerate();
        let named = fields.filter(|(_, field)| field.name().to_lowercase() == wanted);
        let found: Vec<usize> = named.map(|(position, _)| position).collect();
        match found[..] {
            [one] => Ok(one),
            [] => Err(JoinError::UnknownColumn {
                input: input.to_owned(),
                column: format!("`{self}`"),
                known: listed(&nearest_first(&wanted, schema)),
            }),
            _ => Err(JoinError::AmbiguousColumn {
                input: input.to_owned(),
                name: self.to_owned(),
                positions: found,
            }),
        }
    }
}

impl ColumnId for String {
    fn position(&self, input: &str, schema: &Schema) -> Result<usize> {
        self.as_str().position(input, schema)
    }
}

impl<C: ColumnId + ?Sized> ColumnId for &C {
    fn position(&self, input: &str, schema: &Schema) -> Result<usize> {
        (**self).position(input, schema)
    }
}

/// The names of all columns, those most like `wanted` first.
fn nearest_first<'a>(wanted: &str, schema: &'a Schema) -> Vec<&'a str> {
    let mut names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let distance =
        |name: &&str| strsim::normalized_damerau_levenshtein(wanted, &name.to_lowercase());
    names.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    names
}

/// As many of the names as a message has room for.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 16;
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use arrow::datatypes::{DataType, Field};

    use super::*;

    fn schema(names: &[&str]) -> Schema {
        let field = |name: &&str| Field::new(*name, DataType::Int64, true);
        Schema::new(names.iter().map(field).collect::<Vec<_>>())
    }

    #[test]
    fn names_and_positions_are_resolved() {
        let schema = schema(&["a", "Wide Name", "b.c"]);
        assert_eq!("b.c".position("the table", &schema).unwrap(), 2);
        assert_eq!("wide name".position("the table", &schema).unwrap(), 1, "regardless of case");
        assert_eq!("A".to_owned().position("the table", &schema).unwrap(), 0);
        assert_eq!(2.position("the table", &schema).unwrap(), 2);
        let either: [&dyn ColumnId; 2] = [&"b.c", &0];
        assert_eq!(either.map(|id| id.position("the table", &schema).unwrap()), [2, 0]);
    }

    #[test]
    fn an_unknown_column_is_told_with_those_that_there_are() {
        let error = |id: &dyn ColumnId, names: &[&str]| {
            let error = id.position("the left side", &schema(names)).unwrap_err();
            assert!(matches!(error, JoinError::UnknownColumn { .. }));
            error.to_string()
        };
        assert_eq!(
            error(&"usr", &["id", "USER", "ts"]),
            "the left side has no column `usr`; it has `USER`, `ts`, `id`"
        );
        assert_eq!(
            error(&2, &["id", "user"]),
            "the left side has no column 2, counted from 0; it has `id`, `user`"
        );
        assert_eq!(error(&"x", &[]), "the left side has no column `x`; it has none");
        let many: Vec<String> = (0..200).map(|i| format!("column {i}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let error = error(&"Column 177x", &many);
        assert!(error.contains("it has `column 177`, "), "{error}");
        assert!(error.ends_with(" and 184 more"), "{error}");
    }

    #[test]
    fn a_name_that_several_columns_have_is_ambiguous() {
        let error = "K".position("the stream", &schema(&["k", "v", "K"])).unwrap_err();
        assert!(
            matches!(&error, JoinError::AmbiguousColumn { positions, .. } if positions == &[0, 2])
        );
        assert_eq!(
            error.to_string(),
            "`K` is ambiguous: the stream has columns of that name at positions 0, 2; rename all but one, or name the column by its position"
        );
    }
}
