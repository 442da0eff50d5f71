//! Conditions, filters and select lists as SQL text.
//!
//! Text is parsed by sqlparser, bound to a [`Scope`] of columns, and evaluated
//! with Arrow kernels with Spark's meaning: its type coercion, its casts in
//! and out of ANSI mode, its three-valued logic, its NaN. Anything that cannot
//! work is refused when it is bound, with line and column.

mod bind;
mod condition;
mod dialect;
mod display;
mod error;
mod eval;
mod event_time;
mod expr;
mod functions;
mod identifier;
mod interval;
mod nulls;
mod parse;
mod place;
mod predicate;
mod scope;
mod select;
mod types;

use streamjoin_kernels::key::CastMode;

pub use condition::{Conjunct, ConjunctRole, JoinCondition, KeyExpr, OnClause};
pub use error::SqlError;
pub use event_time::{TimeColumns, WindowColumns};
pub use expr::BoundExpr;
pub(crate) use functions::{of_strftime, reads};
pub use predicate::{pair_filter, pair_predicate};
pub use scope::{Scope, ScopeColumn};
pub use select::SelectItem;

#[cfg(test)]
mod tests;

/// A name as SQL text that means it: in back-ticks if it is odd, or a word that
/// SQL reads otherwise.
#[must_use]
pub fn identifier(name: &str) -> String {
    identifier::identifier(name)
}

/// Binds one expression.
///
/// # Errors
/// Syntax, unknown or ambiguous names, types that do not fit.
pub fn expression(text: &str, scope: &Scope, mode: CastMode) -> Result<BoundExpr, SqlError> {
    let parsed = parse::expression(text)?;
    Ok(BoundExpr::new(bind::Binder::new(scope, mode).bind(&parsed)?))
}

/// Binds one expression that must be a truth value, such as a `where`; rows
/// for which it is null do not pass.
///
/// # Errors
/// As [`expression`], and if it is not boolean.
pub fn filter(text: &str, scope: &Scope, mode: CastMode) -> Result<BoundExpr, SqlError> {
    let parsed = parse::expression(text)?;
    let bound = bind::Binder::new(scope, mode).condition(&parsed)?;
    Ok(BoundExpr::new(bound))
}

/// Binds a select list; each string is one item.
///
/// # Errors
/// As [`expression`]; the message quotes the item.
pub fn select(
    items: &[String],
    scope: &Scope,
    mode: CastMode,
) -> Result<Vec<SelectItem>, SqlError> {
    select::select(items, scope, mode)
}

/// Binds an ON condition or `USING (a, b)`; for the latter only the names
/// are told.
///
/// # Errors
/// As [`filter`]; for `USING`, a name that one side lacks.
pub fn on_clause(
    text: &str,
    left: &Scope,
    right: &Scope,
    mode: CastMode,
) -> Result<OnClause, SqlError> {
    condition::on_clause(text, left, right, mode)
}

/// Binds an ON condition and takes it apart; `USING (a, b)` gives the keys
/// that it stands for.
///
/// # Errors
/// As [`on_clause`].
pub fn join_condition(
    text: &str,
    left: &Scope,
    right: &Scope,
    mode: CastMode,
) -> Result<JoinCondition, SqlError> {
    condition::join_condition(text, left, right, mode)
}

/// Binds the condition of two streams, whose event times are at `times`, and
/// takes it apart: comparisons of the two event times, in any spelling, become
/// [`JoinCondition::time`]. With `USING (a, b)` the names are told too.
///
/// # Errors
/// As [`on_clause`]; an interval of months between the event times.
pub fn streams_condition(
    text: &str,
    left: &Scope,
    right: &Scope,
    mode: CastMode,
    times: &TimeColumns,
) -> Result<(JoinCondition, Option<Vec<String>>), SqlError> {
    condition::streams_condition(text, left, right, mode, times)
}
