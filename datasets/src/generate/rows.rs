//! What every generator implements.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;

use crate::error::{DatasetError, Result};

/// What each generator does.
pub(crate) trait Generate {
    fn schema(&self) -> SchemaRef;

    /// Rows in all; `None` = without end.
    fn rows(&self) -> Option<u64>;

    /// Checks the settings.
    fn check(&self) -> Result<()>;

    /// Prepares what rows need, once. Only called when `check` passed.
    fn prepare(&self) -> Box<dyn Rows>;
}

/// Makes rows `first..first + rows`; asked for without gaps, from 0 on.
pub(crate) trait Rows: Send {
    fn rows(&mut self, first: u64, rows: usize) -> Result<RecordBatch>;
}

/// The rows of generator `kind`.
pub(super) fn batch(kind: &str, schema: &SchemaRef, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    RecordBatch::try_new(Arc::clone(schema), columns)
        .map_err(|source| DatasetError::arrow(format_args!("generator `{kind}`"), source))
}
