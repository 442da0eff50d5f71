//! Files that are compressed as a whole: gzip and zstd.

use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use zstd::stream::read::Decoder as ZstdDecoder;
use zstd::stream::write::Encoder as ZstdEncoder;

/// How a file is compressed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// gzip (`.gz`), of one or several members.
    Gzip,
    /// Zstandard (`.zst`), of one or several frames.
    Zstd,
}

/// Each compression with its extension and the bytes that it starts with.
const KNOWN: [(Compression, &str, &[u8]); 2] = [
    (Compression::Gzip, "gz", &[0x1f, 0x8b]),
    (Compression::Zstd, "zst", &[0x28, 0xb5, 0x2f, 0xfd]),
];

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        })
    }
}

impl Compression {
    /// The compression that the last extension of `path` names.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Compression> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        KNOWN.iter().find(|known| known.1 == extension).map(|known| known.0)
    }

    /// The compression of content that starts with `head`. None of our formats
    /// starts like that.
    pub(crate) fn from_content(head: &[u8]) -> Option<Compression> {
        KNOWN.iter().find(|known| head.starts_with(known.2)).map(|known| known.0)
    }

    pub(crate) fn decoder(
        self,
        inner: impl BufRead + Send + 'static,
    ) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Compression::Gzip => Box::new(MultiGzDecoder::new(inner)),
            Compression::Zstd => Box::new(ZstdDecoder::with_buffer(inner)?),
        })
    }

    pub(crate) fn encoder<W: Write>(self, inner: W) -> io::Result<Encoder<W>> {
        Ok(match self {
            Compression::Gzip => {
                Encoder::Gzip(GzEncoder::new(inner, flate2::Compression::default()))
            }
            Compression::Zstd => Encoder::Zstd(ZstdEncoder::new(inner, 0)?),
        })
    }
}

/// `path` without the extension of its compression.
pub(crate) fn uncompressed_name(path: &Path) -> PathBuf {
    match Compression::from_path(path) {
        Some(_) => path.with_extension(""),
        None => path.to_owned(),
    }
}

/// Compresses what is written to it; [`finish`](Encoder::finish) ends the file.
pub(crate) enum Encoder<W: Write> {
    Gzip(GzEncoder<W>),
    Zstd(ZstdEncoder<'static, W>),
}

impl<W: Write> Encoder<W> {
    /// Writes what ends the compressed file, and flushes.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match self {
            Encoder::Gzip(encoder) => {
                encoder.try_finish()?;
                encoder.get_mut().flush()
            }
            Encoder::Zstd(encoder) => {
                encoder.do_finish()?;
                encoder.get_mut().flush()
            }
        }
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Encoder::Gzip(encoder) => encoder.write(bytes),
            Encoder::Zstd(encoder) => encoder.write(bytes),
        }
    }

    /// Does nothing: a flush in the middle would only worsen the compression.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
