//! Recordings and tables that are Arrow batches in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use crate::error::{Failure, Result};

/// Rows that a scenario reads from memory. With the trigger `"file"` each batch
/// is a micro-batch of its own.
#[derive(Clone, Debug)]
pub struct MemoryRows {
    schema: SchemaRef,
    batches: Arc<[RecordBatch]>,
}

impl MemoryRows {
    /// Rows of this schema.
    ///
    /// # Errors
    /// A usage failure for a batch of another schema.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
        match batches.iter().position(|batch| batch.schema_ref() != &schema) {
            Some(at) => Err(Failure::usage(format!(
                "batch {at} has another schema than the rows that it is one of"
            ))),
            None => Ok(Self { schema, batches: batches.into() }),
        }
    }

    /// Columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }
}

/// Rows in memory by name. Where a scenario says `recording = "NAME"` or
/// `table = "NAME"`, they are looked up here before a file of that name is.
#[derive(Clone, Debug, Default)]
pub struct InMemory(BTreeMap<String, MemoryRows>);

impl InMemory {
    /// The same with `rows` under `name`.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, rows: MemoryRows) -> Self {
        self.0.insert(name.into(), rows);
        self
    }

    /// The rows under `name`.
    pub fn get(&self, name: &str) -> Option<&MemoryRows> {
        self.0.get(name)
    }
}
