//! From the join of two streams to the tables that follow it.

use std::sync::Arc;

use arrow::array::{Array, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use streamjoin_kernels::stream_stream;

use crate::error::{Failure, Result};
use crate::plan::StreamStreamPlan;

/// Makes the rows that follow the join: its columns, and the marker if one is
/// asked for.
#[derive(Clone, Debug)]
pub(crate) struct JoinedSchema {
    schema: SchemaRef,
    columns: usize,
    proofs: Vec<usize>,
}

impl JoinedSchema {
    pub(crate) fn new(plan: &StreamStreamPlan, join: &stream_stream::Join) -> Self {
        let columns = plan.joined.columns;
        let mut fields: Vec<Field> =
            join.output_schema().fields()[..columns].iter().map(|f| f.as_ref().clone()).collect();
        if !plan.joined.proofs.is_empty() {
            fields.push(Field::new("matched 0", DataType::Boolean, true));
        }
        Self { schema: Arc::new(Schema::new(fields)), columns, proofs: plan.joined.proofs.clone() }
    }

    pub(crate) fn rows(&self, joined: RecordBatch) -> Result<RecordBatch> {
        if self.proofs.is_empty() && joined.num_columns() == self.columns {
            return Ok(joined);
        }
        let rows = joined.num_rows();
        let mut columns = joined.columns()[..self.columns].to_vec();
        if !self.proofs.is_empty() {
            let nulls = self.proofs.iter().fold(None, |nulls: Option<NullBuffer>, &proof| {
                NullBuffer::union(nulls.as_ref(), joined.column(proof).logical_nulls().as_ref())
            });
            columns.push(Arc::new(BooleanArray::new(BooleanBuffer::new_set(rows), nulls)));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(Failure::run)
    }
}
