//! Predicates beyond key equality, as the caller supplies them.

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::buffer::BooleanBuffer;

use crate::column::ColumnRef;
use crate::error::{JoinError, Result};

/// A condition that is evaluated column-wise.
pub trait Predicate: fmt::Debug + Send + Sync {
    /// Evaluates `rows` rows of the columns that the [`Filter`] lists, in its
    /// order. A null counts as false.
    ///
    /// # Errors
    /// What the caller's expression runs into, such as a malformed cast:
    /// [`JoinError::predicate`] makes an error of it.
    fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanArray>;
}

/// A predicate and the columns that it reads: positions where it reads one input,
/// [`ColumnRef`]s where it reads both of a stream-static join,
/// [`SideColumn`](crate::SideColumn)s in a stream-stream one.
// Closed: what else a condition needs is its predicate's own.
#[derive(Clone, Debug)]
pub struct Filter<C = ColumnRef> {
    /// The columns, in the order in which the predicate takes them.
    pub columns: Vec<C>,
    /// The predicate.
    pub predicate: Arc<dyn Predicate>,
}

impl<C> Filter<C> {
    /// Evaluates the predicate; null is false (SQL's WHERE and ON).
    pub(crate) fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanBuffer> {
        let outcome = self.predicate.evaluate(columns, rows)?;
        if outcome.len() != rows {
            return Err(JoinError::predicate(format!(
                "it gave {} values for {rows} rows",
                outcome.len()
            )));
        }
        Ok(match outcome.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => outcome.values().clone(),
            Some(nulls) => outcome.values() & nulls.inner(),
        })
    }
}
