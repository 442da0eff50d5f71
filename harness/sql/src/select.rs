//! Select lists: `*`, `t.*`, `expr AS name`, `expr`.

use sqlparser::ast::{self, SelectItem as Ast, SelectItemQualifiedWildcardKind as Kind};
use streamjoin_kernels::spark::CastMode;

use crate::bind::Binder;
use crate::error::{Result, SqlError};
use crate::expr::{BoundExpr, Expr};
use crate::names::shortened;
use crate::parse;
use crate::scope::Scope;

/// One output column.
#[derive(Clone, Debug)]
pub struct SelectItem {
    /// Its name: the alias, the name of the selected column, or the expression's text.
    pub name: String,
    /// Its value.
    pub expr: BoundExpr,
}

/// Binds a select list; each string is one item.
///
/// # Errors
/// As [`expression`](crate::expression); the message quotes the item.
pub fn select(items: &[String], scope: &Scope, mode: CastMode) -> Result<Vec<SelectItem>> {
    if items.is_empty() {
        return Err(SqlError::new("the select list is empty; use [\"*\"] for all columns"));
    }
    let mut selected = Vec::new();
    for text in items {
        add(text, scope, mode, &mut selected).map_err(|e| in_item(&e, text))?;
    }
    Ok(selected)
}

/// Says which item of the list is wrong.
fn in_item(error: &SqlError, text: &str) -> SqlError {
    SqlError::new(format!("in `{}`: {error}", shortened(text, 60)))
}

fn add(text: &str, scope: &Scope, mode: CastMode, selected: &mut Vec<SelectItem>) -> Result<()> {
    let mut binder = Binder::new(scope, mode);
    match parse::select_item(text)? {
        Ast::Wildcard(options) => {
            let all = (0..scope.columns.len()).collect();
            selected.extend(wildcard(scope, all, &options)?);
        }
        Ast::QualifiedWildcard(Kind::ObjectName(name), options) => {
            let qualifier = match name.0.as_slice() {
                [ast::ObjectNamePart::Identifier(ident)] => &ident.value,
                _ => return Err(SqlError::new("expected a single name before `.*`")),
            };
            selected.extend(wildcard(scope, scope.under(qualifier)?, &options)?);
        }
        Ast::UnnamedExpr(expr) => {
            let name = match &expr {
                ast::Expr::Identifier(ident) => ident.value.clone(),
                ast::Expr::CompoundIdentifier(parts) => {
                    parts.last().map_or_else(String::new, |p| p.value.clone())
                }
                _ => text.trim().to_owned(),
            };
            selected.push(SelectItem { name, expr: BoundExpr::new(binder.bind(&expr)?) });
        }
        Ast::ExprWithAlias { expr, alias } => selected
            .push(SelectItem { name: alias.value, expr: BoundExpr::new(binder.bind(&expr)?) }),
        Ast::ExprWithAliases { .. } | Ast::QualifiedWildcard(..) => {
            return Err(SqlError::new("an expression takes one alias here"));
        }
    }
    Ok(())
}

fn wildcard(
    scope: &Scope,
    positions: Vec<usize>,
    options: &ast::WildcardAdditionalOptions,
) -> Result<Vec<SelectItem>> {
    let plain = options.opt_exclude.is_none()
        && options.opt_except.is_none()
        && options.opt_ilike.is_none()
        && options.opt_replace.is_none()
        && options.opt_rename.is_none();
    if !plain {
        return Err(SqlError::new("`*` takes no options here; list the columns that you want"));
    }
    let column = |position: usize| {
        let name = scope.columns[position].name.clone();
        SelectItem { name, expr: BoundExpr::new(Expr::column(scope, position)) }
    };
    Ok(positions.into_iter().map(column).collect())
}
