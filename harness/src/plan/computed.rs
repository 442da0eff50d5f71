//! Values that are taken or computed from batches.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow::compute::{filter_record_batch, prep_null_mask_filter};
use streamjoin_kernels::JoinError;
use streamjoin_sql::BoundExpr;

/// An expression with the positions of its columns in the batches that it is
/// evaluated over.
#[derive(Clone, Debug)]
pub struct Computed {
    expr: BoundExpr,
    columns: Vec<usize>,
}

impl std::fmt::Display for Computed {
    /// As SQL.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.expr.fmt(f)
    }
}

impl Computed {
    /// `expr` over batches in which scope column `c` stands at `position(c)`.
    pub fn new(expr: &BoundExpr, position: impl Fn(usize) -> usize) -> Self {
        let columns = expr.columns().iter().map(|&column| position(column)).collect();
        Self { expr: expr.clone(), columns }
    }

    /// The value for each row of `batch`.
    ///
    /// # Errors
    /// As the expression: malformed casts, overflow.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<ArrayRef, JoinError> {
        let columns: Vec<ArrayRef> =
            self.columns.iter().map(|&column| Arc::clone(batch.column(column))).collect();
        self.expr.evaluate(&columns, batch.num_rows())
    }
}

/// A column as it is, or an expression.
#[derive(Clone, Debug)]
pub enum Value {
    /// The column at this position.
    Column(usize),
    /// An expression over columns.
    Computed(Computed),
}

impl Value {
    /// The value for each row of `batch`.
    ///
    /// # Errors
    /// As [`Computed::evaluate`].
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<ArrayRef, JoinError> {
        match self {
            Self::Column(column) => Ok(Arc::clone(batch.column(*column))),
            Self::Computed(computed) => computed.evaluate(batch),
        }
    }
}

/// The rows of `batch` for which `predicate` is true; null counts as false.
///
/// # Errors
/// As [`Computed::evaluate`].
pub fn keep_where(batch: RecordBatch, predicate: &Computed) -> Result<RecordBatch, JoinError> {
    let mask = predicate.evaluate(&batch)?;
    let mask = mask
        .as_any()
        .downcast_ref::<BooleanArray>()
        .ok_or_else(|| JoinError::InvalidPlan("a filter that is not boolean".to_owned()))?;
    let mask = match mask.nulls() {
        Some(_) => &prep_null_mask_filter(mask),
        None => mask,
    };
    if mask.true_count() == batch.num_rows() {
        return Ok(batch);
    }
    Ok(filter_record_batch(&batch, mask)?)
}
