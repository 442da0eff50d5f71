//! Batches with some of their columns passed on and others computed.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, TimestampMicrosecondArray,
};
use arrow::compute::{filter_record_batch, prep_null_mask_filter};
use arrow::datatypes::{Field, Schema, SchemaRef};
use streamjoin_kernels::JoinError;

use super::event_time::EventTime;
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

/// One column of a projector's result.
#[derive(Clone, Debug)]
pub enum Item {
    /// The input column at this position.
    Pass(usize),
    /// An expression over input columns.
    Compute(Computed),
    /// True in every row.
    True,
    /// An event time as a timestamp.
    Time(Box<EventTime>),
}

impl Item {
    /// The column for each row of `batch`.
    ///
    /// # Errors
    /// As [`Computed::evaluate`].
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<ArrayRef, JoinError> {
        match self {
            Self::Pass(column) => Ok(Arc::clone(batch.column(*column))),
            Self::Compute(computed) => computed.evaluate(batch),
            Self::True => Ok(Arc::new(BooleanArray::from(vec![true; batch.num_rows()]))),
            Self::Time(time) => {
                let micros = time.micros(batch)?;
                let times: TimestampMicrosecondArray = micros.reinterpret_cast();
                Ok(Arc::new(times.with_timezone("UTC")))
            }
        }
    }
}

/// Makes batches of one schema from batches of another, row by row.
#[derive(Clone, Debug)]
pub struct Projector {
    schema: SchemaRef,
    items: Vec<Item>,
    identity: bool,
}

impl Projector {
    /// Items with the fields that they become, over inputs of `width` columns.
    pub fn new(columns: Vec<(Field, Item)>, width: usize) -> Self {
        let (fields, items): (Vec<Field>, Vec<Item>) = columns.into_iter().unzip();
        let identity = items.len() == width
            && items.iter().enumerate().all(|(i, item)| matches!(item, Item::Pass(c) if *c == i));
        Self { schema: Arc::new(Schema::new(fields)), items, identity }
    }

    /// Schema of the result.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The result for one batch.
    ///
    /// # Errors
    /// As [`Computed::evaluate`].
    pub fn apply(&self, batch: &RecordBatch) -> Result<RecordBatch, JoinError> {
        if self.identity && batch.schema_ref() == &self.schema {
            return Ok(batch.clone());
        }
        let columns =
            self.items.iter().map(|item| item.evaluate(batch)).collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
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
