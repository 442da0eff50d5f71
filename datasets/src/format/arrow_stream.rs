//! Arrow IPC stream: messages one after another, read with bounded memory.

use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::buffer::{Buffer, MutableBuffer};
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::FileDecoder;
use arrow::ipc::writer::StreamWriter;
use arrow::ipc::{Block, MessageHeader, MetadataVersion};

use super::arrow_message::{all_buffers, check_compressed, parse, placed, schema};
use super::options::ReadOptions;
use super::reader::{FileBatches, Format, ReadRequest, Shape, unchanged};
use super::trial::misfit;
use crate::columns::{convert_columns, single_dictionaries, without_slices};
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::input::Input;
use crate::place::Place;
use crate::write::{BatchWriter, Output};

/// The Arrow IPC stream format.
pub(crate) struct ArrowStream;

impl Format for ArrowStream {
    fn shape(&self, path: &Path, _options: &ReadOptions) -> Result<Shape> {
        let (schema, _) = Messages::new(Input::open(path)?).schema(path)?;
        Ok(Shape { schema, rows: None, inferred: false })
    }

    fn read(&self, request: ReadRequest<'_>) -> Result<Box<dyn FileBatches>> {
        let ReadRequest { path, schema, projection, .. } = request;
        let mut messages = Messages::new(Input::open(path)?);
        let (own, version) = messages.schema(path)?;
        unchanged(path, schema, &own)?;
        let mut decoder = FileDecoder::new(own, version);
        if projection.len() < schema.fields().len() {
            decoder = decoder.with_projection(projection.to_vec());
        }
        Ok(Box::new(Batches::new(path, messages, decoder)))
    }

    fn write(&self, sink: Output, schema: &SchemaRef, _: &Path) -> Result<Box<dyn BatchWriter>> {
        let schema = single_dictionaries(schema);
        let inner = StreamWriter::try_new(sink, &schema)
            .map_err(|source| DatasetError::Write { format: FileFormat::ArrowStream, source })?;
        Ok(Box::new(Writer { inner, schema }))
    }
}

/// The batches of a live input.
pub(super) fn live(path: &Path, input: Input) -> Result<(SchemaRef, Box<dyn FileBatches>)> {
    let mut messages = Messages::new(input);
    let (schema, version) = messages.schema(path)?;
    let decoder = FileDecoder::new(schema.clone(), version);
    Ok((schema, Box::new(Batches::new(path, messages, decoder))))
}

struct Writer {
    inner: StreamWriter<Output>,
    /// The columns, without dictionaries of dictionaries.
    schema: SchemaRef,
}

impl BatchWriter for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let fail = |source| DatasetError::Write { format: FileFormat::ArrowStream, source };
        let batch = without_slices(batch).and_then(|batch| convert_columns(&batch, &self.schema));
        let batch = batch.map_err(misfit(FileFormat::ArrowStream))?;
        self.inner.write(&batch).map_err(fail)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let fail = |source| DatasetError::Write { format: FileFormat::ArrowStream, source };
        self.inner.finish().map_err(fail)?;
        self.inner.flush().map_err(fail)
    }
}

/// One message: a flatbuffer with its length prefix, and a body.
struct Message {
    metadata_len: usize,
    /// Metadata and body, as a block of an Arrow file has them.
    bytes: Buffer,
}

struct Messages {
    input: Input,
    /// Bytes not yet read, where that is known: no message may claim more.
    left: Option<u64>,
}

/// A body whose length may be wrong is read in steps of this size.
const STEP_BYTES: usize = 16 << 20;

