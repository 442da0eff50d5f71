//! Arrow IPC stream: messages one after another, read with bounded memory.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::buffer::{Buffer, MutableBuffer};
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::FileDecoder;
use arrow::ipc::writer::StreamWriter;
use arrow::ipc::{Block, MessageHeader, MetadataVersion};

use super::arrow_message::{check_compressed, parse, placed, schema};
use super::{FileBatches, FileFormat, Format, Shape, unchanged};
use crate::error::{DatasetError, Place, Result};
use crate::options::ReadOptions;
use crate::write::{BatchWriter, Output};

/// The Arrow IPC stream format.
pub(crate) struct ArrowStream;

impl Format for ArrowStream {
    fn shape(&self, path: &Path, _options: &ReadOptions) -> Result<Shape> {
        let (schema, _) = Messages::open(path)?.schema(path)?;
        Ok(Shape { schema, rows: None, inferred: false })
    }

    fn read(
        &self,
        path: &Path,
        schema: &SchemaRef,
        projection: &[usize],
        _options: &ReadOptions,
    ) -> Result<Box<dyn FileBatches>> {
        let mut messages = Messages::open(path)?;
        let (own, version) = messages.schema(path)?;
        unchanged(path, schema, &own)?;
        let mut decoder = FileDecoder::new(own, version);
        if projection.len() < schema.fields().len() {
            decoder = decoder.with_projection(projection.to_vec());
        }
        Ok(Box::new(Batches { path: path.to_owned(), messages, decoder, batch: 0, dictionary: 0 }))
    }

    fn write(&self, sink: Output, schema: &SchemaRef) -> Result<Box<dyn BatchWriter>> {
        let inner = StreamWriter::try_new(sink, schema)
            .map_err(|source| DatasetError::Write { format: FileFormat::ArrowStream, source })?;
        Ok(Box::new(Writer(inner)))
    }
}

struct Writer(StreamWriter<Output>);

impl BatchWriter for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let fail = |source| DatasetError::Write { format: FileFormat::ArrowStream, source };
        self.0.write(batch).map_err(fail)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let fail = |source| DatasetError::Write { format: FileFormat::ArrowStream, source };
        self.0.finish().map_err(fail)?;
        self.0.flush().map_err(fail)
    }
}

/// One message: a flatbuffer with its length prefix, and a body.
struct Message {
    metadata_len: usize,
    /// Metadata and body, as a block of an Arrow file has them.
    bytes: Buffer,
}

struct Messages {
    file: BufReader<File>,
    /// Bytes not yet read: no message may claim more.
    left: u64,
}

impl Messages {
    fn open(path: &Path) -> Result<Messages> {
        let file = File::open(path).map_err(|e| DatasetError::io(path, "open", e))?;
        let left = file.metadata().map_err(|e| DatasetError::io(path, "read", e))?.len();
        Ok(Messages { file: BufReader::with_capacity(256 << 10, file), left })
    }

    fn schema(&mut self, path: &Path) -> Result<(SchemaRef, MetadataVersion)> {
        let damaged = placed(path, FileFormat::ArrowStream, Place::Header);
        let first = self.next().map_err(&damaged)?;
        let first = first.ok_or_else(|| damaged("there is no schema".to_owned()))?;
        let message = parse(&first.bytes).map_err(&damaged)?;
        let fb = message.header_as_schema();
        let fb = fb.ok_or_else(|| damaged("the first message is not a schema".to_owned()))?;
        Ok((schema(fb).map_err(&damaged)?, message.version()))
    }

    fn take(&mut self, into: &mut [u8]) -> Result<(), String> {
        self.left = self
            .left
            .checked_sub(into.len() as u64)
            .ok_or("the file is cut off in the middle of a message")?;
        self.file.read_exact(into).map_err(|e| e.to_string())
    }

    /// The next message, or `None` at the end-of-stream marker. A file that
    /// ends without one was cut off between two messages.
    fn next(&mut self) -> Result<Option<Message>, String> {
        if self.left == 0 {
            let message =
                "no end-of-stream marker: the file is cut off, or its writer did not finish";
            return Err(message.to_owned());
        }
        let mut prefix = [0; 8];
        self.take(&mut prefix[..4])?;
        let mut prefix_len = 4;
        if prefix[..4] == [0xff; 4] {
            self.take(&mut prefix[4..])?;
            prefix_len = 8;
        }
        let flat_len = prefix[prefix_len - 4..].first_chunk::<4>().copied().unwrap_or_default();
        let flat_len = i32::from_le_bytes(flat_len);
        if flat_len == 0 {
            return Ok(None);
        }
        let flat_len = usize::try_from(flat_len)
            .ok()
            .filter(|n| *n as u64 <= self.left)
            .ok_or_else(|| format!("a message claims {flat_len} bytes, {} are left", self.left))?;
        let metadata_len = prefix_len + flat_len;
        let mut metadata = vec![0; metadata_len];
        metadata[..prefix_len].copy_from_slice(&prefix[..prefix_len]);
        self.take(&mut metadata[prefix_len..])?;
        let claimed = parse(&metadata)?.bodyLength();
        let body_len = usize::try_from(claimed)
            .ok()
            .filter(|n| *n as u64 <= self.left)
            .ok_or_else(|| format!("a body claims {claimed} bytes, {} are left", self.left))?;
        // The body starts on a 64-byte border, so that its buffers are used as they are.
        let padding = metadata_len.next_multiple_of(64) - metadata_len;
        let mut bytes = MutableBuffer::from_len_zeroed(padding + metadata_len + body_len);
        bytes[padding..padding + metadata_len].copy_from_slice(&metadata);
        self.take(&mut bytes[padding + metadata_len..])?;
        Ok(Some(Message { metadata_len, bytes: Buffer::from(bytes).slice(padding) }))
    }
}

struct Batches {
    path: PathBuf,
    messages: Messages,
    decoder: FileDecoder,
    batch: usize,
    dictionary: usize,
}

impl FileBatches for Batches {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let format = FileFormat::ArrowStream;
        loop {
            let damaged = placed(&self.path, format, Place::Batch(self.batch));
            let Some(next) = self.messages.next().map_err(&damaged)? else { return Ok(None) };
            let message = parse(&next.bytes).map_err(&damaged)?;
            let body = next.bytes.slice(next.metadata_len);
            check_compressed(&message, &body).map_err(&damaged)?;
            let block = Block::new(0, next.metadata_len as i32, body.len() as i64);
            match message.header_type() {
                MessageHeader::DictionaryBatch => {
                    let damaged = placed(&self.path, format, Place::Dictionary(self.dictionary));
                    self.decoder
                        .read_dictionary(&block, &next.bytes)
                        .map_err(|e| damaged(e.to_string()))?;
                    self.dictionary += 1;
                }
                MessageHeader::RecordBatch => {
                    let batch = self.decoder.read_record_batch(&block, &next.bytes);
                    self.batch += 1;
                    return batch.map_err(|e| damaged(e.to_string()));
                }
                other => return Err(damaged(format!("unexpected message {other:?}"))),
            }
        }
    }

    fn place(&self) -> Place {
        Place::Batch(self.batch)
    }
}
