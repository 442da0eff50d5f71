//! Arrow IPC file: read block by block, the columns that are asked for only.
//!
//! Blocks are read into memory of our own, never mapped: Arrow checks offsets,
//! texts and dictionary codes once and trusts them from then on, so nobody else
//! may be able to change them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::buffer::{Buffer, MutableBuffer};
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::FileDecoder;
use arrow::ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions};
use arrow::ipc::{Block, root_as_footer};

use super::arrow_columns::{buffers_of, ranges};
use super::arrow_message::{all_buffers, check_compressed, parse, placed, rows, schema};
use super::block_memory::BlockMemory;
use super::options::ReadOptions;
use super::reader::{FileBatches, Format, ReadRequest, Shape, unchanged};
use super::trial::misfit;
use crate::columns::{DictionaryUnifier, unified, without_slices};
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::place::Place;
use crate::write::{BatchWriter, Output};

const MAGIC: &[u8; 6] = b"ARROW1";
/// Magic and padding before the first block; the trailer is length and magic.
const HEAD: u64 = 8;
const TRAILER: u64 = 10;
/// The Arrow IPC file format.
pub(crate) struct ArrowFile;

impl Format for ArrowFile {
    fn shape(&self, path: &Path, _options: &ReadOptions) -> Result<Shape> {
        let mut blocks = Blocks::open(path)?;
        let footer = blocks.footer(path)?;
        let mut total = Some(0);
        for (index, block) in footer.batches.iter().enumerate() {
            let damaged = placed(path, FileFormat::ArrowFile, Place::Batch(index));
            let bytes = blocks.bytes(path, block.start, block.metadata)?;
            let message = parse(&bytes).map_err(damaged)?;
            total = total.zip(rows(&message)).and_then(|(a, b): (u64, u64)| a.checked_add(b));
        }
        Ok(Shape { schema: footer.schema, rows: total, inferred: false })
    }

    fn read(&self, request: ReadRequest<'_>) -> Result<Box<dyn FileBatches>> {
        let ReadRequest { path, schema, projection, .. } = request;
        let mut blocks = Blocks::open(path)?;
        let footer = blocks.footer(path)?;
        unchanged(path, schema, &footer.schema)?;
        let mut decoder = FileDecoder::new(footer.schema.clone(), footer.version);
        for (index, block) in footer.dictionaries.iter().enumerate() {
            let damaged = placed(path, FileFormat::ArrowFile, Place::Dictionary(index));
            let bytes = blocks.bytes(path, block.start, block.len)?;
            let (metadata, body) = bytes.split_at(block.metadata);
            let message = parse(metadata).map_err(&damaged)?;
            check_compressed(&message, &all_buffers(&message), body).map_err(&damaged)?;
            decoder.read_dictionary(&block.block, &bytes).map_err(|e| damaged(e.to_string()))?;
        }
        if projection.len() < footer.schema.fields().len() {
            decoder = decoder.with_projection(projection.to_vec());
        }
        Ok(Box::new(Batches {
            path: path.to_owned(),
            blocks,
            memory: BlockMemory::default(),
            decoder,
            schema: footer.schema,
            projection: projection.to_vec(),
            batches: footer.batches,
            next: 0,
        }))
    }

    fn write(&self, sink: Output, schema: &SchemaRef, _: &Path) -> Result<Box<dyn BatchWriter>> {
        let fail = |source| DatasetError::Write { format: FileFormat::ArrowFile, source };
        // A file holds one dictionary per column: later values are appended to it, for
        // which its indexes must have room.
        let options =
            IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Delta);
        let inner =
            FileWriter::try_new_with_options(sink, &unified(schema), options).map_err(fail)?;
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
        let batch = without_slices(batch).and_then(|batch| self.dictionaries.unify(&batch));
        let batch = batch.map_err(misfit(FileFormat::ArrowFile))?;
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
    dictionaries: Vec<Located>,
    batches: Vec<Located>,
}

/// The blocks of a file.
struct Blocks {
    file: File,
    len: u64,
}

impl Blocks {
    /// Checks length and magics.
    fn open(path: &Path) -> Result<Blocks> {
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
        Ok(Blocks { file, len })
    }

