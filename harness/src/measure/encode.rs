//! The work of a sink without its file: further passes encode as the first one
//! did, and write nothing.

use std::io;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use streamjoin_datasets::{BatchWriter, writer};

use crate::error::{Failure, Result};
use crate::sink::{self, Sink, SinkSpec};

/// A sink that encodes as `spec` does and keeps nothing.
pub(super) fn discard(spec: &SinkSpec, schema: &SchemaRef) -> Result<Box<dyn Sink>> {
    match spec {
        SinkSpec::File { format, .. } => {
            let writer = writer(*format, Box::new(io::sink()), schema).map_err(Failure::run)?;
            Ok(Box::new(Encode { writer }))
        }
        SinkSpec::None | SinkSpec::Console => sink::open(&SinkSpec::None, schema),
    }
}

struct Encode {
    writer: Box<dyn BatchWriter>,
}

impl Sink for Encode {
    fn batch(&mut self, _: u64, rows: &RecordBatch) -> Result<()> {
        self.writer.write(rows).map_err(Failure::run)
    }

    fn end_batch(&mut self, _: u64) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.writer.finish().map_err(Failure::run)
    }

    fn abandon(self: Box<Self>) -> Result<Option<String>> {
        Ok(None)
    }
}
