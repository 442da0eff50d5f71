//! Writing batches, whatever the format.

use std::fmt::{self, Debug};
use std::io::{BufWriter, Write};

use arrow::array::RecordBatch;

use crate::error::Result;

/// Where bytes go.
pub(crate) type Output = Box<dyn Write + Send>;

/// Writes record batches in one format.
pub trait BatchWriter: Send {
    /// Writes a batch; its columns are those the writer was made for.
    ///
    /// # Errors
    /// The sink failed, or a value cannot be written.
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Writes what ends the file and flushes the sink. A file that is not
    /// finished may be unreadable.
    ///
    /// # Errors
    /// The sink failed.
    fn finish(self: Box<Self>) -> Result<()>;
}

impl Debug for dyn BatchWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BatchWriter")
    }
}

/// A sink whose writes are buffered.
pub(crate) fn buffered(sink: Box<dyn Write + Send>) -> Output {
    Box::new(BufWriter::with_capacity(256 << 10, sink))
}
