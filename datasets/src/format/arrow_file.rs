//! Arrow IPC file: mapped (or read) block by block, batches not copied.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::buffer::{Buffer, MutableBuffer};
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::FileDecoder;
use arrow::ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions};
use arrow::ipc::{Block, root_as_footer};

use super::arrow_message::{check_compressed, parse, placed, prefix_len, rows, schema};
use super::dictionary::DictionaryUnifier;
use super::mapped::Mapped;
use super::options::ReadOptions;
use super::reader::{FileBatches, Format, ReadRequest, Shape, unchanged};
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::place::Place;
use crate::write::{BatchWriter, Output};

const MAGIC: &[u8; 6] = b"ARROW1";
/// Magic and padding before the first block; the trailer is length and magic.
const HEAD: u64 = 8;
const TRAILER: u64 = 10;
/// Blocks up to this size are brought in with one call.
const FETCH_BYTES: usize = 32 << 20;
/// Pages behind the cursor are dropped in steps of this size.
const RELEASE_BYTES: usize = 4 << 20;

/// The Arrow IPC file format.
pub(crate) struct ArrowFile;

impl Format for ArrowFile {
    fn shape(&self, path: &Path, _options: &ReadOptions) -> Result<Shape> {
        let mut blocks = Blocks::open(path, false)?;
        let footer = blocks.footer(path)?;
        let mut total = Some(0);
        for (index, block) in footer.batches.iter().enumerate() {
            let damaged = placed(path, FileFormat::ArrowFile, Place::Batch(index));
            let bytes = blocks.metadata(path, block)?;
            let message = parse(&bytes).map_err(damaged)?;
            total = total.zip(rows(&message)).and_then(|(a, b): (u64, u64)| a.checked_add(b));
        }
        Ok(Shape { schema: footer.schema, rows: total, inferred: false })
    }

    fn read(&self, request: ReadRequest<'_>) -> Result<Box<dyn FileBatches>> {
        let ReadRequest { path, schema, projection, options } = request;
        let mut blocks = Blocks::open(path, options.mmap)?;
        let footer = blocks.footer(path)?;
        unchanged(path, schema, &footer.schema)?;
        let mut decoder = FileDecoder::new(footer.schema.clone(), footer.version);
        for (index, block) in footer.dictionaries.iter().enumerate() {
            let damaged = placed(path, FileFormat::ArrowFile, Place::Dictionary(index));
            let bytes = blocks.block(path, block)?;
            let message = parse(&bytes).map_err(&damaged)?;
            check_compressed(&message, &bytes.slice(block.metaDataLength() as usize))
                .map_err(&damaged)?;
            decoder.read_dictionary(block, &bytes).map_err(|e| damaged(e.to_string()))?;
        }
        if projection.len() < footer.schema.fields().len() {
            decoder = decoder.with_projection(projection.to_vec());
        }
        Ok(Box::new(Batches {
            path: path.to_owned(),
            blocks,
            decoder,
            batches: footer.batches,
            next: 0,
            released: 0,
        }))
    }

    fn write(&self, sink: Output, schema: &SchemaRef, _: &Path) -> Result<Box<dyn BatchWriter>> {
        let fail = |source| DatasetError::Write { format: FileFormat::ArrowFile, source };
        // A file holds one dictionary per column: later values are appended to it.
        let options =
            IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Delta);
        let inner = FileWriter::try_new_with_options(sink, schema, options).map_err(fail)?;
        Ok(Box::new(Writer { inner, dictionaries: DictionaryUnifier::new(schema) }))
    }
}

struct Writer {
    inner: FileWriter<Output>,
    dictionaries: DictionaryUnifier,
}

impl BatchWriter for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let fail = |source| DatasetError::Write { format: FileFormat::ArrowFile, source };
        let batch = self.dictionaries.unify(batch).map_err(fail)?;
        self.inner.write(&batch).map_err(fail)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let fail = |source| DatasetError::Write { format: FileFormat::ArrowFile, source };
        self.inner.finish().map_err(fail)?;
        self.inner.flush().map_err(fail)
    }
}

struct Footer {
    schema: SchemaRef,
    version: arrow::ipc::MetadataVersion,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
}

/// The blocks of a file, mapped or read.
enum Blocks {
    Mapped(Mapped),
    Read { file: File, len: u64 },
}

impl Blocks {
    /// Checks length and magics before anything is mapped.
    fn open(path: &Path, map: bool) -> Result<Blocks> {
        let damaged = placed(path, FileFormat::ArrowFile, Place::File);
        let io = |e| DatasetError::io(path, "read", e);
        let mut file = File::open(path).map_err(|e| DatasetError::io(path, "open", e))?;
        let len = file.metadata().map_err(io)?.len();
        if len < HEAD + TRAILER {
            return Err(damaged(format!("the file is cut off at {len} bytes")));
        }
        let mut magic = [0; 6];
        file.read_exact(&mut magic).map_err(io)?;
        if &magic != MAGIC {
            return Err(damaged("the file does not start with ARROW1".to_owned()));
        }
        file.seek(SeekFrom::End(-6)).map_err(io)?;
        file.read_exact(&mut magic).map_err(io)?;
        if &magic != MAGIC {
            let message =
                "the file does not end with ARROW1: it is cut off, or its writer did not finish";
            return Err(damaged(message.to_owned()));
        }
        Ok(if map { Blocks::Mapped(Mapped::new(path, file)?) } else { Blocks::Read { file, len } })
    }

    fn len(&self) -> u64 {
        match self {
            Blocks::Mapped(map) => map.len() as u64,
            Blocks::Read { len, .. } => *len,
        }
    }

