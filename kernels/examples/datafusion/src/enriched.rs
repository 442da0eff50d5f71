//! A query whose rows pass through a join, as a table.

use std::future::ready;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, LogicalPlan, TableType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::{TryStreamExt, stream};
use streamjoin_kernels::stream_static::Join;
use streamjoin_kernels::{JoinError, TableSnapshot};

/// The rows of a query, joined with the table that the join has in use when the scan is
/// planned.
#[derive(Debug)]
pub struct Enriched {
    pub query: LogicalPlan,
    pub join: Arc<Join>,
}

#[async_trait]
impl TableProvider for Enriched {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.join.output_schema())
    }

    fn table_type(&self) -> TableType {
        TableType::View
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(snapshot) = self.join.snapshot() else {
            return Err(DataFusionError::Execution("the join has no table yet".to_owned()));
        };
        let query = session.create_physical_plan(&self.query).await?;
        let partitions = (0..query.output_partitioning().partition_count()).map(|number| {
            Arc::new(Partition {
                query: Arc::clone(&query),
                number,
                join: Arc::clone(&self.join),
                snapshot: Arc::clone(&snapshot),
            }) as Arc<dyn PartitionStream>
        });
        let scan = StreamingTable::try_new(self.schema(), partitions.collect())?;
        scan.scan(session, projection, filters, limit).await
    }
}

/// One partition of the query. DataFusion runs several at a time, on threads of its own.
#[derive(Debug)]
struct Partition {
    query: Arc<dyn ExecutionPlan>,
    number: usize,
    join: Arc<Join>,
    snapshot: Arc<TableSnapshot>,
}

impl PartitionStream for Partition {
    fn schema(&self) -> &SchemaRef {
        self.join.output_schema()
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (join, snapshot) = (Arc::clone(&self.join), Arc::clone(&self.snapshot));
        let enriched = stream::iter([self.query.execute(self.number, context)])
            .try_flatten()
            .and_then(move |batch| {
                ready(join.push_with(&batch, snapshot.clone()).map_err(external))
            })
            .map_ok(|cursor| stream::iter(cursor).map_err(external))
            .try_flatten();
        Box::pin(RecordBatchStreamAdapter::new(self.schema().clone(), enriched))
    }
}

pub fn external(error: JoinError) -> DataFusionError {
    DataFusionError::External(error.into())
}
