//! Rows of a live input, which has no name and cannot be read twice.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use arrow::datatypes::SchemaRef;

use super::options::ReadOptions;
use super::reader::FileBatches;
use super::{arrow_stream, csv, json_lines};
use crate::error::{DatasetError, Result};
use crate::file_format::{FileFormat, UnknownFormatName};
use crate::input::Input;
use crate::place::Place;

/// The format of a live input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveFormat {
    /// Delimited text.
    Csv,
    /// One JSON object per line.
    JsonLines,
    /// The output of `kcat -J`: one message per line. The fields of its payload
    /// become columns, in addition to `key`, `topic`, `partition`, `offset` and `ts`.
    Kcat,
    /// An Arrow IPC stream.
    ArrowStream,
}

const NAMES: [(&str, LiveFormat); 4] = [
    ("csv", LiveFormat::Csv),
    ("jsonl", LiveFormat::JsonLines),
    ("kcat", LiveFormat::Kcat),
    ("arrow-stream", LiveFormat::ArrowStream),
];

impl fmt::Display for LiveFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|known| known.1 == *self).map_or("", |known| known.0);
        f.pad(name)
    }
}

impl FromStr for LiveFormat {
    type Err = UnknownFormatName;

    fn from_str(name: &str) -> Result<Self, UnknownFormatName> {
        let wanted = name.trim().to_ascii_lowercase();
        let found = NAMES.iter().find(|known| known.0 == wanted).map(|known| known.1);
        found.ok_or_else(|| UnknownFormatName::new(name, &NAMES.map(|known| known.0)))
    }
}

impl LiveFormat {
    /// The format of a file of the same content.
    pub(crate) fn file_format(self) -> FileFormat {
        match self {
            LiveFormat::Csv => FileFormat::Csv,
            LiveFormat::JsonLines | LiveFormat::Kcat => FileFormat::JsonLines,
            LiveFormat::ArrowStream => FileFormat::ArrowStream,
        }
    }
}

/// An input's columns and rows.
pub(crate) struct LiveRows {
    pub(crate) format: LiveFormat,
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Box<dyn FileBatches>,
}

/// Opens a live input; `path` is its name in messages. The format is known
/// from the first bytes unless it is given, the columns from the first 1,000 rows
/// unless they are declared or the format stores them.
///
/// # Errors
/// Nothing arrives, or it has no format that can be read from a live input.
pub(crate) fn live(
    path: &Path,
    mut input: Input,
    format: Option<LiveFormat>,
    kcat_prefix: &str,
    options: &ReadOptions,
) -> Result<LiveRows> {
    let head = input.peek(path, FileFormat::HEAD_BYTES)?;
    let declared = options.schema.is_some() && format == Some(LiveFormat::JsonLines);
    let empty = || DatasetError::EmptyFile {
        path: path.to_owned(),
        remedy: "is the producer running, and does it print to standard output?",
    };
    if head.is_empty() && !declared {
        return Err(empty());
    }
    let format = match format {
        Some(format) => format,
        None => detect(path, &head, &mut input)?,
    };
    let open = || match format {
        LiveFormat::Csv => csv::live(path, input, options),
        LiveFormat::JsonLines => json_lines::live(path, input, None, options),
        LiveFormat::Kcat => json_lines::live(path, input, Some(kcat_prefix), options),
        LiveFormat::ArrowStream => arrow_stream::live(path, input),
    };
    let (schema, batches) = format.file_format().guard(path, Place::File, open)?;
    if schema.fields().is_empty() {
        return Err(empty());
    }
    Ok(LiveRows { format, schema, batches })
}

fn detect(path: &Path, head: &[u8], input: &mut Input) -> Result<LiveFormat> {
    let wrong = |message: &str| {
        Err(DatasetError::WrongFormat {
            path: path.to_owned(),
            expected: FileFormat::JsonLines,
            message: message.to_owned(),
        })
    };
    match FileFormat::from_content(head) {
        Some(FileFormat::ArrowStream) => return Ok(LiveFormat::ArrowStream),
        Some(found) => {
            return Err(DatasetError::WrongFormat {
                path: path.to_owned(),
                expected: FileFormat::ArrowStream,
                message: format!(
                    "it looks like {found}, which is not a stream; import it as a file"
                ),
            });
        }
        None => {}
    }
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return wrong("it is UTF-16; convert it to UTF-8, as with iconv -f UTF-16 -t UTF-8");
    }
    input.skip_mark(path)?;
    let lines = input.peek_line(path)?;
    let line = lines.trim_ascii();
    match line.first() {
        Some(b'{') if json_lines::is_kcat(line) => Ok(LiveFormat::Kcat),
        Some(b'{') => Ok(LiveFormat::JsonLines),
        _ if line == b"null" => Ok(LiveFormat::JsonLines),
        Some(b'[') => wrong("it is a JSON array; write one object per line, as with jq -c '.[]'"),
        _ if line.contains(&0) => wrong("its first line is not text; say what it is"),
        _ => Ok(LiveFormat::Csv),
    }
}
