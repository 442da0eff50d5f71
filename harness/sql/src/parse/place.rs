//! Where an expression begins in its text.

use sqlparser::ast::{Expr, ObjectNamePart};
use sqlparser::tokenizer::Span;

/// The place of the leftmost name or literal of an expression; iterative, since
/// long sequences of operators nest deeply on the left.
pub(crate) fn place(expr: &Expr) -> Span {
    let mut expr = expr;
    loop {
        expr = match expr {
            Expr::Identifier(name) => return name.span,
            Expr::CompoundIdentifier(parts) => {
                return parts.first().map_or_else(Span::empty, |p| p.span);
            }
            Expr::Value(value) => return value.span,
            Expr::TypedString(typed) => return typed.value.span,
            Expr::Function(function) => {
                return match function.name.0.first() {
                    Some(ObjectNamePart::Identifier(name)) => name.span,
                    _ => Span::empty(),
                };
            }
            Expr::Case { case_token, .. } => return case_token.0.span,
            Expr::Interval(interval) => &interval.value,
            Expr::BinaryOp { left, .. }
            | Expr::AnyOp { left, .. }
            | Expr::AllOp { left, .. }
            | Expr::IsDistinctFrom(left, _)
            | Expr::IsNotDistinctFrom(left, _) => left,
            Expr::Nested(inner)
            | Expr::UnaryOp { expr: inner, .. }
            | Expr::IsNull(inner)
            | Expr::IsNotNull(inner)
            | Expr::IsTrue(inner)
            | Expr::IsNotTrue(inner)
            | Expr::IsFalse(inner)
            | Expr::IsNotFalse(inner)
            | Expr::IsUnknown(inner)
            | Expr::IsNotUnknown(inner)
            | Expr::Between { expr: inner, .. }
            | Expr::In { expr: inner, .. }
            | Expr::Like { expr: inner, .. }
            | Expr::ILike { expr: inner, .. }
            | Expr::RLike { expr: inner, .. }
            | Expr::SimilarTo { expr: inner, .. }
            | Expr::Cast { expr: inner, .. }
            | Expr::Ceil { expr: inner, .. }
            | Expr::Floor { expr: inner, .. }
            | Expr::Substring { expr: inner, .. }
            | Expr::Trim { expr: inner, .. }
            | Expr::Extract { expr: inner, .. }
            | Expr::Position { expr: inner, .. }
            | Expr::Collate { expr: inner, .. }
            | Expr::AtTimeZone { timestamp: inner, .. }
            | Expr::JsonAccess { value: inner, .. }
            | Expr::CompoundFieldAccess { root: inner, .. } => inner,
            _ => return Span::empty(),
        };
    }
}
