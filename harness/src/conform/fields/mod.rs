//! Whether the condition as it was bound means what the case's fields say.
//!
//! Keys and time bounds are compared as such. Filters may be spelt in many ways,
//! so they are compared by what they answer on the case's own rows.

mod filters;
mod stream_static;
mod stream_stream;

use std::collections::BTreeSet;

use streamjoin_kernels::{NullEquality, Side};

use super::case::{Condition, Query};
use super::input::Input;
use crate::plan::{Bound, BoundInput};
use streamjoin_sql::{BoundExpr, Scope};

/// Checks what was bound for `query`.
///
/// # Errors
/// The first difference.
pub(super) fn check(query: &Query, bound: &Bound, input: &Input) -> Result<(), String> {
    match (query, &bound.input) {
        (Query::StreamStatic(query), Some(BoundInput::Stream(stream))) => {
            stream_static::check(query, stream, &bound.tables, input)
        }
        (Query::StreamStream(query), Some(BoundInput::Streams(streams))) => {
            stream_stream::check(query, streams, input)
        }
        _ => Err("the scenario was bound as one of another kind".to_owned()),
    }
}

/// A pair of key expressions, left and right.
type Key<'b> = (&'b BoundExpr, &'b BoundExpr, NullEquality);

/// A filter with the sides and positions of its columns.
type Filter<'b> = (&'b BoundExpr, Vec<(Side, usize)>);

/// Checks the keys that were bound for `condition`; `rename` gives the names
/// that its columns have in the scenario.
fn check_keys<'b>(
    condition: &Condition,
    bound: impl Iterator<Item = Key<'b>>,
    (left, right): (&Scope, &Scope),
    rename: impl Fn(&str) -> String,
) -> Result<(), String> {
    type Named = BTreeSet<(String, String, bool)>;
    let wanted: Named = match &condition.using {
        Some(names) => names.iter().map(|name| (name.clone(), name.clone(), false)).collect(),
        None => condition
            .keys
            .iter()
            .map(|key| (rename(&key.left), rename(&key.right), key.null_safe))
            .collect(),
    };
    let name = |expr: &BoundExpr, scope: &Scope| match expr.as_column() {
        Some(column) => scope.columns[column].name.clone(),
        None => expr.to_string(),
    };
    let found: Named = bound
        .map(|(l, r, nulls)| (name(l, left), name(r, right), nulls == NullEquality::NullSafe))
        .collect();
    // Names are found without regard to case.
    let folded = |keys: &Named| -> Named {
        keys.iter().map(|(l, r, safe)| (l.to_lowercase(), r.to_lowercase(), *safe)).collect()
    };
    if folded(&found) == folded(&wanted) {
        return Ok(());
    }
    Err(format!(
        "the parser reads other keys than the case has: parsed {found:?}, wanted {wanted:?} (left, right, null-safe)"
    ))
}
