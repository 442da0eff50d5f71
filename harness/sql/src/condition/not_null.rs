//! Columns that must not be null for a condition to be true.

use std::collections::BTreeSet;

use crate::expr::{Expr, Node};
use crate::operators::{CompareOp, Truth};

/// Positions of columns in which a null keeps the condition from being true.
/// Some may be missed: functions are assumed to accept nulls.
pub(crate) fn needed(condition: &Expr) -> BTreeSet<usize> {
    never(condition, true)
}

/// Columns in which a null keeps the condition from having this truth value.
fn never(condition: &Expr, value: bool) -> BTreeSet<usize> {
    match &condition.node {
        Node::Not(inner) => never(inner, !value),
        // A conjunction is true if all operands are, and false if one is; vice
        // versa for a disjunction.
        Node::And(all) if value => union(all.iter().map(|operand| never(operand, true))),
        Node::And(all) => common(all.iter().map(|operand| never(operand, false))),
        Node::Or(all) if value => common(all.iter().map(|operand| never(operand, true))),
        Node::Or(all) => union(all.iter().map(|operand| never(operand, false))),
        Node::Is { expr, what, negated } => match (what, *negated == value) {
            // IS NOT NULL holds, so every column that would make it null is not null.
            (Truth::Null, true) => null_if_null(expr),
            (Truth::True, false) => never(expr, true),
            (Truth::False, false) => never(expr, false),
            _ => BTreeSet::new(),
        },
        _ => null_if_null(condition),
    }
}

/// Columns in which a null makes the expression null.
fn null_if_null(expr: &Expr) -> BTreeSet<usize> {
    match &expr.node {
        Node::Column { position, .. } => BTreeSet::from([*position]),
        Node::Compare { op: CompareOp::NullSafeEq | CompareOp::Distinct, .. }
        | Node::Literal(_)
        | Node::Is { .. }
        | Node::Case { .. }
        | Node::Struct(_)
        | Node::Call { .. } => BTreeSet::new(),
        // Null AND false is false: only columns that make every operand null count.
        Node::And(all) | Node::Or(all) | Node::Coalesce(all) => {
            common(all.iter().map(null_if_null))
        }
        Node::Cast { .. }
        | Node::Field { .. }
        | Node::Element { .. }
        | Node::MapValue { .. }
        | Node::Narrow(_)
        | Node::FromJson { .. }
        | Node::ToJson { .. }
        | Node::Compare { .. }
        | Node::Not(_)
        | Node::Like { .. }
        | Node::Arithmetic { .. }
        | Node::Negate { .. }
        | Node::AddInterval { .. }
        | Node::TimeDifference { .. } => union(expr.operands().into_iter().map(null_if_null)),
    }
}

fn union(sets: impl Iterator<Item = BTreeSet<usize>>) -> BTreeSet<usize> {
    sets.flatten().collect()
}

fn common(mut sets: impl Iterator<Item = BTreeSet<usize>>) -> BTreeSet<usize> {
    let Some(first) = sets.next() else { return BTreeSet::new() };
    sets.fold(first, |common, set| &common & &set)
}
