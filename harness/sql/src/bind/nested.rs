//! Binds access to what is nested: fields, elements, the values of keys.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Field, FieldRef, Fields};
use sqlparser::ast;
use streamjoin_kernels::spark::CastMode;

use super::{Binder, literal};
use crate::error::{Result, SqlError};
use crate::expr::{Expr, Node};
use crate::names::{hint, same_name};
use crate::nested::{container, list_item, list_of, map_entry, plain};
use crate::types::{INTERVAL, is_date, is_string, sql_name, value_type};

/// What builds structs.
pub(super) const CONSTRUCTORS: [&str; 2] = ["named_struct", "struct"];

impl Binder<'_> {
    /// `a.b.c`: field `c` of the column `b` of `a`, if there is one, or else field
    /// `b.c` of the column `a`, as in Spark.
    pub(super) fn compound(&self, parts: &[ast::Ident]) -> Result<Expr> {
        let holds = |qualifier: Option<&str>, name: &str| self.scope.holds(qualifier, name);
        let (column, fields) = match parts {
            [qualifier, name, fields @ ..]
                if holds(Some(&qualifier.value), &name.value) || !holds(None, &qualifier.value) =>
            {
                (self.column(Some(qualifier), name)?, fields)
            }
            [name, fields @ ..] => (self.column(None, name)?, fields),
            [] => return Err(SqlError::new("expected a name")),
        };
        fields
            .iter()
            .try_fold(column, |expr, name| field(expr, &name.value).map_err(|e| e.or_at(name.span)))
    }

    /// `root.field`, `root[index]`, `root['key']`, one after the other.
    pub(super) fn access(&mut self, root: &ast::Expr, chain: &[ast::AccessExpr]) -> Result<Expr> {
        // Names at the beginning may include a qualifier.
        let (mut names, mut rest) = (Vec::new(), chain);
        if let ast::Expr::Identifier(first) = root {
            names.push(first.clone());
            while let [ast::AccessExpr::Dot(ast::Expr::Identifier(name)), after @ ..] = rest {
                names.push(name.clone());
                rest = after;
            }
        }
        let mut expr = if names.is_empty() { self.bind(root)? } else { self.compound(&names)? };
        for step in rest {
            expr = match step {
                ast::AccessExpr::Dot(ast::Expr::Identifier(name)) => {
                    field(expr, &name.value).map_err(|e| e.or_at(name.span))?
                }
                ast::AccessExpr::Dot(_) => {
                    return Err(SqlError::new("expected the name of a field after the dot"));
                }
                ast::AccessExpr::Subscript(ast::Subscript::Index { index }) => {
                    let at = self.bind(index)?;
                    self.subscript(expr, at).map_err(|e| e.or_at(crate::parse::place(index)))?
                }
                ast::AccessExpr::Subscript(ast::Subscript::Slice { .. }) => {
                    return Err(SqlError::new(
                        "a range of elements is not supported; take one, as in x[0]",
                    ));
                }
            };
        }
        Ok(expr)
    }

    fn subscript(&self, expr: Expr, at: Expr) -> Result<Expr> {
        let name = at.literal().and_then(|text| text.as_string_opt::<i32>());
        let name = name.filter(|text| text.is_valid(0)).map(|text| text.value(0).to_owned());
        match container(&expr.data_type) {
            DataType::Struct(fields) => match name {
                Some(name) => field(expr, &name),
                None => Err(SqlError::new(format!(
                    "`{expr}` is a struct: name one of its fields in the brackets, as in {expr}['{}']",
                    fields.first().map_or("name", |field| field.name())
                ))),
            },
            DataType::Map(..) => self.map_value(expr, at),
            _ => match (list_item(&expr.data_type).cloned(), name) {
                (None, _) => Err(nothing_inside(&expr)),
                (Some(item), Some(name)) if fields_of(item.data_type()).is_some() => {
                    field(expr, &name)
                }
                (Some(item), _) => self.element(expr, &item, at),
            },
        }
    }

    fn element(&self, expr: Expr, item: &FieldRef, at: Expr) -> Result<Expr> {
        let from = value_type(&at.data_type);
        if !from.is_integer() && *from != DataType::Null {
            return Err(SqlError::new(format!(
                "`{expr}` is an array: its elements have numbers from 0, but `{at}` is {}",
                sql_name(from)
            )));
        }
        let index = self.cast_to(at, &DataType::Int64)?;
        let ansi = self.mode == CastMode::Ansi;
        let nullable = !ansi || expr.nullable || index.nullable || item.is_nullable();
        let data_type = plain(item.data_type()).clone();
        let node = Node::Element { expr: Box::new(expr), index: Box::new(index), mode: self.mode };
        Ok(Expr::new(node, data_type, nullable))
    }

    fn map_value(&self, expr: Expr, key: Expr) -> Result<Expr> {
        let Some((of_keys, of_values)) = map_entry(&expr.data_type) else {
            return Err(nothing_inside(&expr));
        };
        let to = value_type(plain(of_keys.data_type())).clone();
        let data_type = plain(of_values.data_type()).clone();
        let from = value_type(&key.data_type);
        if !becomes_key(from, &to) {
            return Err(SqlError::new(format!(
                "the keys of `{expr}` are {}, but `{key}` is {}",
                sql_name(&to),
                sql_name(from)
            )));
        }
        let key = self.cast_to(key, &to)?;
        let node = Node::MapValue { expr: Box::new(expr), key: Box::new(key) };
        Ok(Expr::new(node, data_type, true))
    }

    /// `named_struct('a', x, ...)`, `struct(x, ...)`.
    pub(super) fn construct(&mut self, name: &str, arguments: &[&ast::Expr]) -> Result<Expr> {
        let values = arguments.iter().map(|argument| self.bind(argument));
        let values = values.collect::<Result<Vec<Expr>>>()?;
        if values.is_empty() {
            return Err(SqlError::new(format!("`{name}` needs at least one value")));
        }
        let named = if name == "struct" {
            let name = |at: usize| match arguments[at] {
                ast::Expr::Identifier(name) => name.value.clone(),
                ast::Expr::CompoundIdentifier(parts) => {
                    parts.last().map_or_else(String::new, |name| name.value.clone())
                }
                _ => format!("col{}", at + 1),
            };
            (0..values.len()).map(name).zip(values).collect()
        } else {
            pairs(values)?
        };
        let (fields, values): (Vec<Field>, Vec<Expr>) = named
            .into_iter()
            .map(|(name, value): (String, Expr)| {
                (Field::new(name, value.data_type.clone(), value.nullable), value)
            })
            .unzip();
        let data_type = DataType::Struct(Fields::from(fields));
        Ok(Expr::new(Node::Struct(values), data_type, false))
    }
}

