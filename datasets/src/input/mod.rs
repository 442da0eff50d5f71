//! Where text and streams are read from: a file or a live input, decompressed
//! on the way.

mod live;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use crate::compression::Compression;
use crate::error::{DatasetError, Result};

pub use live::Live;
pub(crate) use live::LiveReader;

const BUFFER_BYTES: usize = 256 << 10;
/// Bytes that identify a compression.
const HEAD_BYTES: usize = 4;
/// A longer first line is not read to its end.
const LINE_BYTES: u64 = 64 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes as the formats read them, decompressed.
pub(crate) struct Input {
    reader: BufReader<Box<dyn Read + Send>>,
    compression: Option<Compression>,
    /// Bytes in all, where known.
    len: Option<u64>,
    live: Option<Arc<Live>>,
}

impl Input {
    /// A file, compressed or not.
    ///
    /// # Errors
    /// It cannot be opened, or it is not compressed as its name says.
    pub(crate) fn open(path: &Path) -> Result<Input> {
        let file = File::open(path).map_err(|e| DatasetError::io(path, "open", e))?;
        let metadata = file.metadata().map_err(|e| DatasetError::io(path, "read", e))?;
        let mut input = Input::new(path, file, None)?;
        // A pipe has no length to rely on.
        if input.compression.is_none() && metadata.is_file() {
            input.len = Some(metadata.len());
        }
        match (Compression::from_path(path), input.compression) {
            (Some(_), None) if metadata.len() == 0 => Err(DatasetError::EmptyFile {
                path: path.to_owned(),
                remedy: "copy or compress it again",
            }),
            (Some(named), None) => Err(DatasetError::Compressed {
                path: path.to_owned(),
                compression: named,
                message: format!("it is not {named}: its first bytes are others; rename it"),
            }),
            _ => Ok(input),
        }
    }

    /// A live input.
    pub(crate) fn live(path: &Path, reader: LiveReader) -> Result<Input> {
        let live = reader.live().clone();
        Input::new(path, reader, Some(live))
    }

    fn new(
        path: &Path,
        mut reader: impl Read + Send + 'static,
        live: Option<Arc<Live>>,
    ) -> Result<Input> {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        let io = |e| DatasetError::io(path, "read", e);
        read_head(&mut reader, HEAD_BYTES, &mut head).map_err(io)?;
        let compression = Compression::from_content(&head);
        let whole: Chain<Cursor<Vec<u8>>, _> = Cursor::new(head).chain(reader);
        let reader: Box<dyn Read + Send> = match compression {
            Some(compression) => {
                let packed = BufReader::with_capacity(BUFFER_BYTES, whole);
                compression.decoder(packed).map_err(io)?
            }
            None => Box::new(whole),
        };
        let reader = BufReader::with_capacity(BUFFER_BYTES, reader);
        Ok(Input { reader, compression, len: None, live })
    }

    /// Skips a byte order mark.
    pub(crate) fn skip_mark(&mut self, path: &Path) -> Result<()> {
        if self.peek(path, BYTE_ORDER_MARK.len())? == BYTE_ORDER_MARK {
            let mut mark = [0; BYTE_ORDER_MARK.len()];
            self.read_exact(&mut mark).map_err(|e| self.failed(path, e))?;
        }
        Ok(())
    }

    /// The next bytes without consuming them: `wanted`, or fewer if a line or
    /// the input ends before that. For the start of an input.
    pub(crate) fn peek(&mut self, path: &Path, wanted: usize) -> Result<Vec<u8>> {
        let mut head = Vec::with_capacity(wanted);
        let read = read_head(&mut *self, wanted, &mut head);
        read.map_err(|e| self.failed(path, e))?;
        self.put_back(head.clone());
        Ok(head)
    }

    /// The next bytes up to the end of the first line that is not blank, without
    /// consuming them. For the start of an input.
    pub(crate) fn peek_line(&mut self, path: &Path) -> Result<Vec<u8>> {
        let mut head = Vec::new();
        loop {
            let start = head.len();
            let mut few = Read::take(&mut *self, LINE_BYTES);
            let read = few.read_until(b'\n', &mut head);
            let read = read.map_err(|e| self.failed(path, e))?;
            if read == 0 || !head[start..].trim_ascii().is_empty() {
                break;
            }
        }
        self.put_back(head.clone());
        Ok(head)
    }

    /// Puts bytes before those that are still to be read.
    fn put_back(&mut self, bytes: Vec<u8>) {
        let buffered = self.reader.buffer().to_vec();
        let empty: Box<dyn Read + Send> = Box::new(io::empty());
        let old = std::mem::replace(&mut self.reader, BufReader::new(empty)).into_inner();
        let whole = Cursor::new(bytes).chain(Cursor::new(buffered)).chain(old);
        self.reader = BufReader::with_capacity(BUFFER_BYTES, Box::new(whole));
    }

    /// Reads a compressed input, whose content ended, to its own end, where the
    /// checksum of its content is verified.
    pub(crate) fn check_end(&mut self) -> io::Result<()> {
        if self.compression.is_some() {
            io::copy(self, &mut io::sink())?;
        }
        Ok(())
    }

    /// Bytes in all, where known.
    pub(crate) fn len(&self) -> Option<u64> {
        self.len
    }

    /// What counts and times a live input.
    pub(crate) fn live_state(&self) -> Option<&Arc<Live>> {
        self.live.as_ref()
    }

    /// Whether a live input was ended from this side, which may be in the
    /// middle of a row.
    pub(crate) fn is_cut(&self) -> bool {
        self.live.as_ref().is_some_and(|live| live.is_stopped())
    }

    /// An error of reading.
    pub(crate) fn failed(&self, path: &Path, error: io::Error) -> DatasetError {
        failure(path, self.compression, error)
    }
}

fn failure(path: &Path, compression: Option<Compression>, error: io::Error) -> DatasetError {
    let Some(compression) = compression else { return DatasetError::io(path, "read", error) };
    let message = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the file is cut off; copy or compress it again".to_owned(),
        _ => format!("{error}; copy or compress it again"),
    };
    DatasetError::Compressed { path: path.to_owned(), compression, message }
}

/// Reads up to `wanted` bytes, and not beyond the end of a line: a live input may
/// be silent after it.
fn read_head(reader: &mut impl Read, wanted: usize, head: &mut Vec<u8>) -> io::Result<()> {
    while head.len() < wanted && head.last() != Some(&b'\n') {
        if Read::take(&mut *reader, 1).read_to_end(head)? == 0 {
            break;
        }
    }
    Ok(())
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.reader.buffer().is_empty()
            && let Err(error) = self.reader.fill_buf()
        {
            // A compressed input that was ended from this side is cut off.
            return if self.is_cut() { Ok(&[]) } else { Err(error) };
        }
        Ok(self.reader.buffer())
    }

    fn consume(&mut self, bytes: usize) {
        self.reader.consume(bytes);
    }
}
