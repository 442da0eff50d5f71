//! The file formats by name, extension and first bytes; [`crate::format`] reads
//! and writes them.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::compression::uncompressed_name;
use crate::nearest::nearest;

/// A file format that can be read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum FileFormat {
    /// Arrow IPC file (`.arrow`, `.ipc`, `.feather`), read batch by batch.
    ArrowFile,
    /// Arrow IPC stream (`.arrows`).
    ArrowStream,
    /// Parquet (`.parquet`).
    Parquet,
    /// Delimited text (`.csv`, `.tsv`).
    Csv,
    /// One JSON object per line (`.jsonl`, `.ndjson`).
    JsonLines,
}

/// Each format in the order of the variants, its name, and its extensions, the
/// usual one first.
const KNOWN: [(FileFormat, &str, &[&str]); 5] = [
    (FileFormat::ArrowFile, "arrow", &["arrow", "ipc", "feather"]),
    (FileFormat::ArrowStream, "arrow-stream", &["arrows"]),
    (FileFormat::Parquet, "parquet", &["parquet", "pq"]),
    (FileFormat::Csv, "csv", &["csv", "tsv"]),
    (FileFormat::JsonLines, "jsonl", &["jsonl", "ndjson"]),
];

impl FileFormat {
    /// Bytes that [`from_content`](Self::from_content) needs.
    pub(crate) const HEAD_BYTES: usize = 8;

    /// Every format.
    pub fn all() -> impl Iterator<Item = FileFormat> {
        KNOWN.iter().map(|known| known.0)
    }

    /// The format's name, as in `--output-format`.
    #[must_use]
    pub fn name(self) -> &'static str {
        KNOWN[self as usize].1
    }

    /// Extensions without the dot, the usual one first.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        KNOWN[self as usize].2
    }

    /// The format of a file by the extension of `path`, or by the one before
    /// `.gz` or `.zst`.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<FileFormat> {
        let path = uncompressed_name(path);
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        KNOWN.iter().find(|known| known.2.contains(&extension.as_str())).map(|known| known.0)
    }

    /// The binary format of content that starts with `head`.
    pub(crate) fn from_content(head: &[u8]) -> Option<FileFormat> {
        match head {
            _ if head.starts_with(b"PAR1") => Some(FileFormat::Parquet),
            _ if head.starts_with(b"ARROW1") => Some(FileFormat::ArrowFile),
            _ if head.starts_with(&[0xff; 4]) => Some(FileFormat::ArrowStream),
            _ => None,
        }
    }

    /// Whether files of this format hold the types of their columns.
    #[must_use]
    pub fn stores_types(self) -> bool {
        !matches!(self, FileFormat::Csv | FileFormat::JsonLines)
    }

    /// Whether files of this format may be compressed as a whole (gzip, zstd).
    #[must_use]
    pub fn may_be_compressed(self) -> bool {
        !matches!(self, FileFormat::Parquet | FileFormat::ArrowFile)
    }

    /// All known extensions, for messages.
    pub(crate) fn known_extensions() -> String {
        let all: Vec<String> =
            KNOWN.iter().flat_map(|known| known.2).map(|e| format!(".{e}")).collect();
        all.join(", ")
    }
}

/// A format name that is not known.
#[derive(Debug, thiserror::Error)]
#[error("unknown format `{name}`{hint}; known: {known}")]
pub struct UnknownFormatName {
    name: String,
    hint: String,
    known: String,
}

impl UnknownFormatName {
    pub(crate) fn new(name: &str, known: &[&str]) -> UnknownFormatName {
        UnknownFormatName {
            name: name.to_owned(),
            hint: nearest(name, known.iter().copied()),
            known: known.join(", "),
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<FileFormat> for String {
    fn from(format: FileFormat) -> String {
        format.name().to_owned()
    }
}

impl TryFrom<String> for FileFormat {
    type Error = UnknownFormatName;

    fn try_from(name: String) -> Result<Self, UnknownFormatName> {
        name.parse()
    }
}

impl FromStr for FileFormat {
    type Err = UnknownFormatName;

    fn from_str(name: &str) -> Result<Self, UnknownFormatName> {
        let wanted = name.trim().trim_start_matches('.').to_ascii_lowercase();
        KNOWN
            .iter()
            .find(|known| known.1 == wanted || known.2.contains(&wanted.as_str()))
            .map(|known| known.0)
            .ok_or_else(|| UnknownFormatName::new(name, &KNOWN.map(|known| known.1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_own_line() {
        for (at, format) in FileFormat::all().enumerate() {
            assert_eq!(format as usize, at);
            assert_eq!(format.name().parse::<FileFormat>().unwrap(), format);
            for extension in format.extensions() {
                let path = format!("x/y.{}", extension.to_uppercase());
                assert_eq!(FileFormat::from_path(Path::new(&path)), Some(format));
            }
        }
        assert_eq!(FileFormat::from_path(Path::new("parquet")), None);
    }

    #[test]
    fn an_unknown_name_gets_the_nearest() {
        let error = "parket".parse::<FileFormat>().unwrap_err().to_string();
        assert!(error.contains("did you mean `parquet`?"), "{error}");
    }
}
