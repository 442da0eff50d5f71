//! Bound expressions as the kernels' predicates.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use streamjoin_kernels::{Filter, JoinError, Predicate, Result};

use super::expr::BoundExpr;

/// The expression as a predicate over the columns that
/// [`BoundExpr::columns`] lists, in that order.
pub fn pair_predicate(expr: &BoundExpr) -> Arc<dyn Predicate> {
    Arc::new(Condition(expr.clone()))
}

/// The expression with the columns that it reads; `column` tells where the
/// column at a position of its scope comes from.
pub fn pair_filter<C>(expr: &BoundExpr, column: impl Fn(usize) -> C) -> Filter<C> {
    Filter {
        columns: expr.columns().iter().map(|c| column(*c)).collect(),
        predicate: pair_predicate(expr),
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
                "`{}` is {} and no condition",
                self.0,
                array.data_type()
            ))),
        }
    }
}
