//! Record batches of Arrow streams and files.

use std::io;

use arrow::ipc::{Block, root_as_footer};

use super::cut::{Cut, damaged};
use crate::format::arrow_message::{parse, rows};
use crate::recorder::overflow::Overflow;

/// Marker and length before a message.
const PREFIX: usize = 8;
/// What ends the messages of a stream or file.
pub(super) const END_OF_STREAM: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
const MAGIC: &[u8] = b"ARROW1";

/// The end of the last whole batch of a stream.
pub(super) fn stream(file: &Overflow) -> io::Result<Cut> {
    let mut cut = Cut { end: 0, rows: 0 };
    let mut start = 0;
    while start < file.written() {
        let prefix = file.read_at(start, PREFIX)?;
        let Some(&[a, b, c, d]) = prefix.get(4..) else { break };
        let len = u32::from_le_bytes([a, b, c, d]);
        if len == 0 {
            break;
        }
        let head = file.read_at(start, PREFIX + len as usize)?;
        if head.len() < PREFIX + len as usize {
            break;
        }
        let message = parse(&head).map_err(damaged)?;
        start += head.len() as u64 + u64::try_from(message.bodyLength()).map_err(damaged)?;
        if start <= file.written()
            && let Some(rows) = rows(&message)
        {
            cut = Cut { end: start, rows: cut.rows + rows };
        }
    }
    Ok(cut)
}

/// The footer of a whole file.
pub(super) struct Footer(Vec<u8>);

impl Footer {
    pub(super) fn read(file: &Overflow) -> io::Result<Footer> {
        let tail = (4 + MAGIC.len()) as u64;
        let Some(end) = file.len().checked_sub(tail) else { return Err(damaged("no footer")) };
        let bytes = file.read_at(end, tail as usize)?;
        let len = match bytes.split_first_chunk::<4>() {
            Some((len, MAGIC)) => u32::from_le_bytes(*len),
            _ => return Err(damaged("no footer")),
        };
        let start = end.checked_sub(len.into()).ok_or_else(|| damaged("no footer"))?;
        let footer = Footer(file.read_at(start, len as usize)?);
        root_as_footer(&footer.0).map_err(|e| damaged(e.to_string()))?;
        Ok(footer)
    }

    /// The ends of its batches.
    pub(super) fn cuts(&self, file: &Overflow) -> io::Result<Vec<Cut>> {
        let footer = root_as_footer(&self.0).map_err(|e| damaged(e.to_string()))?;
        let mut cuts = Vec::new();
        let mut before = 0;
        for block in footer.recordBatches().into_iter().flatten() {
            let head = file.read_at(block.offset() as u64, block.metaDataLength() as usize)?;
            before += rows(&parse(&head).map_err(damaged)?).unwrap_or(0);
            cuts.push(Cut { end: end(block), rows: before });
        }
        Ok(cuts)
    }

    /// The end of a file of the first `batches` batches.
    pub(super) fn until(&self, batches: usize) -> io::Result<Vec<u8>> {
        let footer = root_as_footer(&self.0).map_err(|e| damaged(e.to_string()))?;
        let blocks = footer.recordBatches().ok_or_else(|| damaged("no batches"))?;
        let cut = end(blocks.get(batches - 1));
        let mut bytes = self.0.clone();
        // A list starts with its length: what is past the cut is not counted.
        let mut shorten = |list: &[u8], length: usize| {
            let at = list.as_ptr() as usize - self.0.as_ptr() as usize - 4;
            bytes[at..at + 4].copy_from_slice(&(length as u32).to_le_bytes());
        };
        shorten(blocks.bytes(), batches);
        if let Some(dictionaries) = footer.dictionaries() {
            let before = dictionaries.iter().take_while(|block| end(block) <= cut).count();
            shorten(dictionaries.bytes(), before);
        }
        let len = (bytes.len() as u32).to_le_bytes();
        Ok([&END_OF_STREAM[..], &bytes, &len, MAGIC].concat())
    }
}

fn end(block: &Block) -> u64 {
    (block.offset() + i64::from(block.metaDataLength()) + block.bodyLength()) as u64
}
