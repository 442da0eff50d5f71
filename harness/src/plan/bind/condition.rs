//! A join's condition as it is written: `on`, `using`, or neither.

use crate::error::{Failure, Result};
use crate::scenario::{Condition, Located};
use streamjoin_sql::SqlError;

/// What a join's condition is given as.
pub(super) enum Written<'a> {
    /// A condition as SQL.
    On(&'a Located<String>),
    /// The names of columns.
    Using(&'a Located<Vec<String>>),
    /// Nothing.
    Nothing,
}

impl<'a> Written<'a> {
    /// The condition of `join`, as messages name it.
    ///
    /// # Errors
    /// A usage failure where `on` and `using` are both given.
    pub(super) fn of(condition: &'a Condition, join: &str) -> Result<Self> {
        match (&condition.on, &condition.using) {
            (Some(_), Some(using)) => {
                Err(using
                    .refuse(format!("{join} takes `on` or `using`, not both: remove one of them")))
            }
            (Some(on), None) => Ok(Self::On(on)),
            (None, Some(using)) => Ok(Self::Using(using)),
            (None, None) => Ok(Self::Nothing),
        }
    }
}

/// `USING (...)` as SQL.
pub(super) fn using_clause(names: &[String]) -> String {
    let names = names.iter().map(|name| format!("`{}`", name.replace('`', "``")));
    format!("USING ({})", names.collect::<Vec<_>>().join(", "))
}

/// The failure of a `using`: its text is made up, so it has no place in it.
pub(super) fn using_failed(using: &Located<Vec<String>>, error: &SqlError) -> Failure {
    using.refuse(format!("`using`: {}", error.message()))
}
