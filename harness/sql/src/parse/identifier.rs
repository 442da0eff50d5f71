//! Quotes names that SQL text would otherwise read differently.

use sqlparser::ast::{Expr, SelectItem};

use crate::names::quoted;
use crate::parse;

/// The name in back-ticks if it is not a plain identifier or SQL would read it
/// as something else; otherwise the name itself.
pub fn quote_identifier(name: &str) -> String {
    let means_itself = |text: &str| {
        matches!(parse::expression(text), Ok(Expr::Identifier(ident)) if ident.value == name)
            && matches!(
                parse::expression(&format!("{text}.{text} = {text}.{text}")),
                Ok(Expr::BinaryOp { left, .. })
                    if matches!(&*left, Expr::CompoundIdentifier(parts) if parts.len() == 2)
            )
            && matches!(
                parse::select_item(&format!("{text}.*")),
                Ok(SelectItem::QualifiedWildcard(..))
            )
            && matches!(
                parse::select_item(&format!("{text}.x AS {text}")),
                Ok(SelectItem::ExprWithAlias { alias, .. }) if alias.value == name
            )
    };
    match quoted(name) {
        plain if plain == name && means_itself(&plain) => plain,
        _ => format!("`{}`", name.replace('`', "``")),
    }
}