    fn footer(&mut self, path: &Path) -> Result<Footer> {
        let damaged = placed(path, FileFormat::ArrowFile, Place::Footer);
        let len = self.len();
        let trailer = self.bytes(path, len - TRAILER, 4)?;
        let footer_len = trailer.first_chunk::<4>().map_or(0, |b| i32::from_le_bytes(*b));
        let footer_len = u64::try_from(footer_len)
            .ok()
            .filter(|n| *n > 0 && *n <= len - HEAD - TRAILER)
            .ok_or_else(|| damaged(format!("impossible footer length {footer_len}")))?;
        let end = len - TRAILER - footer_len;
        let bytes = self.bytes(path, end, footer_len as usize)?;
        let footer = root_as_footer(&bytes).map_err(|e| damaged(format!("{e}")))?;
        let fb = footer.schema().ok_or_else(|| damaged("there is no schema".to_owned()))?;
        let schema = schema(fb).map_err(&damaged)?;
        let dictionaries: Vec<Block> = footer.dictionaries().iter().flatten().copied().collect();
        let batches: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
        for block in dictionaries.iter().chain(&batches) {
            check_block(block, end).map_err(&damaged)?;
        }
        Ok(Footer { schema, version: footer.version(), dictionaries, batches })
    }

    /// A whole block: metadata and body.
    fn block(&mut self, path: &Path, block: &Block) -> Result<Buffer> {
        let len = block.metaDataLength() as usize + block.bodyLength() as usize;
        let start = block.offset() as u64;
        if let Blocks::Mapped(map) = self {
            map.check(path)?;
            if len <= FETCH_BYTES {
                map.fetch(start as usize, len);
            }
        }
        self.bytes(path, start, len)
    }

    fn metadata(&mut self, path: &Path, block: &Block) -> Result<Buffer> {
        self.bytes(path, block.offset() as u64, block.metaDataLength() as usize)
    }

    /// `start..start + len` was checked to be inside the file.
    fn bytes(&mut self, path: &Path, start: u64, len: usize) -> Result<Buffer> {
        match self {
            Blocks::Mapped(map) => Ok(map.buffer(start as usize, len)),
            Blocks::Read { file, .. } => {
                let io = |e| DatasetError::io(path, "read", e);
                let mut bytes = MutableBuffer::from_len_zeroed(len);
                file.seek(SeekFrom::Start(start)).map_err(io)?;
                file.read_exact(&mut bytes).map_err(io)?;
                Ok(bytes.into())
            }
        }
    }
}

/// A block lies between the head and the footer, and its metadata has room for
/// its length prefix.
fn check_block(block: &Block, end: u64) -> Result<(), String> {
    let offset = u64::try_from(block.offset()).ok();
    let metadata = u64::try_from(block.metaDataLength()).ok().filter(|n| *n >= 8);
    let body = u64::try_from(block.bodyLength()).ok();
    offset
        .filter(|n| *n >= HEAD)
        .zip(metadata)
        .and_then(|(a, b)| a.checked_add(b))
        .zip(body)
        .and_then(|(a, b)| a.checked_add(b))
        .filter(|n| *n <= end)
        .map(|_| ())
        .ok_or_else(|| format!("a block lies outside the file: {block:?}"))
}

struct Batches {
    path: PathBuf,
    blocks: Blocks,
    decoder: FileDecoder,
    batches: Vec<Block>,
    next: usize,
    /// Pages before this offset were dropped.
    released: usize,
}

impl Batches {
    fn decode(&mut self) -> Result<Option<RecordBatch>> {
        let Some(block) = self.batches.get(self.next).copied() else { return Ok(None) };
        let damaged = placed(&self.path, FileFormat::ArrowFile, Place::Batch(self.next));
        let bytes = self.blocks.block(&self.path, &block)?;
        if prefix_len(&bytes) > block.metaDataLength() as usize {
            return Err(damaged("a message is cut off".to_owned()));
        }
        let message = parse(&bytes).map_err(&damaged)?;
        check_compressed(&message, &bytes.slice(block.metaDataLength() as usize))
            .map_err(&damaged)?;
        let batch =
            self.decoder.read_record_batch(&block, &bytes).map_err(|e| damaged(e.to_string()))?;
        let batch = batch.ok_or_else(|| damaged("the block holds no record batch".to_owned()))?;
        self.next += 1;
        Ok(Some(batch))
    }

    /// Drops the pages of the blocks before the one that was emitted last.
    fn release_behind(&mut self) {
        let Blocks::Mapped(map) = &self.blocks else { return };
        let done = match self.next.checked_sub(1).and_then(|last| self.batches.get(last)) {
            Some(block) => block.offset() as usize,
            None => return,
        };
        if done > self.released + RELEASE_BYTES || self.next == self.batches.len() {
            map.release(self.released / 4096 * 4096, done);
            self.released = self.released.max(done);
        }
    }
}

impl FileBatches for Batches {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        self.release_behind();
        self.decode()
    }

    fn place(&self) -> Place {
        Place::Batch(self.next)
    }

    /// Drops all pages of the current block: those still needed come back.
    fn release(&mut self) {
        let Blocks::Mapped(map) = &self.blocks else { return };
        if let Some(block) = self.next.checked_sub(1).and_then(|last| self.batches.get(last)) {
            let start = block.offset() as usize;
            let len = block.metaDataLength() as usize + block.bodyLength() as usize;
            map.release(start.next_multiple_of(4096), start + len);
        }
    }
}
