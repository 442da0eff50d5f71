//! Batches with some of their columns passed on and others computed.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, TimestampMicrosecondArray,
};
use arrow::datatypes::{Field, Schema, SchemaRef};
use streamjoin_kernels::JoinError;

use super::computed::Value;
use super::event_time::EventTime;

/// One column of a projector's result.
#[derive(Clone, Debug)]
pub enum Item {
    /// A value of the input.
    Value(Value),
    /// True in every row.
    True,
    /// An event time as a timestamp.
    Time(Box<EventTime>),
}

impl Item {
    /// The input column at this position.
    pub fn column(at: usize) -> Self {
        Self::Value(Value::Column(at))
    }

    /// The column for each row of `batch`.
    ///
    /// # Errors
    /// As the expressions: malformed casts, overflow.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<ArrayRef, JoinError> {
        match self {
            Self::Value(value) => value.evaluate(batch),
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
            && items
                .iter()
                .enumerate()
                .all(|(i, item)| matches!(item, Item::Value(Value::Column(c)) if *c == i));
        Self { schema: Arc::new(Schema::new(fields)), items, identity }
    }

    /// Schema of the result.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The result for one batch.
    ///
    /// # Errors
    /// As the expressions: malformed casts, overflow.
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