    fn footer(&mut self, path: &Path) -> Result<Footer> {
        let damaged = placed(path, FileFormat::ArrowFile, Place::Footer);
        // `open` saw that there is room for both.
        let end = self.len - TRAILER;
        let mut footer_len = [0; 4];
        self.read(path, end, &mut footer_len)?;
        let footer_len = i32::from_le_bytes(footer_len);
        let (footer_len, end) = usize::try_from(footer_len)
            .ok()
            .filter(|len| *len > 0)
            .and_then(|len| Some((len, end.checked_sub(len as u64).filter(|end| *end >= HEAD)?)))
            .ok_or_else(|| damaged(format!("impossible footer length {footer_len}")))?;
        let bytes = self.bytes(path, end, footer_len)?;
        let footer = root_as_footer(&bytes).map_err(|e| damaged(format!("{e}")))?;
        let fb = footer.schema().ok_or_else(|| damaged("there is no schema".to_owned()))?;
        let schema = schema(fb).map_err(&damaged)?;
        let located = |block: &Block| {
            let outside = || damaged(format!("a block lies outside the file: {block:?}"));
            Located::check(*block, end).ok_or_else(outside)
        };
        let dictionaries = footer.dictionaries().into_iter().flatten().map(located);
        let dictionaries = dictionaries.collect::<Result<_>>()?;
        let batches = footer.recordBatches().into_iter().flatten().map(located);
        let batches = batches.collect::<Result<_>>()?;
        Ok(Footer { schema, version: footer.version(), dictionaries, batches })
    }

    fn bytes(&mut self, path: &Path, start: u64, len: usize) -> Result<Buffer> {
        let mut bytes = MutableBuffer::from_len_zeroed(len);
        self.read(path, start, &mut bytes)?;
        Ok(bytes.into())
    }

    /// Fails where the file has become shorter.
    fn read(&mut self, path: &Path, start: u64, into: &mut [u8]) -> Result<()> {
        let io = |e| DatasetError::io(path, "read", e);
        self.file.seek(SeekFrom::Start(start)).map_err(io)?;
        self.file.read_exact(into).map_err(io)
    }
}

/// A block that lies between the head and the footer, and whose metadata has room
/// for its length prefix.
#[derive(Clone, Copy)]
struct Located {
    block: Block,
    start: u64,
    metadata: usize,
    /// Metadata and body.
    len: usize,
}

impl Located {
    fn check(block: Block, end: u64) -> Option<Located> {
        let start = u64::try_from(block.offset()).ok().filter(|start| *start >= HEAD)?;
        let metadata = usize::try_from(block.metaDataLength()).ok().filter(|len| *len >= 8)?;
        let len = metadata.checked_add(usize::try_from(block.bodyLength()).ok()?)?;
        let inside = start.checked_add(len as u64)? <= end;
        inside.then_some(Located { block, start, metadata, len })
    }
}

struct Batches {
    path: PathBuf,
    blocks: Blocks,
    memory: BlockMemory,
    decoder: FileDecoder,
    schema: SchemaRef,
    projection: Vec<usize>,
    batches: Vec<Located>,
    next: usize,
}

impl FileBatches for Batches {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let Some(block) = self.batches.get(self.next) else { return Ok(None) };
        let damaged = placed(&self.path, FileFormat::ArrowFile, Place::Batch(self.next));
        let metadata = self.blocks.bytes(&self.path, block.start, block.metadata)?;
        let message = parse(&metadata).map_err(&damaged)?;
        let buffers = buffers_of(&message, self.schema.fields(), &self.projection);
        let body_len = block.len - block.metadata;
        let (ranges, end) = ranges(&buffers, body_len).map_err(&damaged)?;
        // What lies between the ranges belongs to columns that are not decoded.
        let mut bytes = self.memory.take(block.metadata + end).map_err(&damaged)?;
        let (head, body) = bytes.split_at_mut(block.metadata);
        head.copy_from_slice(&metadata);
        let body_start = block.start + block.metadata as u64;
        for range in ranges {
            let start = body_start + range.start as u64;
            self.blocks.read(&self.path, start, &mut body[range])?;
        }
        check_compressed(&message, &buffers, body).map_err(&damaged)?;
        let bytes = self.memory.lend(bytes);
        let batch = self.decoder.read_record_batch(&block.block, &bytes);
        let batch = batch.map_err(|e| damaged(e.to_string()))?;
        let batch = batch.ok_or_else(|| damaged("the block holds no record batch".to_owned()))?;
        self.next += 1;
        Ok(Some(batch))
    }

    fn place(&self) -> Place {
        Place::Batch(self.next)
    }
}
