//! Which columns a condition cannot do without.

use std::collections::BTreeSet;

use crate::expr::{Expr, Node};
use crate::operators::{CompareOp, Truth};

/// Positions of columns of which a null keeps the condition from being true.
/// Not all such columns are found: a function is taken to accept nulls.
pub(crate) fn needed(condition: &Expr) -> BTreeSet<usize> {
    never(condition, true)
}

/// Columns of which a null keeps a condition from having this truth value.
fn never(condition: &Expr, value: bool) -> BTreeSet<usize> {
    match &condition.node {
        Node::Not(inner) => never(inner, !value),
        // All operands of a true conjunction are true, one of a false one is
        // false; and the other way round for a disjunction.
        Node::And(all) if value => union(all.iter().map(|operand| never(operand, true))),
        Node::And(all) => common(all.iter().map(|operand| never(operand, false))),
        Node::Or(all) if value => common(all.iter().map(|operand| never(operand, true))),
        Node::Or(all) => union(all.iter().map(|operand| never(operand, false))),
        Node::Is { expr, what, negated } => match (what, *negated == value) {
            // It is not null, so no column that would make it null is.
            (Truth::Null, true) => null_if_null(expr),
            (Truth::True, false) => never(expr, true),
            (Truth::False, false) => never(expr, false),
            _ => BTreeSet::new(),
        },
        _ => null_if_null(condition),
    }
}

/// Columns of which a null makes the expression null.
fn null_if_null(expr: &Expr) -> BTreeSet<usize> {
    match &expr.node {
        Node::Column { position, .. } => BTreeSet::from([*position]),
        Node::Compare { op: CompareOp::NullSafeEq | CompareOp::Distinct, .. }
        | Node::Literal(_)
        | Node::Is { .. }
        | Node::Case { .. }
        | Node::Call { .. } => BTreeSet::new(),
        // Null AND false is false: only what makes every operand null counts.
        Node::And(all) | Node::Or(all) | Node::Coalesce(all) => {
            common(all.iter().map(null_if_null))
        }
        Node::Cast { .. }
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
