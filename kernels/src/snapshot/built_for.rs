//! What a version of a table was built for.

use std::sync::Arc;

use arrow::datatypes::DataType;

use crate::hash::KeyHasher;
use crate::null_equality::NullEquality;
use crate::predicate::Filter;
use crate::spark::CastMode;

/// All of a join that decides what a version of its table looks like: a version
/// serves every join for which this is the same, and would give wrong answers to
/// any other.
#[derive(Debug)]
pub(crate) struct BuiltFor {
    /// The types of the table's columns.
    pub(crate) columns: Vec<DataType>,
    /// The table's key columns, by position.
    pub(crate) keys: Vec<usize>,
    /// The types that keys are compared as, after coercion.
    pub(crate) key_types: Vec<DataType>,
    /// Whether null matches null, per key.
    pub(crate) null_equality: Vec<NullEquality>,
    /// What a malformed value in a cast of a key does.
    pub(crate) cast_mode: CastMode,
    /// Condition on rows of the table. It is kept alive, so that another one never
    /// has its address.
    pub(crate) filter: Option<Filter>,
    /// The retained columns, by position.
    pub(crate) retained: Vec<usize>,
    /// Hashes the keys; none where rows are found without hashes.
    pub(crate) hasher: Option<KeyHasher>,
}

impl BuiltFor {
    /// What `join` wants otherwise, for people; none if a snapshot that was built
    /// for `self` serves it.
    pub(crate) fn difference(&self, join: &Self) -> Option<String> {
        let differ = |what: &str, is: String, wanted: String| {
            Some(format!("{what} {is} in the snapshot and {wanted} in the join"))
        };
        if self.columns != join.columns {
            return differ("the table's columns are", list(&self.columns), list(&join.columns));
        }
        if self.keys != join.keys {
            return differ("the table's key columns are", list(&self.keys), list(&join.keys));
        }
        if self.key_types != join.key_types {
            return differ("keys are compared as", list(&self.key_types), list(&join.key_types));
        }
        let of_both = self.null_equality.iter().zip(&join.null_equality);
        if let Some((number, (is, wanted))) =
            (1..).zip(of_both).find(|(_, (is, wanted))| is != wanted)
        {
            let nulls = |equality: &NullEquality| match equality {
                NullEquality::NullMatchesNothing => "matches nothing".to_owned(),
                NullEquality::NullSafe => "matches null".to_owned(),
            };
            return differ(&format!("null in key {number}"), nulls(is), nulls(wanted));
        }
        if self.cast_mode != join.cast_mode {
            let mode = |mode: CastMode| format!("{mode:?}");
            return differ("the cast mode is", mode(self.cast_mode), mode(join.cast_mode));
        }
        if !same_filter(self.filter.as_ref(), join.filter.as_ref()) {
            return Some(
                "the filters of the table are not the same one: joins share a predicate where their specifications are clones of one"
                    .to_owned(),
            );
        }
        if self.retained != join.retained {
            return differ("the retained columns are", list(&self.retained), list(&join.retained));
        }
        match (&self.hasher, &join.hasher) {
            (None, None) => None,
            (Some(is), Some(wanted)) if is.hashes_as(wanted) => None,
            (Some(_), Some(_)) => Some("keys are hashed with another seed".to_owned()),
            (Some(_), None) => {
                Some("the snapshot has an index, and the join's layout is sort-merge".to_owned())
            }
            (None, Some(_)) => Some(
                "the snapshot was sorted for the layout sort-merge, and the join needs an index"
                    .to_owned(),
            ),
        }
    }
}

/// Whether both are nothing, or one predicate over the same columns.
fn same_filter(one: Option<&Filter>, other: Option<&Filter>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            // By address alone: a type may have several tables of methods.
            let address = |filter: &Filter| Arc::as_ptr(&filter.predicate).cast::<()>();
            one.columns == other.columns && address(one) == address(other)
        }
        _ => false,
    }
}

fn list<T: ToString>(items: &[T]) -> String {
    let items: Vec<_> = items.iter().map(ToString::to_string).collect();
    format!("({})", items.join(", "))
}
