//! Turns bound expressions into predicates of the kernels.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use streamjoin_kernels::{Filter, JoinError, Predicate, Result};

use crate::expr::BoundExpr;

impl BoundExpr {
    /// The expression as a predicate over the columns that [`Self::columns`]
    /// lists, in that order.
    pub fn to_predicate(&self) -> Arc<dyn Predicate> {
        Arc::new(Condition(self.clone()))
    }

    /// The expression with the columns that it reads; `column` maps a position
    /// in its scope to the column that an operator reads it from.
    pub fn to_filter<C>(&self, column: impl Fn(usize) -> C) -> Filter<C> {
        Filter {
            columns: self.columns().iter().map(|position| column(*position)).collect(),
            predicate: self.to_predicate(),
        }
    }
}

#[derive(Debug)]
struct Condition(BoundExpr);

impl Predicate for Condition {
    fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanArray> {
        let array = self.0.evaluate(columns, rows)?;
        match array.as_boolean_opt() {
            Some(booleans) => Ok(booleans.clone()),
            None => Err(JoinError::InvalidPlan(format!(
                "`{}` is {}, not a condition",
                self.0,
                array.data_type()
            ))),
        }
    }
}