impl Messages {
    fn new(input: Input) -> Messages {
        Messages { left: input.len(), input }
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
        let cut = "the file is cut off in the middle of a message";
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(into.len() as u64).ok_or(cut)?;
        }
        self.input.read_exact(into).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => cut.to_owned(),
            _ => e.to_string(),
        })
    }

    /// Whether a message may still have this many bytes.
    fn check_claim(&self, what: &str, claimed: i64) -> Result<usize, String> {
        let len = usize::try_from(claimed).map_err(|_| format!("{what} claims {claimed} bytes"))?;
        match self.left {
            Some(left) if len as u64 > left => {
                Err(format!("{what} claims {claimed} bytes, {left} are left"))
            }
            _ => Ok(len),
        }
    }

    /// The next message, or `None` at the end-of-stream marker. A file that
    /// ends without one was cut off between two messages; a live input ends
    /// when its producer does.
    fn next(&mut self) -> Result<Option<Message>, String> {
        match self.read_next() {
            // The rest of the message was not waited for.
            Err(_) if self.input.is_cut() => Ok(None),
            other => other,
        }
    }

    fn read_next(&mut self) -> Result<Option<Message>, String> {
        if self.input.fill_buf().map_err(|e| e.to_string())?.is_empty() {
            if self.input.live_state().is_some() {
                return Ok(None);
            }
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
            self.input.check_end().map_err(|e| match e.kind() {
                io::ErrorKind::UnexpectedEof => "the compressed file is cut off".to_owned(),
                _ => e.to_string(),
            })?;
            return Ok(None);
        }
        let flat_len = self.check_claim("a message", flat_len.into())?;
        let metadata_len = prefix_len + flat_len;
        let mut metadata = MutableBuffer::new(0);
        metadata.extend_from_slice(&prefix[..prefix_len]);
        self.append(&mut metadata, flat_len)?;
        let claimed = parse(&metadata)?.bodyLength();
        let body_len = self.check_claim("a body", claimed)?;
        // The body starts on a 64-byte border, so that its buffers are used as they are.
        let padding = metadata_len.next_multiple_of(64) - metadata_len;
        let mut bytes = match self.left {
            Some(_) => MutableBuffer::with_capacity(padding + metadata_len + body_len),
            None => MutableBuffer::new(0),
        };
        bytes.resize(padding, 0);
        bytes.extend_from_slice(&metadata);
        self.append(&mut bytes, body_len)?;
        Ok(Some(Message { metadata_len, bytes: Buffer::from(bytes).slice(padding) }))
    }

    /// Appends `len` bytes, in steps where the length may be wrong.
    fn append(&mut self, bytes: &mut MutableBuffer, len: usize) -> Result<(), String> {
        let mut missing = len;
        while missing > 0 {
            let step = if self.left.is_some() { missing } else { missing.min(STEP_BYTES) };
            let start = bytes.len();
            bytes.resize(start + step, 0);
            self.take(&mut bytes.as_slice_mut()[start..])?;
            missing -= step;
        }
        Ok(())
    }
}

struct Batches {
    path: PathBuf,
    messages: Messages,
    decoder: FileDecoder,
    batch: usize,
    dictionary: usize,
    /// Of the rows emitted last, if the input is live.
    arrivals: Vec<i64>,
}

impl Batches {
    fn new(path: &Path, messages: Messages, decoder: FileDecoder) -> Batches {
        let path = path.to_owned();
        Batches { path, messages, decoder, batch: 0, dictionary: 0, arrivals: Vec::new() }
    }

    /// As many rows as are wanted of a live input, with their times.
    fn counted(&mut self, batch: RecordBatch) -> Option<RecordBatch> {
        let Some(live) = self.messages.input.live_state() else { return Some(batch) };
        let is_empty = batch.num_rows() == 0;
        let rows = live.take_rows(batch.num_rows());
        self.arrivals = vec![live.arrived(); rows];
        (rows > 0 || is_empty).then(|| batch.slice(0, rows))
    }
}

impl FileBatches for Batches {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let format = FileFormat::ArrowStream;
        if self.messages.input.live_state().is_some_and(|live| live.is_full()) {
            return Ok(None);
        }
        loop {
            let damaged = placed(&self.path, format, Place::Batch(self.batch));
            let Some(next) = self.messages.next().map_err(&damaged)? else { return Ok(None) };
            let message = parse(&next.bytes).map_err(&damaged)?;
            let body = next.bytes.slice(next.metadata_len);
            check_compressed(&message, &all_buffers(&message), &body).map_err(&damaged)?;
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
                    let batch = batch.map_err(|e| damaged(e.to_string()))?;
                    drop(damaged);
                    self.batch += 1;
                    return Ok(batch.and_then(|batch| self.counted(batch)));
                }
                other => return Err(damaged(format!("unexpected message {other:?}"))),
            }
        }
    }

    fn place(&self) -> Place {
        Place::Batch(self.batch)
    }

    fn arrivals(&mut self) -> Vec<i64> {
        std::mem::take(&mut self.arrivals)
    }
}