/// Names and values in turn.
fn pairs(values: Vec<Expr>) -> Result<Vec<(String, Expr)>> {
    let wrong = || SqlError::new("write named_struct('name', value, ...), the names in quotes");
    let mut named = Vec::with_capacity(values.len() / 2);
    let mut values = values.into_iter();
    while let Some(name) = values.next() {
        let text = name.literal().and_then(|text| text.as_string_opt::<i32>());
        let text = text.filter(|text| text.is_valid(0)).ok_or_else(wrong)?;
        named.push((text.value(0).to_owned(), values.next().ok_or_else(wrong)?));
    }
    Ok(named)
}

/// The fields of a struct, dictionaries and runs aside.
fn fields_of(data_type: &DataType) -> Option<&Fields> {
    match container(data_type) {
        DataType::Struct(fields) => Some(fields),
        _ => None,
    }
}

/// The field of this name, in any case; of an array of structs the array of that
/// field; of a map the value of that key.
fn field(expr: Expr, name: &str) -> Result<Expr> {
    if let Some(fields) = fields_of(&expr.data_type) {
        let found = find(fields, name, &expr)?;
        let (name, data_type) = (found.name().clone(), plain(found.data_type()).clone());
        let nullable = expr.nullable || found.is_nullable();
        return Ok(Expr::new(Node::Field { expr: Box::new(expr), name }, data_type, nullable));
    }
    if let Some(item) = list_item(&expr.data_type) {
        let Some(fields) = fields_of(item.data_type()) else {
            return Err(SqlError::new(format!(
                "`{expr}` is an array of {}, which has no fields; take an element, as in {expr}[0]",
                sql_name(item.data_type())
            )));
        };
        let found = find(fields, name, &expr)?;
        let name = found.name().clone();
        let item = Field::new(item.name(), plain(found.data_type()).clone(), true);
        let (data_type, nullable) = (list_of(&expr.data_type, item), expr.nullable);
        return Ok(Expr::new(Node::Field { expr: Box::new(expr), name }, data_type, nullable));
    }
    if let Some((of_keys, of_values)) = map_entry(&expr.data_type)
        && is_string(value_type(plain(of_keys.data_type())))
    {
        let data_type = plain(of_values.data_type()).clone();
        let key = literal::text(name, value_type(plain(of_keys.data_type())))?;
        let node = Node::MapValue { expr: Box::new(expr), key: Box::new(key) };
        return Ok(Expr::new(node, data_type, true));
    }
    Err(nothing_inside(&expr))
}

fn find<'f>(fields: &'f Fields, name: &str, expr: &Expr) -> Result<&'f FieldRef> {
    let mut found = fields.iter().filter(|field| same_name(field.name(), name));
    match (found.next(), found.next()) {
        (Some(field), None) => Ok(field),
        (Some(a), Some(b)) => Err(SqlError::new(format!(
            "`{name}` is ambiguous: `{expr}` has the fields `{}` and `{}`, and case does not count; rename one where the data is written",
            a.name(),
            b.name()
        ))),
        (None, _) => {
            let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
            Err(SqlError::new(format!("`{expr}` has no field `{name}`{}", hint(name, &names))))
        }
    }
}

fn nothing_inside(expr: &Expr) -> SqlError {
    let json = if is_string(value_type(&expr.data_type)) {
        "; read JSON text with from_json or get_json_object"
    } else {
        ""
    };
    SqlError::new(format!(
        "`{expr}` is {}, which has no fields or elements{json}",
        sql_name(&expr.data_type)
    ))
}

/// Whether values of a type are cast to a map's keys without being asked to.
fn becomes_key(from: &DataType, to: &DataType) -> bool {
    let time = |t: &DataType| matches!(t, DataType::Timestamp(..)) || is_date(t);
    let atomic = |t: &DataType| {
        t.is_numeric() || time(t) || is_string(t) || *t == DataType::Boolean || *t == INTERVAL
    };
    from == to
        || *from == DataType::Null
        || from.is_numeric() && to.is_numeric()
        || time(from) && time(to)
        || is_string(to) && atomic(from)
        || is_string(from) && atomic(to)
}
