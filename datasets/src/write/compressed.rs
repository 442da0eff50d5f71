//! A writer whose file is compressed as a whole.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;

use super::batch_writer::{BatchWriter, Output, buffered};
use crate::compression::{Compression, Encoder};
use crate::error::{DatasetError, Result};

/// The encoder, which the format's writer writes through and this one ends.
#[derive(Clone)]
struct Shared(Arc<Mutex<Encoder<Output>>>);

impl Shared {
    fn with<T>(&self, act: impl FnOnce(&mut Encoder<Output>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|encoder| encoder.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with(Write::flush)
    }
}

struct Writer {
    inner: Box<dyn BatchWriter>,
    encoder: Shared,
    compression: Compression,
}

/// A writer whose file, which `write` writes, is compressed.
pub(crate) fn compressed(
    compression: Compression,
    sink: Output,
    write: impl FnOnce(Output) -> Result<Box<dyn BatchWriter>>,
) -> Result<Box<dyn BatchWriter>> {
    let encoder = compression.encoder(sink).map_err(|e| failed(compression, e))?;
    let encoder = Shared(Arc::new(Mutex::new(encoder)));
    let inner = write(buffered(Box::new(encoder.clone())))?;
    Ok(Box::new(Writer { inner, encoder, compression }))
}

impl BatchWriter for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.inner.write(batch)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.inner.finish()?;
        self.encoder.with(Encoder::finish).map_err(|e| failed(self.compression, e))
    }
}

fn failed(compression: Compression, error: io::Error) -> DatasetError {
    DatasetError::WriteCompressed { compression, source: error }
}
